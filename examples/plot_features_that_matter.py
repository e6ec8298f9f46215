"""
Which features matter?
======================

:class:`~linkwise.MPCKMeans` learns how much each feature counts, from rows and links together. Five
of these ten features tell the four groups, the other five are noise, which
:class:`~linkwise.PCKMeans` takes at its word. Means of eight draws of 25 links.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

import linkwise as lw

X, y = make_blobs(240, n_features=5, centers=4, cluster_std=2.5, random_state=0)
X = np.hstack((X, np.random.default_rng(0).normal(scale=8, size=(240, 5))))
scores = {"PCKMeans": [], "MPCKMeans": []}
weights = []
for seed in range(8):
    links = lw.Links.sample(y, 25, random_state=seed)
    for name, found in scores.items():
        model = getattr(lw, name)(4, random_state=seed).fit(X, constraints=links)
        found.append(lw.scores.nmi(y, model.labels_))
    weights.append(model.metrics_.mean(axis=0))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.bar(scores.keys(), [np.mean(found) for found in scores.values()], color=["C0", "C1"])
left.set(ylabel="agreement with the truth (NMI)", ylim=(0, 1))
right.bar(range(1, 11), np.mean(weights, axis=0), color=["C1"] * 5 + ["lightgrey"] * 5)
right.set(xlabel="feature (grey: noise)", ylabel="weight learned", xticks=range(1, 11))
plt.show()
