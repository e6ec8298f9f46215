"""What follows for rows from their labels alone: done wherever the labels are, part by part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.sequential.voters import Floats, share_votes
from linkwise.ensemble import LabelMatrix
from linkwise.kernels.vote.vote import scores

#: Rows whose votes are counted at once.
_CHUNK = 100_000


def shares_of_votes(blocks: NDArray[np.uint8], tables: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the votes of rows as shares of the clusters that sum to 1, (n_rows, n_clusters)."""
    shares = np.empty((blocks.shape[1], tables.shape[2]), dtype=np.float32)
    for start in range(0, len(shares), _CHUNK):
        part = scores(np.ascontiguousarray(blocks[:, start : start + _CHUNK]), tables)
        shares[start : start + _CHUNK] = share_votes(part)
    return shares


def votes_on(rows: NDArray[np.int64], labels: LabelMatrix, tables: NDArray[np.float64]) -> Floats:
    """Return the votes of some rows as shares of the clusters, (n_rows, n_clusters)."""
    parts = [np.empty((0, tables.shape[2]))]
    for start in range(0, len(rows), _CHUNK):
        blocks = np.ascontiguousarray(labels.rows(rows[start : start + _CHUNK]).T)
        parts.append(share_votes(scores(blocks, tables)))
    return np.concatenate(parts)


def block_sizes(blocks: NDArray[np.uint8], n_blocks: int) -> NDArray[np.int64]:
    """Return how many rows each block of each partition has, (n_partitions, n_blocks)."""
    return np.array([np.bincount(block, minlength=n_blocks) for block in blocks], dtype=np.int64)


def company(blocks: NDArray[np.uint8], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each row the sum of what its blocks weigh, one in every partition."""
    found = np.zeros(blocks.shape[1])
    for block, weight in zip(blocks, weights, strict=True):
        found += weight[block]
    return found
