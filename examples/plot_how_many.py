"""
I do not know how many clusters
===============================

:func:`~linkwise.choose_k` shows what speaks for each number: how stable the clusters are when half
of everything is left out, and where the gaps in the spectrum lie.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

import linkwise as lw

X, _ = make_blobs(500, n_features=6, centers=5, cluster_std=2.0, random_state=1)
choice = lw.choose_k(X, range(2, 11))

axis = choice.plot()
axis.set_title(f"{choice.k} clusters")
plt.show()
