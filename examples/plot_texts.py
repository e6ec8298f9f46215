"""
Texts
=====

:class:`~linkwise.features.TableFeatures` turns a column of texts into rows of numbers. Complaints
share most of their words; answers about pairs of them say which words matter.
"""

import random

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa

import linkwise as lw

random.seed(0)
shared = ["please", "help", "today", "again", "still", "waiting", "thanks", "customer", "order"]
words = {
    "parcel": ["parcel", "late", "damaged", "courier", "address", "lost"],
    "login": ["password", "login", "account", "locked", "reset", "code"],
    "invoice": ["invoice", "paid", "twice", "refund", "amount", "card"],
}
topics = np.array([random.choice(list(words)) for _ in range(300)])
messages = [" ".join(random.sample(words[t], 2) + random.sample(shared, 4)) for t in topics]
X = lw.features.TableFeatures().fit_transform(pa.table({"message": messages}))
model = lw.SequentialClustering(3, random_state=0).fit(X)

# %%
# Left, no answers; right, after sixty about the pairs that the model asks for. A cluster is called
# by two words that its messages have and the others do not.


def names(labels):
    """Return the two words that tell each cluster from the rest."""
    told = {}
    for cluster in range(3):
        inside = " ".join(messages[row] for row in np.flatnonzero(labels == cluster)).split()
        outside = " ".join(messages[row] for row in np.flatnonzero(labels != cluster)).split()
        ranked = sorted(set(inside), key=lambda word: outside.count(word) - inside.count(word))
        told[cluster] = ", ".join(ranked[:2])
    return told


figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for axis, n_answers in zip(axes, (0, 60), strict=True):
    for _ in range(n_answers // 20):
        pairs = model.query(20)
        same = topics[pairs[:, 0]] == topics[pairs[:, 1]]  # a person answers; here the truth does
        model.update(lw.Links(len(X), must=pairs[same], cannot=pairs[~same]))
    lw.plot.clusters(X, model, model.links_, names=names(model.labels_), ax=axis)
    axis.set_title(f"{n_answers} answers: NMI {lw.scores.nmi(topics, model.labels_):.2f}")
plt.show()
