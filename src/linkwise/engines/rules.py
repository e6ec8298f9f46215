"""The rules there are by which the labels of a row decide its cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwise.engines.base import Blocks, Votes
from linkwise.kernels.vote.vote import vote, vote_weights
from linkwise.kernels.weighted_votes import nearest_center_of_votes
from linkwise.threads import Team, count_threads

#: Rows that one thread takes at a time.
_CHUNK = 1 << 18


@dataclass(frozen=True, eq=False)
class ByTables:
    """The largest sum of ``tables[k, label in partition k]``; margins are a share of the votes.

    ``tables`` is (n_partitions, n_blocks, n_clusters), float64.
    """

    tables: NDArray[np.float64]

    @property
    def n_clusters(self) -> int:
        return int(self.tables.shape[2])

    def count(self, blocks: Blocks, n_threads: int | None = None) -> Votes:
        labels, margins = vote(blocks, self.tables, n_threads=n_threads)
        return Votes(labels, margins / np.float32(len(self.tables)))


@dataclass(frozen=True, eq=False)
class ByWeights:
    """The largest sum of the weights of the partitions that name a cluster."""

    weights: NDArray[np.float64]
    n_clusters: int

    def count(self, blocks: Blocks, n_threads: int | None = None) -> Votes:
        return Votes(*vote_weights(blocks, self.weights, self.n_clusters, n_threads=n_threads))


@dataclass(frozen=True, eq=False)
class ByNearestCenter:
    """The centre nearest to a row's weighted votes, (n_clusters, n_clusters)."""

    weights: NDArray[np.float64]
    centers: NDArray[np.float64]

    @property
    def n_clusters(self) -> int:
        return len(self.centers)

    def count(self, blocks: Blocks, n_threads: int | None = None) -> Votes:
        starts = range(0, blocks.shape[1], _CHUNK)

        def count(part: int) -> Votes:
            rows = slice(starts[part], starts[part] + _CHUNK)
            return Votes(*nearest_center_of_votes(blocks[:, rows], self.weights, self.centers))

        with Team(count_threads(n_threads)) as team:
            parts = team.each(count, len(starts))
        return Votes(*(np.concatenate(found) for found in zip(*parts, strict=True)))
