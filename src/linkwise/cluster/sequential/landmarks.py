"""What the ensemble says without any answer: a graph of landmarks, its directions, a start.

Everything here is computed once, in ``fit``. Answers later act on the few hundred smooth directions
only, which is why their cost does not depend on the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.cluster.consensus import (
    N_LANDMARKS,
    N_NEAREST,
    best_kmeans,
    landmark_features,
    side_by_side,
    smooth_directions,
)
from linkwise.cluster.consensus import one_hot as one_hot
from linkwise.cluster.consensus import scaled as scaled
from linkwise.cluster.consensus import unit_rows as unit_rows
from linkwise.cluster.sequential.traits import Traits
from linkwise.cluster.sequential.voters import Voters
from linkwise.ensemble import LabelMatrix, RowSource
from linkwise.errors import InvalidInput
from linkwise.kernels.coassociation import nearest_by_coassociation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: How far the graph carries: the share of each step of a walk that goes on.
SMOOTHING = 0.9
_N_INIT = 20


class Clusters(NamedTuple):
    """Clusters of the landmarks without answers, and the order in which these are drawn then."""

    labels: Ints
    order: Ints


def draws_of(rng: np.random.RandomState) -> NDArray[np.uint32]:
    """Return the state of a generator as an array that can be stored."""
    _, keys, position, *_ = rng.get_state(legacy=True)
    return np.append(keys, np.uint32(position))


def checked_draws(draws: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the state of a generator that was read from a file, if it is one."""
    if draws.shape != (625,) or draws[-1] > 624:
        raise InvalidInput("the model's generator is not one: _count.draws is damaged.")
    return np.asarray(draws, dtype=np.uint32)


@dataclass(frozen=True, eq=False)
class Basis:
    """Landmarks, and the directions in which their labels may vary.

    Attributes
    ----------
    rows : int64 array of shape (n_landmarks,)
        Row numbers of the landmarks, increasing.
    blocks : uint8 array of shape (n_partitions, n_landmarks)
        Block of each landmark in each partition.
    vectors : float64 array of shape (n_landmarks, n_directions)
        Leading eigenvectors of the normalised co-association graph, smoothest first.
    smoothness : float64 array of shape (n_directions,)
        (1 - a) / (1 - a * eigenvalue), a = 0.9: how far a direction carries an answer.
    labels : int64 array of shape (n_landmarks,)
        Clusters of the landmarks when nothing has been said.
    order : int64 array of shape (n_landmarks,)
        The order in which landmarks are drawn for questions.
    features : float32 array of shape (n_landmarks, n_kept)
        The landmarks themselves, at most 64 principal components of them; none in models that an
        older version wrote.
    n_clusters, n_blocks : int
        Number of clusters, and of blocks in each partition.
    draws : uint32 array of shape (625,)
        State of the generator from which k-means starts and ``order`` are drawn, whatever the
        number of clusters.
    voters : Voters
        How they vote on other rows, the same for any number of clusters.
    """

    rows: Ints
    blocks: NDArray[np.uint8]
    vectors: Floats
    smoothness: Floats
    labels: Ints
    order: Ints
    features: NDArray[np.float32]
    n_clusters: int
    n_blocks: int
    draws: NDArray[np.uint32]
    voters: Voters

    @property
    def n_landmarks(self) -> int:
        return len(self.rows)

    @property
    def seed(self) -> int:
        """A number to draw other things by."""
        return int(self.draws[0] >> 1)

    @cached_property
    def likeness(self) -> Floats:
        """Unit rows whose products tell how alike landmarks are by the graph."""
        return np.asarray(unit_rows(self.vectors * self.smoothness))

    @cached_property
    def traits(self) -> Traits:
        """What the landmarks are like, by graph and features."""
        return Traits.of(self.vectors, self.smoothness, self.features)

    @cached_property
    def names(self) -> Floats:
        """How far each landmark stands for the name of each cluster, (n_landmarks, n_clusters).

        Those in a cluster stand for its name. A hundredth is how alike all others are to it, so
        that a new cluster takes the free name that is nearest.
        """
        member = one_hot(self.labels, self.n_clusters)
        near = np.clip(self.likeness @ (member.T @ self.likeness).T, 0.0, None)
        return np.asarray(0.99 * member + 0.01 * shares(near, axis=0) * member.sum(axis=0))

    @cached_property
    def coordinates(self) -> Floats:
        """Graph and features of the landmarks, as they are clustered without answers."""
        return self._coordinates(self.n_clusters)

    def _coordinates(self, n_clusters: int) -> Floats:
        axes = self.traits.leading_axes(np.diag(self.traits.prior), n_clusters)
        graph = unit_rows(self.traits.landmarks @ axes)
        return side_by_side(graph, self.features.astype(np.float64))

    def reclustered(self, n_clusters: int, known: Clusters | None = None) -> Basis:
        """Return the same landmarks in another number of clusters.

        ``known`` are these clusters where somebody has found them before.
        """
        basis = self
        if _n_directions(n_clusters, self.n_landmarks) != len(self.smoothness):
            vectors, smoothness = _directions(self.blocks, n_clusters)
            basis = replace(self, vectors=vectors, smoothness=smoothness)
        labels, order = known or basis._clustered(n_clusters)
        return replace(basis, labels=labels, order=order, n_clusters=n_clusters)

    def _clustered(self, n_clusters: int) -> Clusters:
        rng = np.random.RandomState()
        rng.set_state(("MT19937", self.draws[:-1], int(self.draws[-1]), 0, 0.0))
        places = self._coordinates(n_clusters)
        labels = _by_size(best_kmeans(places, n_clusters, _N_INIT, rng), n_clusters)
        return Clusters(labels, rng.permutation(self.n_landmarks).astype(np.int64))


def build_basis(
    labels: LabelMatrix,
    source: RowSource,
    n_clusters: int,
    n_blocks: int,
    rng: np.random.RandomState,
) -> Basis:
    """Draw landmarks, join each to those it shares most blocks with, and take the spectrum."""
    n_landmarks = min(labels.n_rows, N_LANDMARKS)
    rows = np.sort(rng.choice(labels.n_rows, n_landmarks, replace=False)).astype(np.int64)
    blocks = np.ascontiguousarray(labels.rows(rows).T)
    vectors, smoothness = _directions(blocks, n_clusters)
    alone = Basis(
        rows=rows,
        blocks=blocks,
        vectors=vectors,
        smoothness=smoothness,
        labels=np.zeros(n_landmarks, dtype=np.int64),
        order=np.arange(n_landmarks, dtype=np.int64),
        features=landmark_features(source, rows),
        n_clusters=1,
        n_blocks=n_blocks,
        draws=draws_of(rng),
        voters=Voters(blocks, n_blocks),
    )
    return alone.reclustered(n_clusters)


def shares(amounts: Floats, axis: int) -> Floats:
    """Scale what is along an axis so that it sums to one; zeros stay zeros."""
    total = amounts.sum(axis=axis, keepdims=True)
    return np.asarray(amounts / np.maximum(total, np.finfo(float).tiny))


def _n_directions(n_clusters: int, n_landmarks: int) -> int:
    """Return how many smooth directions are kept: one a neighbourhood, two a cluster at least."""
    return min(n_landmarks, max(N_LANDMARKS // N_NEAREST, 2 * n_clusters))


def _directions(blocks: NDArray[np.uint8], n_clusters: int) -> tuple[Floats, Floats]:
    """Return the smooth directions of the landmarks' graph, and how far each carries."""
    n_wanted = _n_directions(n_clusters, blocks.shape[1])
    values, vectors = smooth_directions(blocks, n_wanted)
    return vectors, (1 - SMOOTHING) / (1 - SMOOTHING * values)


def lift(basis: Basis, rows: Ints, blocks: NDArray[np.uint8]) -> sp.csr_array:
    """Return each row as a mixture of landmarks: itself, or the ten it shares most blocks with.

    ``blocks`` holds one row's blocks a row. The result is (n_rows, n_landmarks); rows sum to 1.
    """
    n_nearest = min(N_NEAREST, basis.n_landmarks)
    nobody = np.full(len(rows), -1)
    nearest, counts = nearest_by_coassociation(blocks, basis.blocks, n_nearest, nobody)
    share = counts + 1e-9
    position = np.searchsorted(basis.rows, rows)
    is_landmark = basis.rows[np.minimum(position, basis.n_landmarks - 1)] == rows
    nearest[is_landmark, 0] = position[is_landmark]
    share[is_landmark, 0] = 1.0
    share[is_landmark, 1:] = 0.0
    share /= share.sum(axis=1, keepdims=True)
    first = np.arange(len(rows) + 1) * n_nearest
    return sp.csr_array((share.ravel(), nearest.ravel(), first), (len(rows), basis.n_landmarks))


def _by_size(labels: Ints, n_clusters: int) -> Ints:
    """Number the clusters by size, largest first: names do not depend on the k-means run."""
    order = np.argsort(-np.bincount(labels, minlength=n_clusters), kind="stable")
    names = np.empty(n_clusters, dtype=np.int64)
    names[order] = np.arange(n_clusters)
    return np.asarray(names[labels])
