"""Merge the two nearest clusters, again and again, never two that must not be together."""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit


@njit()
def merge_nearest(D, sizes, ward, n_left):  # type: ignore[no-untyped-def]
    """Merge clusters until ``n_left`` are left or no two may be merged.

    Parameters
    ----------
    D : float64 array of shape (n, n)
        Symmetric distances, for Ward's linkage squared; infinite on the diagonal and between
        clusters that must not be together, which it stays for all that they become part of.
        Overwritten.
    sizes : float64 array of shape (n,)
        Rows of each cluster; overwritten.
    ward : bool
        Ward's linkage or the average of distances.
    n_left : int
        Clusters to stop at.

    Returns
    -------
    pairs : int64 array of shape (n_merges, 2)
        Clusters merged, the one that lives on first, which is the lower.
    heights : float64 array of shape (n_merges,)
        Their distances.
    """
    n = len(D)
    pairs = np.empty((max(n - n_left, 0), 2), dtype=np.int64)
    heights = np.empty(len(pairs))
    alive = np.ones(n, dtype=np.bool_)
    nearest = np.zeros(n, dtype=np.int64)
    distance = np.full(n, np.inf)
    for i in range(n):
        nearest[i], distance[i] = _nearest_after(D, alive, i)
    for merge in range(len(pairs)):
        a = distance.argmin()
        while distance[a] < np.inf and not (alive[nearest[a]] and D[a, nearest[a]] == distance[a]):
            nearest[a], distance[a] = _nearest_after(D, alive, a)  # merges only moved it away
            a = distance.argmin()
        if distance[a] == np.inf:
            return pairs[:merge], heights[:merge]
        b = nearest[a]
        apart = D[a, b]
        pairs[merge, 0], pairs[merge, 1], heights[merge] = a, b, apart
        alive[b], distance[b] = False, np.inf
        for c in range(n):
            if alive[c] and c != a:
                if ward:
                    total = sizes[a] + sizes[b] + sizes[c]
                    new = (
                        (sizes[a] + sizes[c]) * D[a, c]
                        + (sizes[b] + sizes[c]) * D[b, c]
                        - sizes[c] * apart
                    ) / total
                else:
                    new = (sizes[a] * D[a, c] + sizes[b] * D[b, c]) / (sizes[a] + sizes[b])
                D[a, c] = D[c, a] = new
        sizes[a] += sizes[b]
        nearest[a], distance[a] = _nearest_after(D, alive, a)
        for c in range(a):
            if alive[c] and D[c, a] < distance[c]:
                nearest[c], distance[c] = a, D[c, a]
    return pairs, heights


@njit()
def _nearest_after(D, alive, i):  # type: ignore[no-untyped-def]
    """Return the nearest of the clusters after ``i``, and its distance."""
    best, least = i, np.inf
    for j in range(i + 1, len(D)):
        if alive[j] and D[i, j] < least:
            best, least = j, D[i, j]
    return best, least
