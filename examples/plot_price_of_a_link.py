"""
What a link may cost
====================

:class:`~linkwise.COPKMeans` keeps every link. :class:`~linkwise.PCKMeans` breaks one when keeping
it would cost more than ``weight``, here against wrong answers: one in five is flipped.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

import linkwise as lw

X, y = make_blobs(200, centers=3, cluster_std=1.8, random_state=3)
links = lw.Links.sample(y, 80, noise=0.2, random_state=0)
weights = np.geomspace(0.1, 100, 9)
agreement, kept = [], []
for weight in weights:
    model = lw.PCKMeans(3, weight=weight, random_state=0).fit(X, constraints=links)
    agreement.append(lw.scores.nmi(y, model.labels_))
    kept.append(links.satisfied(model.labels_).mean())

figure, axis = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
axis.semilogx(weights, agreement, "o-", label="agreement with the truth (NMI)")
axis.semilogx(weights, kept, "s--", label="share of links kept, the wrong ones too")
axis.set_xlabel("weight: price of a broken link")
axis.set_ylim(0, 1.05)
axis.legend()
plt.show()
