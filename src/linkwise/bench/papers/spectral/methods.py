"""The methods of the paper's tables, ours, and what labels alone can do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import SpectralClustering
from sklearn.neighbors import KNeighborsClassifier

from linkwise import (
    E2CP,
    LSC,
    NSDR,
    SCPC,
    LandmarkSpectralClustering,
    NystromSpectralClustering,
)
from linkwise.bench.papers.spectral.pools import Pool
from linkwise.cluster.spectral.neighbour_graph import neighbour_graph, normalised
from linkwise.datasets import Dataset

Labels = NDArray[np.integer[Any]]
#: K-means starts of every method.
N_INIT = 3


@dataclass(frozen=True)
class Task:
    """A data set, how many rows are linked (or used as landmarks), and the paper's r."""

    data: Dataset
    n_known: int
    n_neighbors: int


@dataclass(frozen=True)
class Method:
    """A name, a function (task, pool, seed) -> labels, and what it asks for.

    Attributes
    ----------
    listens : bool
        Whether it uses the pool; the others are run once per draw and scored for both pools.
    needs_labels : bool
        Whether pairs are not enough for it.
    all_pairs : bool
        Whether it compares all rows with all rows: not run on MNIST, and once per cell.
    """

    run: Callable[[Task, Pool, int], Labels]
    listens: bool = False
    needs_labels: bool = False
    all_pairs: bool = False


def lsc(landmarks: str) -> Callable[[Task, Pool, int], Labels]:
    """Return LSC with as many landmarks as rows are linked."""

    def run(task: Task, pool: Pool, seed: int) -> Labels:  # noqa: ARG001
        r = 3 if task.data.name == "pie" and landmarks != "pagerank" else task.n_neighbors
        model = LSC(
            task.data.n_classes,
            landmarks=landmarks,
            n_landmarks=task.n_known,
            n_neighbors=r,
            n_init=N_INIT,
            random_state=seed,
        )
        return model.fit(task.data.X).labels_

    return run


def nystrom(task: Task, pool: Pool, seed: int) -> Labels:  # noqa: ARG001
    """Return the labels of Nyström spectral clustering with as many landmarks."""
    model = NystromSpectralClustering(
        task.data.n_classes, n_landmarks=task.n_known, n_init=N_INIT, random_state=seed
    )
    return model.fit(task.data.X).labels_


def ncut(task: Task, pool: Pool, seed: int) -> Labels:  # noqa: ARG001
    """Return the labels of scikit-learn's spectral clustering of the graph of near rows."""
    model = SpectralClustering(
        task.data.n_classes, affinity="nearest_neighbors", n_init=N_INIT, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the graph of COIL100 is not connected
        return model.fit(task.data.X).labels_  # type: ignore[no-any-return]


def constrained(model: type, **options: Any) -> Callable[[Task, Pool, int], Labels]:
    """Return an estimator of ours fitted to the links of the pool."""

    def run(task: Task, pool: Pool, seed: int) -> Labels:
        made = model(task.data.n_classes, n_init=N_INIT, random_state=seed, **options)
        return made.fit(task.data.X, constraints=pool.links).labels_  # type: ignore[no-any-return]

    return run


def scpc(task: Task, pool: Pool, seed: int) -> Labels:
    """Return the labels of SC-PC with the paper's r."""
    return constrained(SCPC, n_neighbors=task.n_neighbors)(task, pool, seed)


def nearest_label(task: Task, pool: Pool, seed: int) -> Labels:  # noqa: ARG001
    """Give every row the label of the nearest labelled row."""
    assert pool.labels is not None
    known = pool.labels >= 0
    model = KNeighborsClassifier(1).fit(task.data.X[known], pool.labels[known])
    return model.predict(task.data.X)  # type: ignore[no-any-return]


@cache
def near_rows(data: Dataset) -> Any:
    """Return the normalised graph of ten near rows, made once per set."""
    return normalised(neighbour_graph(data.X, 10))


def label_spreading(task: Task, pool: Pool, seed: int, alpha: float = 0.9) -> Labels:  # noqa: ARG001
    """Let labels spread over the graph of near rows."""
    assert pool.labels is not None
    graph = near_rows(task.data)
    known = np.flatnonzero(pool.labels >= 0)
    source = np.zeros((len(pool.labels), task.data.n_classes))
    source[known, pool.labels[known]] = 1 - alpha
    spread = source
    for _ in range(100):
        spread = source + alpha * (graph @ spread)
    labels: Labels = spread.argmax(axis=1)
    labels[known] = pool.labels[known]
    return labels


METHODS: dict[str, Method] = {
    "Nyström": Method(nystrom),
    "LSC-R": Method(lsc("random")),
    "LSC-K": Method(lsc("kmeans")),
    "LSC-WPR": Method(lsc("pagerank")),
    "NCut": Method(ncut, all_pairs=True),
    "NSDR": Method(constrained(NSDR), listens=True, all_pairs=True),
    "E2CP": Method(constrained(E2CP), listens=True, all_pairs=True),
    "SC-PC": Method(scpc, listens=True),
    "ours, propagate": Method(constrained(LandmarkSpectralClustering), listens=True),
    "ours, inject": Method(constrained(LandmarkSpectralClustering, method="inject"), listens=True),
    "1-NN": Method(nearest_label, listens=True, needs_labels=True),
    "label spreading": Method(label_spreading, listens=True, needs_labels=True),
}
