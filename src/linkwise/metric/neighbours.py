"""Which rows of its group are nearest to a row, in pieces that fit in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: Distances held in memory at a time.
BLOCK = 4_000_000


def nearest_of_group(rows: Floats, group: Ints, n_neighbors: int) -> Ints:
    """Return the pairs of a row and one of its nearest in its group, sorted by the first."""
    pairs = [np.empty((0, 2), dtype=np.int64)]
    order = np.argsort(group, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        n_each = min(n_neighbors, len(members) - 1)
        for part in blocks(len(members), len(members)) if n_each > 0 else ():
            squared = squared_distances(rows[members[part]], rows[members])
            squared[np.arange(len(squared)), np.arange(len(members))[part]] = np.inf
            mates = members[np.argsort(squared, axis=1, kind="stable")[:, :n_each]]
            pairs.append(np.column_stack((np.repeat(members[part], n_each), mates.ravel())))
    found = np.concatenate(pairs)
    return found[np.argsort(found[:, 0], kind="stable")]


def squared_distances(some: Floats, rows: Floats) -> Floats:
    """Return the squared distances of some rows to all."""
    squared = np.square(some).sum(axis=1)[:, None] + np.square(rows).sum(axis=1)
    squared -= 2.0 * some @ rows.T
    return np.asarray(np.maximum(squared, 0.0))


def blocks(n_rows: int, width: int) -> list[slice]:
    """Cut rows into pieces of which ``BLOCK`` numbers fit in memory."""
    size = max(1, BLOCK // max(width, 1))
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]
