"""Where k-means with labels begins: first centres, and the rows whose labels go with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import AgglomerativeClustering, kmeans_plusplus

from linkwise.cluster.starts import Weights, class_means, complete_centers
from linkwise.constraints import PartialLabels
from linkwise.typing import Matrix, is_csr

Floats = NDArray[np.floating[Any]]
#: Centres, and the cluster of each row whose labels make the first mixtures, -1 for the others.
Start = tuple[Floats, NDArray[np.integer[Any]]]


def labelled_starts(
    X: Matrix,
    labels: PartialLabels,
    init: str | ArrayLike,
    n_clusters: int,
    n_starts: int,
    rng: np.random.RandomState,
    weights: Weights = None,
) -> Iterator[Start]:
    """Yield ``n_starts`` pairs of centres and seed, but only one where no chance is involved."""
    nobody = np.full(X.shape[0], -1, dtype=np.int64)
    if not isinstance(init, str):
        yield np.array(init, dtype=X.dtype), nobody
        return
    for _ in range(n_starts):
        if init == "seeded":
            yield seeded_start(X, labels, n_clusters, rng, weights)
            if len(labels.classes) >= n_clusters:
                return
        else:
            rows = _draw_rows(X, init, n_clusters, rng, weights)
            seed = nobody.copy()
            seed[rows] = np.arange(n_clusters)
            yield _dense(X[rows]), seed


def seeded_start(
    X: Matrix,
    labels: PartialLabels,
    n_clusters: int,
    rng: np.random.RandomState,
    weights: Weights = None,
) -> Start:
    """Return the class means, completed by k-means++; near classes share a cluster if too many."""
    seed = labels.codes
    if len(labels.classes) > n_clusters:
        together = AgglomerativeClustering(n_clusters).fit(class_means(X, labels, weights))
        seed = np.where(labels.known, together.labels_[seed], -1)
    known = class_means(X, PartialLabels(seed), weights)
    return complete_centers(X, known, n_clusters, rng, weights), seed


def _draw_rows(
    X: Matrix, init: str, n_clusters: int, rng: np.random.RandomState, weights: Weights
) -> NDArray[np.integer[Any]]:
    if init != "random":
        drawn = kmeans_plusplus(X, n_clusters, sample_weight=weights, random_state=rng)
        return np.asarray(drawn[1])
    if weights is None or (weights == weights[0]).all():
        return rng.choice(X.shape[0], n_clusters, replace=False)
    # Whose exponential clock rings first: drawn in proportion, without putting back, and rows that
    # do not count only where too few others are left.
    with np.errstate(divide="ignore"):
        return np.argsort(rng.exponential(size=len(weights)) / weights)[:n_clusters]


def _dense(rows: Matrix) -> Floats:
    return rows.toarray() if is_csr(rows) else np.asarray(rows)
