"""Rows that were not clustered (figure 8 of the paper)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.bench.papers.margin.methods import quiet_fit
from linkwise.bench.papers.margin.trials import SOURCES, available
from linkwise.bench.report import Settings, table
from linkwise.cluster.margin.cpcmmc import CPCMMC
from linkwise.cluster.margin.max_margin import MaxMarginClustering
from linkwise.constraints import Links
from linkwise.datasets import Dataset
from linkwise.scores import accuracy

Rows = NDArray[np.int64]

#: Accuracies that differ by less are called comparable.
COMPARABLE = 0.05

#: Source, classes (None: odd or even), share or number of rows per class, numbers of links.
UNSEEN = {
    "pendigits": ((3, 8, 9), 0.1, (20, 50, 100)),
    "letter": ((8, 9, 11), 0.1, (20, 50, 100)),
    "mnist": ((0, 6, 8, 9), 200, (50, 100)),
}


def unseen_rows(settings: Settings) -> str:
    """Accuracy on the rows that were clustered and on others of the same classes, and verdicts."""
    rows: list[list[Any]] = []
    for name, data in available(SOURCES, settings).items():
        counts = UNSEEN[name][2] if name in UNSEEN else (100, 300, 500)
        for count in counts:
            settings.say(f"unseen rows: {name}, {count} links")
            rows.append([name, count, *_unseen(data, count, settings)])
    header = (
        "set",
        "links",
        "ours, clustered",
        "ours, unseen",
        "CPCMMC, clustered",
        "CPCMMC, unseen",
    )
    return "\n\n".join([table(header, rows), *_verdicts(np.array([row[2:] for row in rows]))])


def _verdicts(figures: NDArray[np.float64]) -> list[str]:
    """Say whether both claims about unseen rows hold; ``figures`` is as the columns are."""
    if len(figures) == 0:
        return []
    won, n = int(np.sum(figures[:, 1] > figures[:, 3])), len(figures)
    worst = float(np.max(figures[:, [0, 2]] - figures[:, [1, 3]]))
    return [
        f"- ours “again outperforms” CPCMMC on unseen rows: in {won} of {n} cells, "
        f"{'holds' if 2 * won > n else 'does not hold'}.\n"
        f"- accuracy on unseen rows is “comparable” with that on clustered ones: at most "
        f"{worst:.3f} lower, {'holds' if worst < COMPARABLE else 'does not hold'}."
    ]


def _unseen(data: Dataset, count: int, settings: Settings) -> list[float]:
    each = []
    for seed in range(settings.seed, settings.seed + (settings.draws or 5)):
        fit, rest, y = _split(data, seed)
        links = Links.sample(y[fit], count, random_state=seed)
        figures = []
        for model in (MaxMarginClustering, CPCMMC):
            k = len(np.unique(y[fit]))
            found = quiet_fit(model(k, random_state=seed), data.X[fit], links)
            figures.append(accuracy(y[fit], found.labels_))
            figures.append(accuracy(y[rest], found.predict(data.X[rest])))
        each.append(figures)
    means: list[float] = np.mean(each, axis=0).tolist()
    return means


def _split(data: Dataset, seed: int) -> tuple[Rows, Rows, NDArray[np.int64]]:
    """Return the rows to cluster, the rows to predict, and the truth."""
    if data.name == "optdigits":  # the paper's rows: the last 1,797, odd against even
        everything = np.arange(len(data.y))
        return everything[3823:], everything[:3823], data.y % 2
    classes, amount, _ = UNSEEN[data.name]
    rng = np.random.RandomState(seed)
    fit, rest = [], []
    for c in classes:
        members = rng.permutation(np.flatnonzero(data.y == c))
        size = amount if amount > 1 else round(amount * len(members))
        fit.append(members[: int(size)])
        rest.append(members[int(size) :] if amount < 1 else members[int(size) : 2 * int(size)])
    return np.concatenate(fit), np.concatenate(rest), data.y
