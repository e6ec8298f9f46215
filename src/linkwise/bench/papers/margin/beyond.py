"""Beyond the rows that were clustered: unseen rows, more rows, other solvers, other alphas."""

from __future__ import annotations

import time
import warnings
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from linkwise.bench.papers.margin.methods import PLAIN, fitted
from linkwise.bench.papers.margin.trials import SOURCES, available, n_draws
from linkwise.bench.report import Settings, table
from linkwise.cluster.cpcmmc import CPCMMC
from linkwise.cluster.margin_starts import STARTS
from linkwise.cluster.max_margin import MaxMarginClustering
from linkwise.constraints import Links
from linkwise.datasets import Dataset
from linkwise.errors import ConstraintWarning
from linkwise.scores import accuracy

Rows = NDArray[np.int64]

#: Source, classes (None: odd or even), share or number of rows per class, numbers of links.
UNSEEN = {
    "pendigits": ((3, 8, 9), 0.1, (20, 50, 100)),
    "letter": ((8, 9, 11), 0.1, (20, 50, 100)),
    "mnist": ((0, 6, 8, 9), 200, (50, 100)),
}


#: Numbers of links of which some are flipped.
FLIPPED = {
    "pendigit389": 50,
    "letterIJL": 100,
    "digits_oddeven": 300,
    "segment": 500,
    "digits": 500,
}


def unseen_rows(settings: Settings) -> str:
    """Accuracy on the rows that were clustered and on others of the same classes."""
    rows = []
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
    return table(header, rows)


def _unseen(data: Dataset, count: int, settings: Settings) -> list[float]:
    each = []
    for seed in range(settings.seed, settings.seed + (settings.draws or 5)):
        fit, rest, y = _split(data, seed)
        links = Links.sample(y[fit], count, random_state=seed)
        figures = []
        for model in (MaxMarginClustering, CPCMMC):
            k = len(np.unique(y[fit]))
            found = _quiet(model(k, random_state=seed), data.X[fit], links)
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


def time_by_rows(settings: Settings) -> str:
    """Processor time of one start against the number of rows, 600 links."""
    data = available(("magic",), settings).get("magic")
    if data is None:
        return ""
    rows, first = [], 0.0
    order = np.random.RandomState(settings.seed).permutation(len(data.y))
    for share in (8, 4, 2, 1):
        n = len(order) // share
        settings.say(f"time: magic, {n} rows")
        links = Links.sample(data.y[order[:n]], 600, random_state=settings.seed)
        took = [_seconds(data.X[order[:n]], links, start) for start in ("links", "kmeans")]
        first = first or sum(took)
        rows.append([n, *took, f"{sum(took) / first:.1f}", f"{8 / share:.0f}"])
    header = ("rows", "start links, s", "start kmeans, s", "both, times the first", "rows, times")
    return table(header, rows)


def _seconds(X: Any, links: Links, start: str) -> float:
    """Return the processor time of a fit on one thread, the best of three."""
    best = np.inf
    with threadpool_limits(1):
        for _ in range(3):
            before = time.process_time()
            _quiet(MaxMarginClustering(2, starts=start, random_state=0), X, links)
            best = min(best, time.process_time() - before)
    return best


def solvers(data: Dataset, count: int, settings: Settings) -> str:
    """Both solvers from the same start: objective, accuracy and time by alpha."""
    rows = []
    for alpha in (0.1, 0.01, 0.001):
        settings.say(f"solvers: {data.name}, alpha {alpha}")
        each: dict[str, list[list[float]]] = {"lbfgs": [], "subgradient": []}
        for seed in range(settings.seed, settings.seed + n_draws(data.name, settings)):
            links = Links.sample(data.y, count, random_state=seed)
            for solver, figures in each.items():
                model = MaxMarginClustering(
                    data.n_classes, starts="links", solver=solver, alpha=alpha, random_state=seed
                )
                before = time.process_time()
                _quiet(model, data.X, links)
                took = time.process_time() - before
                lost = data.n_classes - len(np.unique(model.labels_))
                figures.append([model.objective_, accuracy(data.y, model.labels_), took, lost])
        means = {solver: np.mean(figures, axis=0).tolist() for solver, figures in each.items()}
        rows.append([data.name, count, f"{alpha:g}", *means["lbfgs"], *means["subgradient"]])
    header = ["set", "links", "alpha"]
    for solver in ("L-BFGS", "subgradient"):
        header += [f"{solver}: objective", "accuracy", "s", "clusters lost"]
    return table(header, rows)


def wrong_answers(settings: Settings) -> str:
    """Accuracy when a share of the answers is flipped, as it comes and held back."""
    rows = []
    for name, data in available(tuple(FLIPPED), settings).items():
        for noise in (0.0, 0.1, 0.2):
            settings.say(f"wrong answers: {name}, {noise:.0%}")
            rows.append([name, FLIPPED[name], f"{noise:.0%}", *_flipped(data, noise, settings)])
    return table(("set", "links", "flipped", "K-means", "ours", "ours, held back"), rows)


def _flipped(data: Dataset, noise: float, settings: Settings) -> list[float]:
    each = []
    for seed in range(settings.seed, settings.seed + (settings.draws or 5)):
        links = Links.sample(data.y, FLIPPED[data.name], noise=noise, random_state=seed)
        held_back = partial(fitted, MaxMarginClustering, alpha=0.03, delta=5.0)
        methods = PLAIN["K-means"], PLAIN["ours"], held_back
        labels = [method(data.X, links, data.n_classes, seed) for method in methods]
        each.append([accuracy(data.y, one) for one in labels])
    means: list[float] = np.mean(each, axis=0).tolist()
    return means


def _quiet(model: Any, X: Any, links: Links) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstraintWarning)
        return model.fit(X, constraints=links)


def rounds(data: Dataset, links: Links, seed: int) -> int:
    """Return the most rounds the procedure takes from any start."""
    most = 0
    for start in STARTS:
        model = MaxMarginClustering(data.n_classes, starts=start, random_state=seed)
        most = max(most, int(_quiet(model, data.X, links).n_iter_))
    return most
