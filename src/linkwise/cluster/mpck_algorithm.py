"""MPCK-means, the algorithm: labels, centres and metrics in turn, paying for broken links."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.cluster_metrics import ClusterMetrics, scatter_of
from linkwise.cluster.row_weights import total_variance, weighed
from linkwise.cluster.starts import Weights, complete_centers, neighbourhood_means, restart_empty
from linkwise.cluster.visit_order import surest_first
from linkwise.constraints import Links
from linkwise.constraints.groups import Groups
from linkwise.kernels.kmeans_step import cluster_means
from linkwise.kernels.metric_moves import move_groups_by_metric

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]


class MPCKResult(NamedTuple):
    """What the algorithm ends with."""

    labels: Labels
    centers: NDArray[Any]
    metrics: ClusterMetrics
    n_iter: int


def mpck_means(
    X: NDArray[Any],
    links: Links,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    full: bool = False,
    shared: bool = True,
    weight: float = 1.0,
    max_iter: int = 100,
    heed: Weights = None,
    shape: Floats | float = 1.0,
) -> MPCKResult:
    """Alternate labels, centres and metrics until the labels stay.

    ``full`` metrics or diagonal ones, one ``shared`` by all clusters or one each; ``weight``
    multiplies the price of every broken link, ``heed`` the price of each row.
    What little each metric knows before anything is learned is that features vary as ``shape``.
    """
    pairs = _Pairs(X, links, weight)
    known = neighbourhood_means(X, links, n_clusters, heed)
    centers = complete_centers(X, known, n_clusters, rng, heed)
    metrics = _plain_metrics(X, n_clusters, full, heed)
    heard = X if heed is None else X[heed > 0]
    labels = np.full(len(X), -1, dtype=np.int32)
    for n_iter in range(1, max_iter + 1):
        previous = labels
        cost = metrics.costs(X, centers)
        labels = cost.argmin(axis=1).astype(np.int32)
        extreme, farthest = metrics.extremes(heard)
        pairs.assign(metrics, farthest, weighed(cost, np.arange(len(X)), heed), labels, previous)
        if np.array_equal(labels, previous):
            break
        centers, counts = cluster_means(X, labels, centers, heed)
        restart_empty(X, centers, counts, heed)
        scatter = _scatters(X, centers, labels, full, heed)
        scatter += pairs.scatters(X, extreme, labels, full)
        if shared:
            scatter[:] = scatter.sum(axis=0)
            counts = np.full(n_clusters, counts.sum())
        metrics = ClusterMetrics.learn(scatter, counts.astype(np.float64), shape)
    return MPCKResult(labels, centers, metrics, n_iter)


class _Pairs:
    """The links: how they move rows, and what broken ones teach the metrics."""

    def __init__(self, X: NDArray[Any], links: Links, weight: float) -> None:
        self.links = links
        self.weight = links.weight * weight
        groups = Groups.of(links)
        self.rows = groups.rows
        graph = groups.links.signed_graph()
        ends = np.repeat(np.arange(len(self.rows)), np.diff(graph.indptr))
        self.apart = X[self.rows[ends]] - X[self.rows[graph.indices]]
        self.edges = graph.indptr, graph.indices, graph.data * weight
        self.groups = groups.group, np.arange(len(self.rows))

    def assign(
        self,
        metrics: ClusterMetrics,
        farthest: Floats,
        cost: Floats,
        labels: Labels,
        previous: Labels,
    ) -> None:
        """Give the linked rows in ``labels`` the cheapest clusters that single moves can find.

        They move alone and as whole must-link components, from where they were.
        """
        if len(self.rows) == 0:
            return
        each = [metrics.squared_norms(self.apart, k) for k in range(cost.shape[1])]
        seen = np.column_stack(each), farthest
        cost = np.ascontiguousarray(cost[self.rows])
        visits = [surest_first(cost, group) for group in self.groups]
        own = previous[self.rows]
        for _ in range(20):
            if not sum(move_groups_by_metric(cost, *v, *self.edges, *seen, own) for v in visits):
                break
        labels[self.rows] = own

    def scatters(self, X: NDArray[Any], extreme: Floats, labels: Labels, full: bool) -> Floats:
        """Return what broken links add to each cluster's scatter, so that they cost less.

        ``extreme[k]`` is the difference of two rows far apart as cluster ``k`` sees them.
        """
        n_must = len(self.links.must)
        broken = ~self.links.satisfied(labels)
        n_clusters, n_features = extreme.shape
        total = np.zeros((n_clusters, n_features, n_features) if full else extreme.shape)
        i, j = self.links.must[broken[:n_must]].T
        weight = 0.5 * self.weight[:n_must][broken[:n_must]]
        for k in range(n_clusters):
            for ends in (labels[i] == k, labels[j] == k):
                total[k] += scatter_of(X[i[ends]] - X[j[ends]], full, weight[ends])
        i, j = self.links.cannot[broken[n_must:]].T
        weight = self.weight[n_must:][broken[n_must:]]
        for k in range(n_clusters):
            own = labels[i] == k
            lacking = weight[own].sum(keepdims=True)
            total[k] += scatter_of(extreme[k : k + 1], full, lacking)
            total[k] -= scatter_of(X[i[own]] - X[j[own]], full, weight[own])
        return total


def _scatters(
    X: NDArray[Any], centers: NDArray[Any], labels: Labels, full: bool, heed: Weights
) -> Floats:
    each = []
    for k, center in enumerate(centers):
        own = labels == k
        each.append(scatter_of(X[own] - center, full, None if heed is None else heed[own]))
    return np.stack(each)


def _plain_metrics(X: NDArray[Any], n_clusters: int, full: bool, heed: Weights) -> ClusterMetrics:
    """Return one metric for all, isotropic, in which rows vary by 1 per feature."""
    variance = total_variance(X, heed) / X.shape[1] or 1.0
    one = np.eye(X.shape[1]) if full else np.ones(X.shape[1])
    return ClusterMetrics(np.repeat(variance * one[None], n_clusters, axis=0))
