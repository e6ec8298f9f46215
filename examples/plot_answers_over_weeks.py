"""
Answers that come over weeks
============================

:class:`~linkwise.SequentialClustering` builds its ensemble once. Then it says which pairs are worth
asking about, listens, and can take any answer back. Agreement need not rise with every answer: each
one changes what is believed of many rows, and a curve of one data set and one seed has steps down.
"""

import matplotlib.pyplot as plt
import numpy as np

import linkwise as lw

digits = lw.datasets.load("digits")
X, y = digits.X[:800], digits.y[:800]
model = lw.SequentialClustering(10, n_partitions=100, random_state=0).fit(X)
counts, all_rows, not_asked = [0], [lw.scores.nmi(y, model.labels_)], [None]
not_asked[0] = all_rows[0]
for _ in range(6):
    pairs = model.query(20)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]  # a person answers; here the truth does
    model.update(lw.Links(len(X), must=pairs[same], cannot=pairs[~same]))
    free = np.setdiff1d(np.arange(len(X)), model.links_.linked_rows)
    counts.append(model.links_.n_links)
    all_rows.append(lw.scores.nmi(y, model.labels_))
    not_asked.append(lw.scores.nmi(y[free], model.labels_[free]))

figure, axis = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
axis.plot(counts, all_rows, "o-", label="all rows")
axis.plot(counts, not_asked, "s--", label="rows that no answer names")
axis.set(xlabel="answers", ylabel="agreement with the truth (NMI)")
axis.legend()
plt.show()
