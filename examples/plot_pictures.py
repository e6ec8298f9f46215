"""
Pictures
========

The pictures in the middle of each cluster, and those at its border: a look that says what to ask.
"""

import matplotlib.pyplot as plt
import numpy as np

import linkwise as lw

digits = lw.datasets.load("digits")
X, y = digits.X[:600], digits.y[:600]
links = lw.Links.sample(y, 150, random_state=0)
model = lw.SequentialClustering(10, n_partitions=100, random_state=0).fit(X, constraints=links)

figure, axes = plt.subplots(10, 9, figsize=(6.5, 7.2), layout="constrained")
for cluster, line in enumerate(axes):
    rows = np.flatnonzero(model.labels_ == cluster)
    by_margin = rows[np.argsort(-model.margins_[rows])]
    shown = [*by_margin[:5], None, *by_margin[-3:]] if len(rows) >= 8 else [*by_margin[:9]]
    for axis in line:
        axis.axis("off")
    for axis, row in zip(line, shown, strict=False):
        if row is not None:
            axis.imshow(X[row].reshape(8, 8), cmap="gray_r")
figure.suptitle("surest on the left, least sure on the right")
plt.show()
