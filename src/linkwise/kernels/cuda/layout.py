"""How tables and rows are laid out for the GPU, and how far its rounding can move a score.

This module needs no GPU: the emulation uses it, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

GROUP = 4  # partitions whose tables are looked up at once
STAGES = 2  # groups that are in shared memory: one in use, one on its way
ENTRY = 16  # bytes for one label of one partition
MOST_CLUSTERS = 16  # in one entry
ROWS = 16  # that one thread takes: as many as their sums fit in its registers

#: Rounding to half precision: relative, and absolute where a value is very small.
HALF = 2.0**-11
TINY_HALF = 2.0**-25
#: One rounding in single precision.
SINGLE = 2.0**-24
#: Centres are rounded to half precision only up to here.
LARGEST_HALF = 60000.0


@dataclass(frozen=True)
class Words:
    """How the clusters of one pass share the four words of an entry.

    ``dense`` words come first and hold four clusters, a byte each. ``wide`` words hold two, each
    with a byte to spare, so that sums of them need not be taken apart.
    """

    dense: int
    wide: int

    @classmethod
    def of(cls, n_clusters: int) -> Words:
        """Return the words for up to 16 clusters, as many wide ones as possible.

        Examples
        --------
        >>> Words.of(10), Words.of(8), Words.of(16)
        (Words(dense=1, wide=3), Words(dense=0, wide=4), Words(dense=4, wide=0))
        """
        if n_clusters <= 8:
            return cls(0, -(-n_clusters // 2))
        dense = -(-(n_clusters - 8) // 2)
        return cls(dense, 4 - dense)

    @property
    def n_clusters(self) -> int:
        return 4 * self.dense + 2 * self.wide

    def bytes(self) -> NDArray[np.intp]:
        """Return the byte of an entry that each cluster has."""
        dense = np.arange(4 * self.dense)
        wide = 4 * self.dense + 2 * np.arange(2 * self.wide)
        return np.concatenate([dense, wide])


def passes(n_clusters: int) -> list[tuple[int, int]]:
    """Cut the clusters into passes over the rows: (first, number), about equally large.

    Examples
    --------
    >>> passes(10), passes(20)
    ([(0, 10)], [(0, 10), (10, 10)])
    """
    n_passes = -(-n_clusters // MOST_CLUSTERS)
    size = -(-n_clusters // n_passes)
    return [(low, min(size, n_clusters - low)) for low in range(0, n_clusters, size)]


def lay_out(entries: NDArray[np.uint8], words: Words, n_labels: int) -> NDArray[np.uint8]:
    """Return entries (n_partitions, any, any) as (whole groups, n_labels, ENTRY), with zeros.

    ``words`` says where the clusters go.
    """
    n_partitions, known, n_clusters = entries.shape
    table = np.zeros((-(-n_partitions // GROUP) * GROUP, n_labels, ENTRY), np.uint8)
    table[:n_partitions, :known, words.bytes()[:n_clusters]] = entries
    return table


def in_groups(partitions: NDArray[np.intp]) -> NDArray[np.int32]:
    """Return partition numbers in whole groups; what is filled up has entries of zero."""
    n_groups = -(-len(partitions) // GROUP)
    padded = np.zeros(n_groups * GROUP, np.int32)
    padded[: len(partitions)] = partitions
    return padded


def share_rows(n_rows: int, n_processors: int, threads: int) -> tuple[int, int]:
    """Return the number of blocks and the rows of each: all processors are busy to the end.

    Examples
    --------
    >>> share_rows(8_100_000, 132, 512)
    (1055, 7680)
    """
    turns = -(-n_rows // (n_processors * ROWS * threads))
    unit = 32 * ROWS
    each = -(-n_rows // (turns * n_processors * unit)) * unit
    return -(-n_rows // each), each


def half_bounds(
    centers: NDArray[np.float32], n_features: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bound how far half precision moves the difference of two scores of one partition.

    The bound for a row of length ``|x|`` is ``slope[p] * |x| + start[p]``; ``centers`` is
    (n_partitions, n_blocks, n_used). Rounding the factors moves a product by at most
    ``(2 u + u^2) |x| |c|`` plus what very small values lose; adding up ``n`` products in single
    precision moves it by ``n e |x| |c|`` here, and once more where rows are recounted. Two scores
    are compared, so everything counts twice. Where half precision cannot hold a centre the bound is
    infinite.
    """
    wide = centers.astype(np.float64)
    length = np.sqrt(np.square(wide).sum(axis=2)).max(axis=1)
    lost = TINY_HALF * np.sqrt(n_features)
    adding = 2 * (n_features + 2) * SINGLE
    slope = 2 * (length * (2 * HALF + HALF**2 + adding) + lost * (1 + HALF))
    start = 2 * (length * lost * (1 + HALF) + lost**2 + 4 * SINGLE * np.square(length))
    out_of_reach = np.abs(wide).max(axis=(1, 2)) > LARGEST_HALF
    start[out_of_reach] = np.inf
    slack = 1 + 2.0**-10  # lengths and bounds are themselves rounded to single precision
    return slope * slack, start * slack
