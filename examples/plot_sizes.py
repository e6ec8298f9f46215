"""
Clusters of a size that one can use
===================================

Ninety people, tables of nine to eleven, and some who must not sit together:
:class:`~linkwise.SizedKMeans` keeps both.
"""

import matplotlib.pyplot as plt
import numpy as np

import linkwise as lw

rng = np.random.default_rng(0)
X = np.vstack((rng.normal(0, 1, (60, 2)), rng.normal(3, 0.6, (30, 2))))
apart = lw.Links(90, cannot=rng.choice(90, (12, 2), replace=False))
free = lw.PCKMeans(9, random_state=0).fit(X)
sized = lw.SizedKMeans(9, min_size=9, max_size=11, random_state=0).fit(X, constraints=apart)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for axis, model, name in zip(axes, (free, sized), ("no limits", "9 to 11 rows"), strict=True):
    axis.bar(range(9), np.sort(np.bincount(model.labels_, minlength=9)))
    broken = int((~apart.satisfied(model.labels_)).sum())
    axis.set(title=f"{name}: {broken} of 12 links broken", xlabel="cluster", ylabel="rows")
plt.show()
