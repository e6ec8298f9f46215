"""Nearest centres: the inner loops of k-means and of labelling rows.

The distance from a row ``x`` to a centre ``c`` is smallest where ``c @ x - c @ c / 2`` is
largest, so one matrix product and one running maximum give the label.
"""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit


@njit()
def largest(scores, offsets, best, label):  # type: ignore[no-untyped-def]
    """For every column of ``scores`` find the row with the largest ``scores - offsets``.

    ``scores`` (n_centers, n_columns) and ``offsets`` (n_centers,) are float32; the maxima go to
    ``best`` (float32) and their rows to ``label`` (int32). The lower row wins a tie.
    """
    n_centers, n_columns = scores.shape
    for i in range(n_columns):
        best[i] = scores[0, i] - offsets[0]
        label[i] = 0
    for k in range(1, n_centers):
        offset = offsets[k]
        for i in range(n_columns):  # no branch, so that it compiles to vector instructions
            value = scores[k, i] - offset
            larger = value > best[i]
            best[i] = value if larger else best[i]
            label[i] = k if larger else label[i]


@njit()
def label_tile(tile, centers, offsets, features, labels):  # type: ignore[no-untyped-def]
    """Label the columns of ``tile`` for every partition.

    ``tile`` (n_features, width) holds one row of the data per column, ``centers``
    (n_partitions, n_centers, n_used) and ``offsets`` (n_partitions, n_centers) the partitions,
    ``features`` (n_partitions, n_used) the features each looks at. Labels are written to
    ``labels`` (n_partitions, width), uint8.
    """
    n_partitions, n_centers, n_used = centers.shape
    width = tile.shape[1]
    part = np.empty((n_used, width), np.float32)
    scores = np.empty((n_centers, width), np.float32)
    best = np.empty(width, np.float32)
    label = np.empty(width, np.int32)
    for p in range(n_partitions):
        for j in range(n_used):
            seen, kept = tile[features[p, j]], part[j]
            for i in range(width):  # which compiles to vector instructions, six times as fast
                kept[i] = seen[i]
        np.dot(centers[p], part, scores)
        largest(scores, offsets[p], best, label)
        for i in range(width):
            labels[p, i] = label[i]


@njit()
def sum_by_label(X, label, sums, counts):  # type: ignore[no-untyped-def]
    """Add the rows of ``X`` with label ``k`` into ``sums[k]`` and count them in ``counts[k]``."""
    sums[:] = 0
    counts[:] = 0
    for i in range(len(X)):
        k = label[i]
        counts[k] += 1
        for j in range(X.shape[1]):
            sums[k, j] += X[i, j]
