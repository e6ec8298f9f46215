"""The methods of the paper's tables, as the paper runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from linkwise import KCC, LCVQE, Links, PartialLabels, PartitionKMeans
from linkwise.typing import Matrix

#: The paper's trade-off, for every set.
STRENGTH = 100.0
#: Most pairs given to LCVQE. All pairs of 5496 labelled rows would be 15 million.
MOST_PAIRS = 2_000_000

Labelling = NDArray[np.integer[Any]]
#: Rows, what is known, number of clusters and seed come in; labels go out.
Method = Callable[[Matrix, PartialLabels, int, int], Labelling]


def ours(
    X: Matrix, known: PartialLabels, k: int, seed: int, strength: float = STRENGTH
) -> Labelling:
    """The paper's Algorithm 1 from ten random starts; the lowest objective counts."""
    model = PartitionKMeans(k, strength=strength, init="random", n_init=10, random_state=seed)
    return model.fit_predict(X, constraints=known)


def kcc(
    X: Matrix, known: PartialLabels, k: int, seed: int, strength: float = STRENGTH
) -> Labelling:
    """Consensus of one K-means partition and the labels, weighed 1 to ``strength``."""
    model = KCC(k, n_partitions=1, n_blocks=k, strength=strength, random_state=seed)
    return model.fit_predict(X, constraints=known)


def lcvqe(X: Matrix, known: PartialLabels, k: int, seed: int) -> Labelling:
    """LCVQE with the labels written as all pairs of labelled rows."""
    return LCVQE(k, random_state=seed).fit_predict(X, constraints=all_pairs(known, seed))


def lcvqe_second(X: Matrix, known: PartialLabels, k: int, seed: int) -> Labelling:
    """LCVQE as a public program has it."""
    model = SecondNearestLCVQE(k, random_state=seed)
    return model.fit_predict(X, constraints=all_pairs(known, seed))


def kmeans(X: Matrix, known: PartialLabels, k: int, seed: int) -> Labelling:  # noqa: ARG001
    """K-means from one random start, without side information."""
    return np.asarray(KMeans(k, init="random", n_init=1, random_state=seed).fit_predict(X))


class SecondNearestLCVQE(LCVQE):
    """LCVQE that sends a row to its second nearest centre even if that is where it already is.

    After a must-link has moved a row away from its nearest centre, the second nearest may be its
    own, and a cannot-link then has no way to be kept.
    """

    def _ways_out(
        self, distance: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        _, second = super()._ways_out(distance)
        return second, second


def all_pairs(known: PartialLabels, seed: int) -> Links:
    """Return a link for every pair of labelled rows, or for a random part of very many pairs."""
    rows = np.flatnonzero(known.known)
    i, j = np.triu_indices(len(rows), 1)
    if len(i) > MOST_PAIRS:
        kept = np.random.default_rng(seed).choice(len(i), MOST_PAIRS, replace=False)
        i, j = i[kept], j[kept]
    pairs = np.column_stack([rows[i], rows[j]])
    same = known.codes[pairs[:, 0]] == known.codes[pairs[:, 1]]
    return Links(len(known), must=pairs[same], cannot=pairs[~same])


def with_random_labels(known: PartialLabels, share: float, seed: int) -> PartialLabels:
    """Give a share of the labelled rows a class drawn at random, right or wrong."""
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(known.known)
    drawn = rng.choice(rows, round(share * len(rows)), replace=False)
    codes = known.codes.copy()
    codes[drawn] = rng.integers(len(known.classes), size=len(drawn))
    return PartialLabels(codes)
