"""
What a few links entail
=======================

Must-links are transitive, and a cannot-link separates whole groups. ``links.closure()`` knows it
all without writing it down pair by pair; here it is written down.
"""

import matplotlib.pyplot as plt
import numpy as np

import linkwise as lw

n = 14
links = lw.Links(n, must=[(0, 3), (3, 5), (1, 4), (4, 6), (7, 9)], cannot=[(0, 1), (6, 7)])
group = links.components()
known = (group[:, None] == group).astype(int)
for i, j in links.cannot:
    known[np.ix_(group == group[i], group == group[j])] = -1
    known[np.ix_(group == group[j], group == group[i])] = -1
said = np.eye(n, dtype=int)
for pairs, value in ((links.must, 1), (links.cannot, -1)):
    said[pairs[:, 0], pairs[:, 1]] = said[pairs[:, 1], pairs[:, 0]] = value

figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
for axis, table, title in zip(axes, (said, known), ("said", "entailed"), strict=True):
    axis.imshow(table, cmap="RdBu", vmin=-1, vmax=1)
    axis.set_title(f"{title}: {(np.triu(table, 1) != 0).sum()} pairs known")
plt.show()
