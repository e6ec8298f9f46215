"""
Taking an answer back
=====================

The clustering is a function of the set of answers. Taking them back, in any order, leads to where
it began, exactly.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

import linkwise as lw

X, y = load_iris(return_X_y=True)
model = lw.SequentialClustering(3, n_partitions=100, random_state=0).fit(X)
start = model.labels_.copy()
answers = lw.Links.sample(y, 60, random_state=0)
moved = [0]
batches = [lw.Links(len(X), must=[pair]) for pair in answers.must[:20]]
for batch in batches:
    moved.append(int((model.update(batch).labels_ != start).sum()))
for batch in batches:  # the first answer goes first
    moved.append(int((model.retract(batch).labels_ != start).sum()))

figure, axis = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
axis.plot(moved, "o-", markersize=3)
axis.axvline(len(batches), color="grey", linestyle=":")
axis.set(xlabel="answers given, then taken back", ylabel="rows that differ from the start")
plt.show()
print("the same as at the start:", bool((model.labels_ == start).all()))
