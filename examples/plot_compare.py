"""
Which method?
=============

Answers a model was told say little about it. :class:`~linkwise.LinkKFold` leaves links out, with
all that could give them away, and the others have to predict them; :func:`~linkwise.compare` does
the same in one call and prints a table.
"""

import matplotlib.pyplot as plt

import linkwise as lw

wine = lw.datasets.load("wine")
X = (wine.X - wine.X.mean(0)) / wine.X.std(0)
links = lw.Links.sample(wine.y, 80, random_state=0)
methods = {
    "COPKMeans": lw.COPKMeans(3, random_state=0),
    "PCKMeans": lw.PCKMeans(3, random_state=0),
    "MPCKMeans": lw.MPCKMeans(3, random_state=0),
    "LandmarkSpectral": lw.LandmarkSpectralClustering(3, random_state=0),
}
kept = []
for model in methods.values():
    folds = lw.LinkKFold(5, random_state=0).split(X, constraints=links)
    scores = []
    for fit, left_out in folds:
        model.fit(X[fit], constraints=links[fit])
        scores.append(model.score(X[left_out], constraints=links[left_out]))
    kept.append(scores)

figure, axis = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
axis.boxplot(kept, orientation="horizontal", tick_labels=list(methods))
axis.set_xlabel("share kept of the links left out, 5 folds")
plt.show()
