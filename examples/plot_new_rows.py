"""
Rows that come later
====================

Every estimator predicts rows it has not seen, and knowledge is sliced with the rows:
``links[rows]``.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import linkwise as lw

X, y = make_moons(400, noise=0.1, random_state=1)
order = np.random.default_rng(0).permutation(400)
old, new = order[:250], order[250:]
links = lw.Links.sample(y, 80, random_state=0)[old]  # what is known about the rows at hand
model = lw.LandmarkSpectralClustering(2, random_state=0).fit(X[old], constraints=links)
predicted = model.predict(X[new])

figure, axis = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
axis.scatter(*X[old].T, c=model.labels_, s=10, alpha=0.35, cmap="coolwarm")
axis.scatter(*X[new].T, c=predicted, s=30, marker="^", edgecolors="black", linewidths=0.3,
             cmap="coolwarm", label="predicted")  # fmt: skip
axis.set_title(f"{links.n_links} links; NMI on the new rows {lw.scores.nmi(y[new], predicted):.2f}")
axis.set(xticks=[], yticks=[])
axis.legend()
plt.show()
