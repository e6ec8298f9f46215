r"""How landmarks vote on all other rows: a ridge regression of what they are on their blocks.

The votes for row :math:`i` are the sum of a table entry a partition, :math:`\sum_k T_{k, L_{ki}}`.
Of all tables, those are taken that reproduce the landmarks' memberships :math:`P` up to noise and
are smallest,

.. math:: T_{kb} = \frac{1}{m} \sum_{i \in b} A_i, \qquad A = (K + \nu I)^{-1} (P - 1/r),

where :math:`K_{ij}` is the share of the :math:`m` partitions in which two landmarks share a block.
Plain means of the blocks would count what a crowd of landmarks says once for each of them, and blur
the borders between clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import lapack

from linkwise.cluster.consensus import block_members
from linkwise.kernels.weighted_votes import add_entries

Floats = NDArray[np.float64]

#: Variance of what landmarks are wrong about themselves, where that of the votes is one.
NOISE = 0.5


def share_votes(counted: Floats) -> Floats:
    """Return counted votes as shares of the clusters; less than none is none."""
    given = np.maximum(counted, 0.0)
    total = given.sum(axis=-1, keepdims=True)
    return np.asarray(given / np.maximum(total, np.finfo(float).tiny))


class Seen(NamedTuple):
    """Rows, by their blocks.

    ``holds`` (n_entries, n_landmarks) tells which landmarks are in each block that has one of the
    rows, ``entry`` (n_partitions, n_rows) which of these blocks each row is in.
    """

    holds: sp.csr_array
    entry: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Voters:
    """The landmarks, by their blocks; the work of the regression is done once.

    ``blocks`` (n_partitions, n_landmarks) are their blocks, ``n_blocks`` how many a partition has.
    """

    blocks: NDArray[np.uint8]
    n_blocks: int

    @cached_property
    def _holds(self) -> sp.csr_array:
        return block_members(self.blocks, self.n_blocks)

    @cached_property
    def _inverse(self) -> NDArray[np.float32]:
        shared = (self._holds.T @ self._holds).toarray() / len(self.blocks)
        shared[np.diag_indices_from(shared)] += NOISE
        factor, _ = lapack.dpotrf(shared, lower=True)
        lower = np.tril(lapack.dpotri(factor, lower=True, overwrite_c=True)[0])
        return np.asarray(lower + np.tril(lower, -1).T, dtype=np.float32)

    def _pulls(self, memberships: Floats) -> Floats:
        centred = (memberships - 1.0 / memberships.shape[-1]).astype(np.float32)
        pulls = self._inverse @ centred.reshape(len(centred), -1)
        return np.asarray(pulls, dtype=np.float64).reshape(memberships.shape)

    def tables(self, memberships: Floats) -> Floats:
        """Return the votes that each block of each partition gives to each cluster.

        Sums over the partitions, divided by their number, are near the memberships
        (n_landmarks, n_clusters), and sum to 1.
        """
        r = memberships.shape[1]
        tables = np.asarray(self._holds @ self._pulls(memberships)) + 1.0 / r
        return np.asarray(tables.reshape(len(self.blocks), self.n_blocks, r))

    def see(self, blocks: NDArray[np.uint8]) -> Seen:
        """Look up the blocks (n_partitions, n_rows) of rows that landmarks will vote on."""
        entry = blocks + self.n_blocks * np.arange(len(blocks))[:, None]
        is_met = np.zeros(self._holds.shape[0], dtype=bool)
        is_met[entry] = True
        return Seen(self._holds[is_met], (np.cumsum(is_met) - 1)[entry])

    def votes(self, memberships: Floats, seen: Seen) -> tuple[Floats, Floats]:
        """Return the share of votes of each cluster, for the landmarks and for rows seen.

        ``memberships`` (n_landmarks, ..., n_clusters) may be several, which are then done at once.
        """
        shape, r = memberships.shape, memberships.shape[-1]
        pulls = self._pulls(memberships)
        entries = np.asarray(seen.holds @ pulls.reshape(len(pulls), -1))
        counted = add_entries(entries, seen.entry).reshape(-1, *shape[1:]) / len(self.blocks)
        return self._shares(memberships, pulls), share_votes(counted + 1.0 / r)

    def votes_on_themselves(self, memberships: Floats) -> Floats:
        """Return the share of votes of each cluster for the landmarks alone."""
        return self._shares(memberships, self._pulls(memberships))

    def _shares(self, memberships: Floats, pulls: Floats) -> Floats:
        """Return the landmarks' own votes, which need not be counted."""
        return share_votes(memberships - NOISE * pulls)
