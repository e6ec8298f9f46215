"""
How sure is each row?
=====================

``memberships_`` are the shares of a row in the clusters; where the largest is small, the row lies
between two. Questions are chosen by how much they would tell about all rows, so they need not be
about the rows that are least sure.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

import linkwise as lw

X, y = make_blobs(400, centers=3, cluster_std=2.0, random_state=8)
links = lw.Links.sample(y, 20, random_state=0)
model = lw.SequentialClustering(3, n_partitions=100, random_state=0).fit(X, constraints=links)
pairs = model.query(5)

figure, axis = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
shown = axis.scatter(*X.T, c=model.memberships_.max(axis=1), s=16, cmap="viridis")
for k, (i, j) in enumerate(pairs):
    axis.plot(*X[[i, j]].T, "o-", color="crimson", label="asked next" if k == 0 else None)
figure.colorbar(shown, label="largest share")
axis.set(xticks=[], yticks=[])
axis.legend()
plt.show()
