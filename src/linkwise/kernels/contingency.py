"""Counting how two labellings of the same rows meet."""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit


@njit()
def count_meetings(labels, reference, n_labels, n_reference):  # type: ignore[no-untyped-def]
    """Count rows by partition, label and reference label.

    ``labels`` is (n_partitions, n_rows), ``reference`` (n_rows,); returns int64 counts of shape
    (n_partitions, n_labels, n_reference).
    """
    n_partitions, n_rows = labels.shape
    counts = np.zeros((n_partitions, n_labels, n_reference), np.int64)
    for p in range(n_partitions):
        for i in range(n_rows):
            counts[p, labels[p, i], reference[i]] += 1
    return counts


@njit()
def count_votes(labels, n_labels):  # type: ignore[no-untyped-def]
    """Count, for every row, how many partitions give it each label: (n_rows, n_labels), int32."""
    n_partitions, n_rows = labels.shape
    votes = np.zeros((n_rows, n_labels), np.int32)
    for p in range(n_partitions):
        for i in range(n_rows):
            votes[i, labels[p, i]] += 1
    return votes
