"""
Texts
=====

:class:`~linkwise.features.TableFeatures` turns a column of texts into rows of numbers; two answers
say which difference matters.
"""

import random

import matplotlib.pyplot as plt
import pyarrow as pa

import linkwise as lw

random.seed(0)
words = {
    "parcel": ["parcel", "late", "damaged", "courier", "address", "lost", "delivery"],
    "login": ["password", "login", "account", "locked", "reset", "phone", "code"],
    "invoice": ["invoice", "paid", "twice", "refund", "amount", "card", "bank"],
}
topics = [random.choice(list(words)) for _ in range(150)]
table = pa.table({"message": [" ".join(random.sample(words[topic], 4)) for topic in topics]})
X = lw.features.TableFeatures().fit_transform(table)
model = lw.SequentialClustering(3, n_partitions=100, random_state=0).fit(X)

figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
axis.scatter(X[:, 0], X[:, 1], c=model.labels_, s=18, cmap="tab10")
for cluster in range(3):
    row = model.memberships_[:, cluster].argmax()
    message = table["message"][int(row)].as_py()
    axis.annotate(message, X[row, :2], fontsize=8, bbox={"facecolor": "white", "alpha": 0.8})
axis.set_title(f"NMI {lw.scores.nmi(topics, model.labels_):.2f}")
axis.set(xticks=[], yticks=[])
plt.show()
