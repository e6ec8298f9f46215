"""
Which features matter?
======================

:class:`~linkwise.MPCKMeans` learns a weight for each feature from links. Five of these ten are
noise.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

import linkwise as lw

X, y = make_blobs(240, n_features=5, centers=4, cluster_std=2.5, random_state=0)
X = np.hstack((X, np.random.default_rng(0).normal(scale=8, size=(240, 5))))
counts = [0, 25, 50, 100, 200]
found = {
    lw.PCKMeans: [],
    lw.MPCKMeans: [],
}
for n_links in counts:
    links = lw.Links.sample(y, n_links, random_state=0)
    for method, scores in found.items():
        labels = method(4, random_state=0).fit_predict(X, constraints=links)
        scores.append(lw.scores.nmi(y, labels))

figure, axis = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
for method, scores in found.items():
    axis.plot(counts, scores, "o-", label=method.__name__)
axis.set(xlabel="links", ylabel="agreement with the truth (NMI)")
axis.legend()
plt.show()
