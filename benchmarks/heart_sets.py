"""The data that answers are tried on, in two halves, and what simulated people say about them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise import Links, PartialLabels, datasets
from linkwise.scores import nmi

Ints = NDArray[np.int64]
Figures = dict[str, Any]

#: Looked at while the model was made. Related sets are in the same half on purpose.
DESIGN = (
    "digits",
    "optdigits",
    "digits_oddeven",
    "pendigits",
    "pendigit389",
    "satimage",
    "satimage_full",
    "usps",
    "uspst",
    "segment",
    "vehicle",
    "ecoli",
    "breast",
    "breast_cancer",
)
#: Never looked at while anything was chosen.
HELD_OUT = (
    "mfeat_fac",
    "ionosphere",
    "letter",
    "magic",
    "coil20",
    "coil100",
    "pie",
    "pie10_exact",
    "covtype",
    "mnist",
    "mnist0689",
    "ohscal",
    "bci",
)
HALVES = {"design": DESIGN, "held out": HELD_OUT}
MIN_ROWS, MAX_ROWS = 300, 20_000
#: Fewer rows than this say nothing about the rows in no link.
MIN_FREE = 100

LABELS = (3, 10, 20)
LINKS = (100, 500)


class Table(NamedTuple):
    """Rows ``X``, their classes ``y``, how many classes there are, and the seed of all draws."""

    X: Any
    y: Ints
    n_classes: int
    seed: int


def available() -> list[str]:
    """Return the sets of both halves that are here and have enough rows."""
    here = set(datasets.available())
    named = [name for half in HALVES.values() for name in half if name in here]
    return [name for name in named if datasets.load(name).X.shape[0] >= MIN_ROWS]


def load(name: str, seed: int) -> Table:
    """Return rows and truth; of very large sets a random part, another one for each seed."""
    data = datasets.load(name)
    X, y = data.X, data.y
    if X.shape[0] > MAX_ROWS:
        rows = np.random.RandomState(seed).choice(X.shape[0], MAX_ROWS, replace=False)
        X, y = X[rows], y[rows]
    _, y = np.unique(y, return_inverse=True)
    return Table(X, y.astype(np.int64), int(y.max()) + 1, seed)


def some_labels(table: Table, per_class: int) -> PartialLabels:
    """Return the labels of some rows of each class, of at most half of them."""
    rng = np.random.RandomState(table.seed)
    given = np.full(len(table.y), -1)
    for k in range(table.n_classes):
        members = rng.permutation(np.flatnonzero(table.y == k))
        given[members[: min(per_class, max(1, len(members) // 2))]] = k
    return PartialLabels(given)


def random_links(table: Table, n_links: int, noise: float = 0.0) -> Links:
    """Return answers about random pairs, some of them wrong."""
    return Links.sample(table.y, n_links, noise=noise, random_state=table.seed)


def on_unlabelled(table: Table, labels: Ints, given: PartialLabels) -> float:
    """Return NMI on the rows that have no label."""
    free = given.codes < 0
    return nmi(table.y[free], labels[free])


def on_free(table: Table, labels: Ints, links: Links) -> float:
    """Return NMI on the rows in no link, NaN when there are too few of them."""
    free = np.ones(len(table.y), dtype=bool)
    free[links.linked_rows] = False
    return nmi(table.y[free], labels[free]) if free.sum() >= MIN_FREE else float("nan")


def is_wrong(table: Table, links: Links) -> NDArray[np.bool_]:
    """Tell which links are not true, must-links first."""
    y, must, cannot = table.y, links.must, links.cannot
    return np.concatenate([y[must[:, 0]] != y[must[:, 1]], y[cannot[:, 0]] == y[cannot[:, 1]]])
