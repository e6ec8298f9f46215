"""Lloyd's k-means on few rows, from given labels, and the labels that centres give."""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit


@njit(fastmath={"reassoc", "contract", "nsz"})  # sums in vectors
def lloyd(X, labels, n_clusters, max_iter):  # type: ignore[no-untyped-def]
    """Run k-means from ``labels`` until nothing moves; return the labels and the sum of squares.

    An empty cluster restarts at the row farthest from its centre. Rows are float64, so the result
    does not depend on a BLAS.
    """
    n, d = X.shape
    labels = labels.copy()
    centers = np.zeros((n_clusters, d))
    sizes = np.zeros(n_clusters, dtype=np.int64)
    distance = np.zeros(n)
    inertia = np.inf
    for _ in range(max_iter):
        centers[:] = 0.0
        sizes[:] = 0
        for i in range(n):
            sizes[labels[i]] += 1
            for f in range(d):
                centers[labels[i], f] += X[i, f]
        for k in range(n_clusters):
            if sizes[k] == 0:
                far = distance.argmax()
                for f in range(d):
                    centers[k, f] = X[far, f]
                distance[far] = -1.0
            else:
                centers[k] /= sizes[k]
        moved = False
        inertia = 0.0
        for i in range(n):
            best, least = 0, np.inf
            for k in range(n_clusters):
                total = 0.0
                for f in range(d):
                    gap = X[i, f] - centers[k, f]
                    total += gap * gap
                if total < least:
                    best, least = k, total
            if best != labels[i]:
                labels[i] = best
                moved = True
            distance[i] = least
            inertia += least
        if not moved:
            break
    return labels, inertia


@njit(fastmath={"reassoc", "contract", "nsz"})
def nearest_center(X, centers):  # type: ignore[no-untyped-def]
    """Return for each row the number of its nearest centre, the first of two."""
    n, d = X.shape
    labels = np.empty(n, dtype=np.int64)
    for i in range(n):
        least = np.inf
        for k in range(len(centers)):
            total = 0.0
            for f in range(d):
                gap = X[i, f] - centers[k, f]
                total += gap * gap
            if total < least:
                labels[i], least = k, total
    return labels
