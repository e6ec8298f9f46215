"""The two halves of a k-means step: sums of the members, and moves that pay for broken links."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.kernels.compiling import njit
from linkwise.typing import Matrix

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]


def cluster_means(
    X: Matrix, labels: Ints, centers: Floats, weights: NDArray[np.float64] | None = None
) -> tuple[Floats, NDArray[Any]]:
    """Return the mean of each cluster's rows, and how many rows each has, or their weight.

    A cluster without rows that count keeps its entry of ``centers``. ``X`` is dense or CSR; sums
    are kept in double precision and rounded once, so that float32 input does not drift.
    """
    sums, counts = cluster_sums(X, labels, len(centers), weights)
    filled = counts > 0
    means = centers.copy()
    means[filled] = sums[filled] / counts[filled, None]
    return means, counts


def cluster_sums(
    X: Matrix, labels: Ints, n_clusters: int, weights: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the sum of each cluster's rows, and how many rows each has, or their weight."""
    counts = np.bincount(labels, weights, minlength=n_clusters)
    if sp.issparse(X):
        rows = np.arange(X.shape[0])
        share = np.ones(len(rows)) if weights is None else weights
        member = sp.csr_array((share, (labels, rows)), (n_clusters, len(rows)))
        return np.asarray((member @ X).todense(), dtype=np.float64), counts
    if weights is None:
        return np.asarray(_sums(X, labels, n_clusters)), counts
    return np.asarray(_weighted_sums(X, labels, n_clusters, weights)), counts


@njit()
def _sums(X, labels, n_clusters):  # type: ignore[no-untyped-def]
    sums = np.zeros((n_clusters, X.shape[1]))
    for i in range(len(X)):
        for f in range(X.shape[1]):
            sums[labels[i], f] += X[i, f]
    return sums


@njit()
def _weighted_sums(X, labels, n_clusters, weights):  # type: ignore[no-untyped-def]
    sums = np.zeros((n_clusters, X.shape[1]))
    for i in range(len(X)):
        for f in range(X.shape[1]):
            sums[labels[i], f] += weights[i] * X[i, f]
    return sums


@njit()
def move_groups(cost, first, members, indptr, indices, price, labels):  # type: ignore[no-untyped-def]
    """Move each group of rows to the cluster where distances plus broken links are cheapest.

    Group ``g`` is ``members[first[g]:first[g + 1]]`` and moves as one. ``cost[i, k]`` is the price
    of row ``i`` in cluster ``k``. ``price`` holds, in CSR order, the price of breaking each link:
    positive for a must-link, negative for a cannot-link. Rows labelled -1 do not count yet. Groups
    are visited in the order given; ``labels`` is changed in place. Returns how many groups moved.
    """
    n_clusters = cost.shape[1]
    group_of = np.full(len(labels), -1)
    total = np.empty(n_clusters)
    moved = 0
    for g in range(len(first) - 1):
        total[:] = 0.0
        for position in range(first[g], first[g + 1]):
            group_of[members[position]] = g
        for position in range(first[g], first[g + 1]):
            i = members[position]
            total += cost[i]
            for edge in range(indptr[i], indptr[i + 1]):
                j = indices[edge]
                if labels[j] >= 0 and group_of[j] != g:
                    total[labels[j]] -= price[edge]
        best = total.argmin()
        current = labels[members[first[g]]]
        if current < 0 or total[best] < total[current]:
            moved += 1
            for position in range(first[g], first[g + 1]):
                labels[members[position]] = best
    return moved
