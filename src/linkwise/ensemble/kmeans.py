"""k-means as the ensemble needs it: a few quick steps on a small float32 sample."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwise.kernels.nearest import largest, sum_by_label

Array = NDArray[np.float32]


def half_norms(centers: Array) -> Array:
    """Return half the squared norm of each centre (over the last axis)."""
    halves: Array = 0.5 * np.square(centers).sum(axis=-1)
    return halves


def sampled_kmeans(
    X: Array, n_clusters: int, rng: np.random.Generator, n_steps: int = 10
) -> tuple[Array, NDArray[np.int32]]:
    """Run Lloyd's steps from ``n_clusters`` random rows of ``X``; return centres and labels.

    A cluster without rows is put where a row is worst served. The labels are those of the last
    assignment, before the centres moved for the last time. A cluster that kept its rows keeps its
    centre, so only the others are multiplied again: three fifths, on pictures of digits.
    """
    centers = X[draw_starts(len(X), n_clusters, rng)]
    scores = np.empty((n_clusters, len(X)), dtype=np.float32)
    best = np.empty(len(X), dtype=np.float32)
    label = np.full(len(X), -1, dtype=np.int32)
    counts = np.empty(n_clusters, dtype=np.int64)
    sums = np.empty_like(centers)
    np.matmul(centers, X.T, out=scores)
    for step in range(n_steps):
        previous = label.copy()
        largest(scores, half_norms(centers), best, label)
        moved = label != previous
        if not moved.any():
            break
        sum_by_label(X, label, sums, counts)
        filled = counts > 0
        centers[filled] = sums[filled] / counts[filled, None].astype(np.float32)
        if not filled.all():
            _reseed(X, centers, np.flatnonzero(~filled), best)
        if step < n_steps - 1:
            changed = ~filled
            changed[label[moved]] = changed[previous[moved]] = True  # -1 at first: all moved
            scores[changed] = centers[changed] @ X.T
    return centers, label


def draw_starts(n_rows: int, n_clusters: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the rows that are the first centres, increasing."""
    return np.sort(rng.choice(n_rows, n_clusters, replace=False))


def _reseed(X: Array, centers: Array, empty: NDArray[np.intp], best: Array) -> None:
    """Move empty clusters to the rows farthest from the centre they were given."""
    distance = np.square(X).sum(axis=1) - 2 * best
    farthest = np.argsort(-distance, kind="stable")[: len(empty)]
    centers[empty[: len(farthest)]] = X[farthest]
