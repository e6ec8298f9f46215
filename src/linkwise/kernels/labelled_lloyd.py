"""One k-means step over a range of rows, where a row may also pay for its labels.

Rows of the same ``kind`` pay the same; ``offsets[kind, k]`` is half of the squared norm of centre
``k`` plus half of what a row of that kind pays there. The cheapest centre of a row ``x`` is then
where ``x @ c - offset`` is largest. The lower cluster wins a tie.
"""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit

#: Rows per matrix product: their scores stay in the fastest cache.
TILE = 256


@njit()
def assign_dense(X, kind, start, stop, centers, offsets, labels, sums, counts):  # type: ignore[no-untyped-def]
    """Label the rows from ``start`` to ``stop``; add them up by cluster in ``sums``, ``counts``.

    ``labels`` is changed in place; returns how many entries changed. ``centers`` is
    (n_features, n_clusters) of the type of ``X``; ``sums`` and ``offsets`` are float64.
    """
    n_features, n_clusters = centers.shape
    scores = np.empty((TILE, n_clusters), X.dtype)
    sums[:] = 0.0
    counts[:] = 0
    changed = 0
    for first in range(start, stop, TILE):
        tile = X[first : min(first + TILE, stop)]
        np.dot(tile, centers, scores[: len(tile)])
        for i in range(len(tile)):
            offset = offsets[kind[first + i]]
            best = scores[i, 0] - offset[0]
            label = 0
            for k in range(1, n_clusters):
                score = scores[i, k] - offset[k]
                if score > best:
                    best = score
                    label = k
            changed += labels[first + i] != label
            labels[first + i] = label
            counts[label] += 1
            for f in range(n_features):
                sums[label, f] += tile[i, f]
    return changed


@njit()
def assign_sparse(data, indices, indptr, kind, start, stop, centers, offsets, labels, sums, counts):  # type: ignore[no-untyped-def]
    """Do what ``assign_dense`` does, for rows in CSR form."""
    n_clusters = centers.shape[1]
    score = np.empty(n_clusters)
    sums[:] = 0.0
    counts[:] = 0
    changed = 0
    for i in range(start, stop):
        offset = offsets[kind[i]]
        for k in range(n_clusters):
            score[k] = -offset[k]
        for entry in range(indptr[i], indptr[i + 1]):
            value, column = data[entry], centers[indices[entry]]
            for k in range(n_clusters):
                score[k] += value * column[k]
        label = 0
        for k in range(1, n_clusters):
            if score[k] > score[label]:
                label = k
        changed += labels[i] != label
        labels[i] = label
        counts[label] += 1
        for entry in range(indptr[i], indptr[i + 1]):
            sums[label, indices[entry]] += data[entry]
    return changed


@njit()
def distances_dense(X, labels, centers):  # type: ignore[no-untyped-def]
    """Return the squared distance of each row to centre ``labels[i]``, a row of ``centers``."""
    distances = np.zeros(len(X))
    for i in range(len(X)):
        for f in range(X.shape[1]):
            difference = np.float64(X[i, f]) - np.float64(centers[labels[i], f])
            distances[i] += difference * difference
    return distances


@njit()
def distances_sparse(data, indices, indptr, labels, centers):  # type: ignore[no-untyped-def]
    """Do what ``distances_dense`` does, for rows in CSR form."""
    norms = np.zeros(len(centers))
    for k in range(len(centers)):
        for f in range(centers.shape[1]):
            norms[k] += np.float64(centers[k, f]) * np.float64(centers[k, f])
    distances = np.empty(len(labels))
    for i in range(len(labels)):
        distances[i] = norms[labels[i]]
        for entry in range(indptr[i], indptr[i + 1]):
            value = np.float64(data[entry])
            distances[i] += value * (value - 2.0 * np.float64(centers[labels[i], indices[entry]]))
    return np.maximum(distances, 0.0)
