"""What a strategy sees: the landmarks, how they vote, and what is known about pairs of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from linkwise.cluster.sequential.ask import lead
from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.constraints import Links
from linkwise.constraints.known_pairs import KnownPairs

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]

#: Directions in which landmarks are told apart.
N_DIRECTIONS = 32


@dataclass(frozen=True, eq=False)
class Situation:
    """A clustering in the middle of being asked about.

    Attributes
    ----------
    rows : int64 array of shape (n_landmarks,)
        Row numbers of the landmarks; strategies speak of landmarks by position.
    blocks : uint8 array of shape (n_partitions, n_landmarks)
        Their blocks in each partition.
    labels : int64 array of shape (n_landmarks,)
        Their clusters.
    votes : float64 array of shape (n_landmarks, n_clusters)
        Their shares of votes.
    order : int64 array of shape (n_landmarks,)
        A random order of the landmarks that stays the same.
    links : Links
        What is known, names included, about the landmarks only.

    Examples
    --------
    >>> import linkwise as lw
    >>> model = lw.SequentialClustering(2, n_partitions=9, random_state=0)
    >>> situation = Situation.of(model.fit([[0.0], [1.0], [8.0], [9.0]]))
    >>> situation.votes.shape
    (4, 2)
    """

    rows: Ints
    blocks: NDArray[np.uint8]
    labels: Ints
    votes: Floats
    order: Ints
    links: Links

    @classmethod
    def of(cls, model: SequentialClustering) -> Situation:
        """Look at a fitted model."""
        landmarks = model.landmarks_
        asked = ~np.isin(landmarks.rows, model.left_out_)  # not those that belong nowhere
        rows = landmarks.rows[asked]
        return cls(
            rows=rows,
            blocks=np.ascontiguousarray(model.ensemble_.labels.rows(rows).T),
            labels=landmarks.labels[asked],
            votes=model.votes(rows),
            order=np.random.default_rng(0).permutation(len(rows)),
            links=model.links_[rows] | model.named_[rows].to_links(),
        )

    @property
    def n_landmarks(self) -> int:
        return len(self.rows)

    @property
    def n_clusters(self) -> int:
        return int(self.votes.shape[1])

    @cached_property
    def margin(self) -> Floats:
        """Lead of each landmark's first cluster over its second."""
        return lead(self.votes)

    @cached_property
    def known(self) -> KnownPairs:
        """Tells whether the answers already say how landmarks ``a`` and ``b`` stand."""
        return KnownPairs(self.links)

    @property
    def group(self) -> Ints:
        """Must-link component of each landmark."""
        return self.known.group

    def together(self, some: Ints, others: Ints) -> Floats:
        """Return the share of partitions in which landmarks share a block, (some, others)."""
        count = np.zeros((len(some), len(others)), dtype=np.uint16)
        for row in self.blocks:
            count += row[some][:, None] == row[others]
        return count / len(self.blocks)

    def places(self, some: Ints) -> Floats:
        """Return places of landmarks, near each other where they often share a block.

        Squared distances are twice the share of partitions that part them, as well as a few
        directions can show it.
        """
        n = len(some)
        first = max(n - N_DIRECTIONS, 0)
        values, vectors = eigh(self.together(some, some), subset_by_index=[first, n - 1])
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def as_pairs(chosen: list[tuple[int, int]]) -> Pairs:
    """Return a list of pairs as an array, also if there is none."""
    return np.array(chosen, dtype=np.int64).reshape(-1, 2)
