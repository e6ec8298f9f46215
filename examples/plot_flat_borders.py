"""
Clusters with flat borders
==========================

:class:`~linkwise.MaxMarginClustering` looks for the borders with the widest margin. Links say
between what.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

import linkwise as lw

centres = [[0, 0], [0, 3], [6, 0], [6, 3]]
X, corner = make_blobs(300, centers=centres, cluster_std=0.7, random_state=0)
y = corner % 2  # the truth is above against below, although left and right are further apart
links = lw.Links.sample(y, 30, random_state=0)
grid = np.stack(np.meshgrid(np.linspace(-3, 9, 120), np.linspace(-3, 6, 90)), axis=-1)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for axis, told, name in zip(axes, (None, links), ("no links", "30 links"), strict=True):
    model = lw.MaxMarginClustering(2, random_state=0).fit(X, constraints=told)
    area = model.predict(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    axis.contourf(grid[..., 0], grid[..., 1], area, alpha=0.3, cmap="coolwarm")
    axis.scatter(*X.T, c=model.labels_, s=10, cmap="coolwarm")
    axis.set_title(f"{name}: NMI {lw.scores.nmi(y, model.labels_):.2f}")
    axis.set(xticks=[], yticks=[])
plt.show()
