"""
A few labels
============

Three labelled rows a class tell k-means where to start, and which cluster is which.
:class:`~linkwise.SeededKMeans` takes them as a hint, :class:`~linkwise.ConstrainedKMeans` as facts.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

import linkwise as lw

X, y = make_blobs(240, centers=4, cluster_std=2.2, random_state=5)
rows = np.concatenate([np.flatnonzero(y == c)[:3] for c in range(4)])
known = lw.PartialLabels.of_rows({int(row): int(y[row]) for row in rows}, len(y))

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for axis, method in zip(axes, (lw.SeededKMeans, lw.ConstrainedKMeans), strict=True):
    labels = method(4, random_state=0).fit_predict(X, constraints=known)
    rest = np.setdiff1d(np.arange(len(X)), rows)
    axis.scatter(*X.T, c=labels, s=12, cmap="tab10")
    axis.scatter(*X[rows].T, s=90, facecolors="none", edgecolors="black")
    agreement = lw.scores.nmi(y[rest], labels[rest])
    axis.set_title(f"{method.__name__}: NMI {agreement:.2f} on other rows")
    axis.set(xticks=[], yticks=[])
plt.show()
