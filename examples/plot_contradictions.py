"""
When answers contradict each other
==================================

``links.conflicts()`` names the chain that proves a contradiction, ``links.repair()`` the lightest
set of answers to withdraw.
"""

import matplotlib.pyplot as plt
import numpy as np

import linkwise as lw

links = lw.Links(6, must=[(0, 1), (1, 2), (2, 3), (4, 5)], cannot=[(0, 3), (3, 4)])
(conflict,) = links.conflicts()
mended, withdrawn = links.repair()
angle = np.linspace(0, 2 * np.pi, 6, endpoint=False)
place = np.column_stack((np.cos(angle), np.sin(angle)))

figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
for axis, shown, title in zip(axes, (links, mended), ("as said", "repaired"), strict=True):
    for pairs, style, name in ((shown.must, "-", "same"), (shown.cannot, ":", "different")):
        for k, (i, j) in enumerate(pairs):
            in_ring = title == "as said" and {i, j} <= {0, 1, 2, 3}
            colour = "crimson" if in_ring else "black"
            axis.plot(*place[[i, j]].T, style, color=colour, label=name if k == 0 else None)
    axis.scatter(*place.T, s=250, color="white", edgecolors="black", zorder=2)
    for row, (x, y) in enumerate(place):
        axis.text(x, y, str(row), ha="center", va="center", zorder=3)
    axis.set_title(f"{title}: {len(shown.conflicts())} contradictions")
    axis.set(xticks=[], yticks=[], xlim=(-1.4, 1.4), ylim=(-1.4, 1.4))
axes[0].legend(loc="upper left")
plt.show()

# %%
# In words:

print(conflict)
print("withdraw:", withdrawn.must.tolist(), withdrawn.cannot.tolist())
