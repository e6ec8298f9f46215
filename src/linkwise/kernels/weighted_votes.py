"""Soft labels under simplex weights, and the nearest of a few centres for each."""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit


@njit()
def nearest_center_of_votes(labels, weights, centers):  # type: ignore[no-untyped-def]
    """Return, for every row, the nearest centre to its votes and how far its first cluster leads.

    Row ``i`` has the votes ``F[c] = sum of weights[k] where labels[k, i] == c``.

    Parameters
    ----------
    labels : uint8 array of shape (n_partitions, n_rows)
        Labels below the number of clusters.
    weights : float64 array of shape (n_partitions,)
        Weight of each partition.
    centers : float64 array of shape (n_centers, n_clusters)
        Where K-means put the centres.
    """
    n_partitions, n_rows = labels.shape
    n_centers, n_clusters = centers.shape
    nearest = np.empty(n_rows, dtype=np.int32)
    leads = np.empty(n_rows, dtype=np.float32)
    block = 512
    votes = np.empty((block, n_clusters))
    for start in range(0, n_rows, block):
        size = min(block, n_rows - start)
        votes[:] = 0.0
        for k in range(n_partitions):
            for i in range(size):
                votes[i, labels[k, start + i]] += weights[k]
        for i in range(size):
            best, least = 0, np.inf
            for k in range(n_centers):
                distance = 0.0
                for c in range(n_clusters):
                    gap = votes[i, c] - centers[k, c]
                    distance += gap * gap
                if distance < least:
                    best, least = k, distance
            first, second = -np.inf, -np.inf
            for c in range(n_clusters):
                if votes[i, c] > first:
                    first, second = votes[i, c], first
                elif votes[i, c] > second:
                    second = votes[i, c]
            nearest[start + i] = best
            leads[start + i] = first - second if n_clusters > 1 else first
    return nearest, leads


@njit()
def add_entries(entries, entry):  # type: ignore[no-untyped-def]
    """Return the sum of the entries that each row has, one in every partition.

    Parameters
    ----------
    entries : float64 array of shape (n_entries, n_numbers)
        What there is to add up.
    entry : int64 array of shape (n_partitions, n_rows)
        Which of them each row has.
    """
    n_partitions, n_rows = entry.shape
    total = np.zeros((n_rows, entries.shape[1]))
    block = 256
    for start in range(0, n_rows, block):  # their sums stay in the cache
        stop = min(start + block, n_rows)
        for k in range(n_partitions):
            for i in range(start, stop):
                number = entry[k, i]
                for c in range(entries.shape[1]):
                    total[i, c] += entries[number, c]
    return total
