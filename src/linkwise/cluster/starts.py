"""Where k-means begins: known centres first, the missing ones by k-means++."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.metrics.pairwise import euclidean_distances

from linkwise.constraints import Links, PartialLabels
from linkwise.typing import Matrix

Floats = NDArray[np.floating[Any]]
#: One for each row, or None: all count alike.
Weights = NDArray[np.float64] | None


def complete_centers(
    X: Matrix,
    known: Floats,
    n_clusters: int,
    rng: np.random.RandomState,
    weights: Weights = None,
) -> Floats:
    """Return ``known`` followed by as many k-means++ centres as are missing.

    With none known this is scikit-learn's k-means++. Otherwise each missing centre is the best of
    several rows drawn with probability proportional to the squared distance to the nearest centre,
    times the row's weight.
    """
    if len(known) == 0:
        centers, _ = kmeans_plusplus(X, n_clusters, sample_weight=weights, random_state=rng)
        return np.asarray(centers)
    centers = known
    heed = 1.0 if weights is None else weights.astype(X.dtype)
    closest = heed * euclidean_distances(X, centers, squared=True).min(axis=1)
    n_trials = 2 + int(np.log(n_clusters))
    while len(centers) < n_clusters:
        total = closest.sum(dtype=np.float64)
        if total > 0:
            drawn = np.searchsorted(
                np.cumsum(closest, dtype=np.float64), rng.rand(n_trials) * total
            )
            drawn = np.minimum(drawn, X.shape[0] - 1)
        else:  # every row sits on a centre already: any row is as good
            drawn = rng.randint(X.shape[0], size=1)
        distances = heed * euclidean_distances(_rows(X, drawn), X, squared=True)
        distances = np.minimum(closest, distances)
        best = distances.sum(axis=1).argmin()
        closest = distances[best]
        centers = np.vstack([centers, _rows(X, drawn[best : best + 1])])
    return np.asarray(centers)


def class_means(X: Matrix, labels: PartialLabels, weights: Weights = None) -> Floats:
    """Return the mean row of each class that is named, in the order of ``labels.classes``.

    In a class of which no row counts all count alike.
    """
    n_classes = len(labels.classes)
    rows = np.flatnonzero(labels.known)
    codes = labels.codes[rows]
    heed = np.ones(len(rows)) if weights is None else weights[rows]
    heed = np.where(np.bincount(codes, heed, n_classes)[codes] > 0, heed, 1.0)
    share = heed / np.bincount(codes, heed, n_classes)[codes]
    share = sp.csr_array((share, (codes, rows)), (n_classes, X.shape[0]))
    means = share @ X
    dense = means.toarray() if sp.issparse(means) else np.asarray(means)
    return np.asarray(dense, dtype=X.dtype)


def neighbourhood_means(
    X: Matrix, links: Links, n_clusters: int, weights: Weights = None
) -> Floats:
    """Return the means of up to ``n_clusters`` must-link components, large and far apart.

    The largest component comes first; each next one maximises its size, or weight, times the
    squared distance to the nearest mean chosen so far (weighted farthest-first).
    """
    component = links.components()
    sizes = np.bincount(component, minlength=1)
    ids = np.flatnonzero(sizes >= 2)
    if len(ids) == 0:
        return np.empty((0, X.shape[1]), dtype=X.dtype)
    codes = np.full(len(sizes), -1)
    codes[ids] = np.arange(len(ids))
    means = class_means(X, PartialLabels(codes[component]), weights)
    weight = np.bincount(component, weights, len(sizes))[ids].astype(np.float64)
    chosen = [int(weight.argmax())]
    closest = np.full(len(ids), np.inf)
    while len(chosen) < min(n_clusters, len(ids)):
        newest = euclidean_distances(means, means[chosen[-1:]], squared=True)[:, 0]
        closest = np.minimum(closest, newest)
        closest[chosen] = -1.0
        chosen.append(int((weight * closest).argmax()))
    return np.asarray(means[chosen])


def _rows(X: Matrix, index: NDArray[np.integer[Any]]) -> Floats:
    rows = X[index]
    return rows.toarray() if sp.issparse(rows) else np.asarray(rows)


def restart_empty(
    X: Matrix, centers: Floats, counts: NDArray[Any], weights: Weights = None
) -> None:
    """Move the centre of every empty cluster, in place, to one of the rows farthest from theirs."""
    empty = np.flatnonzero(counts == 0)
    if len(empty) == 0:
        return
    filled = np.flatnonzero(counts)
    _, distance = pairwise_distances_argmin_min(X, centers[filled])
    distance = distance if weights is None else distance * np.sqrt(weights)
    farthest = np.argsort(-distance, kind="stable")[: len(empty)]
    centers[empty] = _rows(X, farthest)
