"""Everybody who takes part: whatever linkwise exports, and what others offer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.semi_supervised import LabelSpreading

import linkwise
from linkwise.bench.common.peers import PEERS, Answered, run_peer
from linkwise.bench.common.tasks import Kind, Oracle
from linkwise.cluster.base import ConstrainedClusterer
from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.constraints import Links, PartialLabels
from linkwise.typing import Matrix

Ints = NDArray[np.int64]

#: Estimators that listen to nothing: they are run once, without knowledge.
SILENT = ("LSC", "MMC", "NystromSpectralClustering")
#: How many questions are asked before the answers are heard.
ROUND = 20
ROWS_OF_OURS = frozenset[Kind](("none", "links", "labels"))


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, the number of clusters, what is told, and whom to ask."""

    X: Matrix
    n_clusters: int
    known: Links | PartialLabels | None
    oracle: Oracle
    seed: int


@dataclass(frozen=True, eq=False)
class Method:
    """One who takes part.

    Attributes
    ----------
    name : str
        What it is called in tables.
    kinds : frozenset of str
        Which kinds of knowledge it is given.
    run : callable
        Takes a problem and returns the cluster of each row; a peer also what it cost.
    peer : bool
        Whether it is run in the environment of the peers.
    """

    name: str
    kinds: frozenset[Kind]
    run: Callable[[Problem], NDArray[Any] | Answered]
    peer: bool = False


@cache
def methods() -> dict[str, Method]:
    """Return all methods by name: ours, maps before k-means, scikit-learn's, peers."""
    listed = [
        *_estimators(),
        *_maps(),
        Method("k-means", ROWS_OF_OURS, _k_means),
        Method("LabelSpreading", frozenset[Kind](("labels",)), _label_spreading),
        *(
            Method(name, peer.kinds, partial(_peer, name), peer=True)
            for name, peer in PEERS.items()
        ),
    ]
    return {method.name: method for method in listed}


def _estimators() -> list[Method]:
    found = []
    for name in linkwise.HOME:
        cls = getattr(linkwise, name)
        if not (isinstance(cls, type) and issubclass(cls, ConstrainedClusterer)):
            continue
        kinds: set[Kind] = {"none"} if name in SILENT else set(ROWS_OF_OURS)
        if issubclass(cls, SequentialClustering):
            found.append(Method(name, frozenset({*kinds, "asked"}), partial(_asking, cls)))
        elif "ask" in signature(cls.fit).parameters:
            found.append(Method(name, frozenset({*kinds, "asked"}), partial(_asked, cls)))
        else:
            found.append(Method(name, frozenset(kinds), partial(_telling, cls)))
    return found


def _maps() -> list[Method]:
    kinds = frozenset[Kind](("links", "labels"))
    names = linkwise.metric.__all__
    return [Method(f"{name} + k-means", kinds, partial(_mapped, name)) for name in names]


def _telling(cls: type[ConstrainedClusterer], problem: Problem) -> NDArray[Any]:
    model = cls(problem.n_clusters, random_state=problem.seed)
    return model.fit(problem.X, constraints=problem.known).labels_


def _asking(cls: type[SequentialClustering], problem: Problem) -> NDArray[Any]:
    """Tell what is known, then ask in rounds until nobody answers any more."""
    model = cls(problem.n_clusters, n_jobs=1, random_state=problem.seed)
    model.fit(problem.X, constraints=problem.known)
    while problem.oracle.n_left > 0:
        pairs = model.query(min(ROUND, problem.oracle.n_left))
        if not len(pairs):
            break
        model.update(problem.oracle.answer(pairs))
    return model.labels_


def _asked(cls: Callable[..., Any], problem: Problem) -> NDArray[Any]:
    """Let a method that asks by itself do so."""
    model = cls(problem.n_clusters, random_state=problem.seed)
    if not problem.oracle.budget:
        return np.asarray(model.fit(problem.X, constraints=problem.known).labels_)
    model.set_params(n_questions=problem.oracle.budget)
    return np.asarray(model.fit(problem.X, ask=problem.oracle).labels_)


def _mapped(name: str, problem: Problem) -> NDArray[Any]:
    learned = getattr(linkwise.metric, name)()
    return _cluster(learned.fit_transform(problem.X, constraints=problem.known), problem)


def _k_means(problem: Problem) -> NDArray[Any]:
    return _cluster(problem.X, problem)


def _cluster(X: Matrix, problem: Problem) -> NDArray[Any]:
    model = KMeans(problem.n_clusters, n_init=10, random_state=problem.seed)
    labels: NDArray[Any] = model.fit(X).labels_
    return labels


def _label_spreading(problem: Problem) -> NDArray[Any]:
    assert isinstance(problem.known, PartialLabels)
    model = LabelSpreading(kernel="knn", n_neighbors=10, alpha=0.9)
    labels: NDArray[Any] = model.fit(problem.X, problem.known.codes).transduction_
    return labels


def _peer(name: str, problem: Problem) -> Answered:
    return run_peer(
        name, problem.X, problem.n_clusters, problem.known, problem.oracle, problem.seed
    )
