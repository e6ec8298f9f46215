"""K-means steps in which the rows that links name are assigned by a rule of their own."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin

from linkwise.cluster.base import Labels
from linkwise.cluster.starts import Weights, restart_empty
from linkwise.kernels.kmeans_step import cluster_means
from linkwise.typing import Matrix


class LinkedRows(Protocol):
    """The rows that links name, and how they are assigned."""

    def assign(self, X: Matrix, centers: NDArray[Any], labels: Labels, previous: Labels) -> None:
        """Change the labels of the linked rows, in place, as links ask.

        In ``labels`` every row has its nearest centre so far. ``previous`` are the labels of the
        round before, -1 in the first.
        """


class End(NamedTuple):
    """Where the steps ended."""

    labels: Labels
    centers: NDArray[Any]
    n_iter: int


def lloyd_with_links(
    X: Matrix,
    linked: LinkedRows,
    centers: NDArray[Any],
    max_iter: int,
    weights: Weights = None,
) -> End:
    """Alternate labels and centres, from ``centers``, until no label changes."""
    labels = np.full(X.shape[0], -1, dtype=np.int32)
    for n_iter in range(1, max_iter + 1):
        previous = labels
        labels = pairwise_distances_argmin(X, centers).astype(np.int32)
        linked.assign(X, centers, labels, previous)
        centers, counts = cluster_means(X, labels, centers, weights)
        restart_empty(X, centers, counts, weights)
        if np.array_equal(labels, previous):
            break
    return End(labels, centers, n_iter)
