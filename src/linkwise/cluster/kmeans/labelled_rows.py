"""K-means steps over rows of which some carry labels."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.kmeans.label_columns import LabelColumns
from linkwise.cluster.kmeans.labelled_starts import Start
from linkwise.cluster.row_weights import counting
from linkwise.cluster.starts import Weights
from linkwise.ensemble.blas import one_blas_thread
from linkwise.kernels.kmeans_step import cluster_sums
from linkwise.kernels.label_mixture import count_classes, label_cost, label_prices, mixture_of
from linkwise.kernels.labelled_lloyd import (
    assign_dense,
    assign_sparse,
    distances_dense,
    distances_sparse,
)
from linkwise.threads import Team, count_openmp_threads
from linkwise.typing import Matrix, is_csr

Floats = NDArray[np.floating[Any]]
Labels = NDArray[np.int32]


@dataclass(frozen=True)
class Descent:
    """Where k-means steps ended: a local minimum, or the last step allowed."""

    labels: Labels
    centers: Floats
    mixtures: list[NDArray[np.float64]]
    objective: float
    n_iter: int


class LabelledRows:
    r"""Rows, what is known of their classes, and the objective that joins the two.

    The objective is :math:`\sum_i \|x_i - c_{z_i}\|^2 + \sum_t \lambda_t \sum_{i \in S_t}
    \|e_{y_{it}} - g_{t z_i}\|^2`, with centres :math:`c`, class mixtures :math:`g`, and
    :math:`S_t` the rows that column :math:`t` names. Rows with the same labels are of one kind and
    pay the same in a cluster, so prices are worked out once per kind. A row of weight 2 counts as
    two in both sums.

    Sums over rows are kept apart for a fixed number of parts and added up in order: the result
    does not depend on the number of threads.
    """

    def __init__(
        self,
        X: Matrix,
        known: LabelColumns,
        strength: NDArray[np.float64],
        weights: Weights = None,
    ) -> None:
        self.X = X
        self.weights = weights
        self.arrays = (X.data, X.indices, X.indptr) if is_csr(X) else (X,)
        self.strength = strength
        self.first = np.concatenate([[0], np.cumsum(known.n_classes)])
        codes = known.codes
        self.labelled = np.flatnonzero((codes >= 0).any(axis=1))
        self.codes = codes[self.labelled]
        self.heed = counting(X.shape[0], weights)[self.labelled]
        self.kind, self.kinds = _kinds(codes, known.n_classes)
        self.n_parts = int(np.clip(X.shape[0] // 4096, 1, 16))
        self.bounds = np.linspace(0, X.shape[0], self.n_parts + 1).astype(np.int64)

    def best_descent(self, starts: Iterable[Start], max_iter: int) -> Descent:
        """Descend from every start, in at most ``max_iter`` steps; return the lowest end.

        A start is centres and a seed: the cluster of each row whose labels make the first
        mixtures, -1 for the others.

        While threads share the rows, BLAS keeps to one thread each: it would otherwise take more
        cores than there are, and sum in another order.
        """
        n_threads = min(count_openmp_threads(), self.n_parts)
        quiet = one_blas_thread() if self.n_parts > 1 else nullcontext()
        with quiet, Team(n_threads) as team:
            ends = (self._descend(team, *start, max_iter) for start in starts)
            return min(ends, key=lambda end: end.objective)

    def _descend(
        self, team: Team, centers: Floats, seed: NDArray[np.integer[Any]], max_iter: int
    ) -> Descent:
        """Alternate assignment (eq. 5) and update (eq. 3) until no label changes."""
        n_clusters = len(centers)
        mixture = mixture_of(self._class_counts(seed, n_clusters), self.first)
        labels = np.full(self.X.shape[0], -1, dtype=np.int32)
        n_iter = 0
        while n_iter < max_iter:
            n_iter += 1
            prices = label_prices(self.kinds, self.first, self.strength, mixture)
            changed, sums, counts = self._assign(team, centers, prices, labels)
            if changed == 0:
                break
            if not counts.all():
                self._refill(centers, prices, labels, sums, counts)
            means = np.divide(
                sums, counts[:, None], out=centers.astype(float), where=counts[:, None] > 0
            )
            centers = means.astype(self.X.dtype, copy=False)
            class_counts = self._class_counts(labels, n_clusters)
            mixture = mixture_of(class_counts, self.first)
        objective = self._weighed(self._distances(centers, labels)).sum()
        objective += label_cost(class_counts, self.first, self.strength)
        mixtures = np.split(mixture.T, self.first[1:-1], axis=1)
        return Descent(labels, centers, mixtures, float(objective), n_iter)

    def _assign(
        self, team: Team, centers: Floats, prices: NDArray[np.float64], labels: Labels
    ) -> tuple[int, NDArray[np.float64], NDArray[Any]]:
        """Give every row its cheapest cluster; return changes, and sums and counts by cluster."""
        columns = np.ascontiguousarray(centers.T)
        norms = np.einsum("kf,kf->k", centers, centers, dtype=np.float64)
        offsets = 0.5 * (norms + prices)
        sums = np.empty((self.n_parts, *centers.shape))
        counts = np.empty(sums.shape[:2], dtype=np.int64)
        kernel: Any = assign_sparse if is_csr(self.X) else assign_dense

        def label(part: int) -> int:
            start, stop = self.bounds[part], self.bounds[part + 1]
            small = (columns, offsets, labels, sums[part], counts[part])
            changed: int = kernel(*self.arrays, self.kind, start, stop, *small)
            return changed

        changed = sum(team.each(label, self.n_parts))
        if self.weights is None:
            return changed, sums.sum(axis=0), counts.sum(axis=0)
        return changed, *cluster_sums(self.X, labels, len(centers), self.weights)

    def _refill(
        self,
        centers: Floats,
        prices: NDArray[np.float64],
        labels: Labels,
        sums: NDArray[np.float64],
        counts: NDArray[Any],
    ) -> None:
        """Give each empty cluster the row that costs most, all in place.

        A row that alone counts in its cluster stays, and so does one that costs nothing: moving it
        would gain nothing.
        """
        cost = self._weighed(self._distances(centers, labels) + prices[self.kind, labels])
        dearest = iter(np.argsort(-cost, kind="stable"))
        for empty in np.flatnonzero(counts == 0):
            for i in dearest:
                if cost[i] <= 0:
                    return
                heed = 1 if self.weights is None else self.weights[i]
                if counts[labels[i]] > heed:
                    row = heed * (self.X[[i]].toarray()[0] if is_csr(self.X) else self.X[i])
                    sums[labels[i]] -= row
                    counts[labels[i]] -= heed
                    sums[empty], counts[empty], labels[i] = row, heed, empty
                    break

    def _class_counts(
        self, labels: NDArray[np.integer[Any]], n_clusters: int
    ) -> NDArray[np.float64]:
        """Count the labelled rows by class and cluster; rows in cluster -1 do not count."""
        rows = self.labelled, labels, n_clusters, self.heed
        return np.asarray(count_classes(self.codes, self.first, *rows))

    def _weighed(self, cost: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what rows cost, as often as each counts."""
        return cost if self.weights is None else cost * self.weights

    def _distances(self, centers: Floats, labels: Labels) -> NDArray[np.float64]:
        """Return the squared distance of each row to the centre of its cluster."""
        kernel: Any = distances_sparse if is_csr(self.X) else distances_dense
        return np.asarray(kernel(*self.arrays, labels, centers))


def _kinds(
    codes: NDArray[np.int64], n_classes: list[int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number the combinations of labels that occur; return each row's number, and each's codes."""
    number = np.zeros(len(codes), dtype=np.int64)
    for column, n in zip(codes.T, n_classes, strict=True):
        _, number = np.unique(number * (n + 1) + column + 1, return_inverse=True)
    _, example = np.unique(number, return_index=True)
    return number.astype(np.int32), codes[example]
