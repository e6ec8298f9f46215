"""
A few links, and clusters that are not round
============================================

K-means cuts two moons in half. Ten links, spread along the shapes by
:class:`~linkwise.LandmarkSpectralClustering`, are enough to follow them.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons

import linkwise as lw

X, y = make_moons(300, noise=0.08, random_state=0)
links = lw.Links.sample(y, 10, random_state=0)
found = {
    "k-means": KMeans(2, n_init=3, random_state=0).fit_predict(X),
    "ten links": lw.LandmarkSpectralClustering(2, random_state=0).fit_predict(X, constraints=links),
}

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for axis, (name, labels) in zip(axes, found.items(), strict=True):
    axis.scatter(*X.T, c=labels, s=12, cmap="coolwarm")
    for pairs, style in ((links.must, "-"), (links.cannot, ":")):
        for i, j in pairs:
            axis.plot(*X[[i, j]].T, style, color="black", linewidth=1)
    axis.set_title(f"{name}: NMI {lw.scores.nmi(y, labels):.2f}")
    axis.set(xticks=[], yticks=[])
plt.show()
