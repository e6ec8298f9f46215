"""
Some answers are wrong
======================

One answer in ten is flipped. The model says of each answer how probably it is wrong, judged by the
others, and sets the most doubtful aside.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import linkwise as lw

wine = lw.datasets.load("wine")
X = (wine.X - wine.X.mean(0)) / wine.X.std(0)
links = lw.Links.sample(wine.y, 200, noise=0.1, random_state=0)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", lw.errors.ConstraintWarning)  # which says what we draw
    model = lw.SequentialClustering(3, random_state=0).fit(X, constraints=links)
right = links.satisfied(wine.y)

figure, axis = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
bins = np.linspace(0, 1, 21)
axis.hist(model.suspicion_[right], bins, label="right answers", alpha=0.7)
axis.hist(model.suspicion_[~right], bins, label="wrong answers", alpha=0.7)
axis.set_yscale("log")
axis.set(xlabel="probability that the answer is wrong", ylabel="answers")
axis.legend()
plt.show()
