"""The history of merges: which clusters are left, and the tree in SciPy's form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class MergeTree:
    """Clusters that are merged two at a time.

    Examples
    --------
    >>> tree = MergeTree(3)
    >>> tree.merge(0, 2, 1.5)
    >>> tree.labels().tolist()
    [0, 1, 0]
    >>> tree.merge(0, 1, 4.0)
    >>> tree.linkage_matrix().tolist()
    [[0.0, 2.0, 1.5, 2.0], [1.0, 3.0, 4.0, 3.0]]
    """

    def __init__(self, n_rows: int) -> None:
        self._part_of = np.arange(n_rows)
        self._node = np.arange(n_rows)
        self._size = np.ones(n_rows, dtype=np.int64)
        self._merges: list[tuple[int, int, float, int]] = []
        self._height = 0.0

    @property
    def n_clusters(self) -> int:
        """Clusters that are left."""
        return len(self._part_of) - len(self._merges)

    def merge(self, a: int, b: int, height: float) -> None:
        """Merge the clusters of rows ``a`` and ``b``.

        Heights never fall: one lower than an earlier one is written as that.
        """
        a, b = self._root(a), self._root(b)
        self._height = max(self._height, height)
        self._part_of[b] = a
        self._size[a] += self._size[b]
        low, high = sorted((int(self._node[a]), int(self._node[b])))
        self._merges.append((low, high, self._height, int(self._size[a])))
        self._node[a] = len(self._part_of) + len(self._merges) - 1

    def labels(self) -> Ints:
        """Return the cluster of each row, numbered from 0 by first appearance."""
        roots = [self._root(row) for row in range(len(self._part_of))]
        _, first, label = np.unique(roots, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return rank[label.reshape(-1)]

    def linkage_matrix(self) -> Floats:
        """Return one line per merge: the two clusters, the height, the rows in both."""
        return np.array(self._merges, dtype=np.float64).reshape(-1, 4)

    def _root(self, row: int) -> int:
        while self._part_of[row] != row:
            self._part_of[row] = self._part_of[self._part_of[row]]
            row = int(self._part_of[row])
        return int(row)
