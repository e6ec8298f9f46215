"""How often the partitions put two rows together, counted for one row against many."""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit


@njit()
def nearest_by_coassociation(points, landmarks, n_nearest, skip):  # type: ignore[no-untyped-def]
    """Return, for every point, the landmarks it shares most partitions with.

    Parameters
    ----------
    points : uint8 array of shape (n_points, n_partitions)
        Blocks of the points, one point a row.
    landmarks : uint8 array of shape (n_partitions, n_landmarks)
        Blocks of the landmarks, one partition a row, so that the count runs over whole vectors.
    n_nearest : int
        How many landmarks to keep per point.
    skip : int array of shape (n_points,)
        A landmark not to be chosen for this point (itself), or -1.

    Returns
    -------
    nearest : int64 array of shape (n_points, n_nearest)
        Positions among the landmarks, in increasing order. Ties go to the smaller position.
    counts : int64 array of the same shape
        In how many partitions the point and the landmark share a block.
    """
    n_points, n_partitions = points.shape
    n_landmarks = landmarks.shape[1]
    nearest = np.empty((n_points, n_nearest), dtype=np.int64)
    counts = np.empty((n_points, n_nearest), dtype=np.int64)
    together = np.empty(n_landmarks, dtype=np.uint16)
    few = np.empty(n_landmarks, dtype=np.uint8)
    frequency = np.empty(n_partitions + 2, dtype=np.int64)
    for i in range(n_points):
        together[:] = 0
        for first in range(0, n_partitions, 255):  # bytes add up faster than wider numbers
            few[:] = 0
            for k in range(first, min(first + 255, n_partitions)):
                block = points[i, k]
                row = landmarks[k]
                for j in range(n_landmarks):
                    few[j] += np.uint8(row[j] == block)
            for j in range(n_landmarks):
                together[j] += few[j]
        frequency[:] = 0
        for j in range(n_landmarks):
            if j != skip[i]:
                frequency[together[j]] += 1
        threshold = n_partitions
        above = 0
        while above + frequency[threshold] < n_nearest:
            above += frequency[threshold]
            threshold -= 1
        ties_left = n_nearest - above
        position = 0
        for j in range(n_landmarks):
            if j == skip[i] or together[j] < threshold:
                continue
            if together[j] == threshold:
                if ties_left == 0:
                    continue
                ties_left -= 1
            nearest[i, position] = j
            counts[i, position] = together[j]
            position += 1
    return nearest, counts
