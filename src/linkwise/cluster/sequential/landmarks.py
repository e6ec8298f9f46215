"""What the ensemble says without any answer: a graph of landmarks, its directions, a start.

Everything here is computed once, in ``fit``. Answers later act on the few hundred smooth directions
only, which is why their cost does not depend on the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.cluster import kmeans_plusplus
from sklearn.metrics import pairwise_distances_argmin

from linkwise.ensemble import LabelMatrix, RowSource
from linkwise.ensemble.preparation import Preparation
from linkwise.ensemble.sources import SparseSource, sample_rows
from linkwise.kernels.coassociation import nearest_by_coassociation
from linkwise.kernels.lloyd import lloyd
from linkwise.kernels.vote.vote import scores

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Rows that stand for all others.
N_LANDMARKS = 2000
#: Landmarks that each is joined to, and as a mixture of which any other row is seen.
N_NEAREST = 10
#: Smooth directions of the graph that are kept.
N_DIRECTIONS = 200
#: How far the graph carries: the share of each step of a walk that goes on.
SMOOTHING = 0.9
#: Total variance of the features for one of the graph, where landmarks are clustered by both. At
#: more than about 4/3 a graph that falls apart along one loud column does not overrule k-means.
FEATURE_WEIGHT = 2.0
_N_INIT = 20
_MAX_ITER = 300


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

    @property
    def n_landmarks(self) -> int:
        return len(self.rows)

    @cached_property
    def spread(self) -> Floats:
        """Unit rows whose products tell how alike landmarks are, (n_landmarks, n_directions)."""
        return np.asarray(unit_rows(self.vectors * np.sqrt(self.smoothness)))

    @cached_property
    def coordinates(self) -> Floats:
        """Graph and features of the landmarks, as they are clustered without answers."""
        return _coordinates(self.vectors, self.features, self.n_clusters)

    @cached_property
    def _members(self) -> sp.csr_array:
        """Which landmarks each block of each partition holds, rows that sum to 1."""
        n_partitions = len(self.blocks)
        block = self.blocks.astype(np.int64) + np.arange(n_partitions)[:, None] * self.n_blocks
        landmark = np.tile(np.arange(self.n_landmarks), n_partitions)
        shape = n_partitions * self.n_blocks, self.n_landmarks
        holds = sp.csr_array((np.ones(block.size), (block.ravel(), landmark)), shape)
        return sp.diags_array(1.0 / np.maximum(holds.sum(axis=1), 1.0)) @ holds

    def tables(self, memberships: Floats) -> Floats:
        """Return the mean membership of the landmarks of each block, a table per partition."""
        tables = np.asarray(self._members @ memberships)
        return tables.reshape(len(self.blocks), self.n_blocks, memberships.shape[1])

    def votes(self, memberships: Floats, blocks: NDArray[np.uint8]) -> Floats:
        """Return the share of votes of each cluster for rows given by their blocks."""
        return np.asarray(scores(blocks, self.tables(memberships)) / len(self.blocks))


def build_basis(
    labels: LabelMatrix,
    source: RowSource,
    n_clusters: int,
    n_blocks: int,
    rng: np.random.RandomState,
    preparation: Preparation,
) -> Basis:
    """Draw landmarks, join each to those it shares most blocks with, and take the spectrum.

    ``preparation`` is the ensemble's.
    """
    n_landmarks = min(labels.n_rows, max(N_LANDMARKS, 4 * n_clusters))
    rows = np.sort(rng.choice(labels.n_rows, n_landmarks, replace=False)).astype(np.int64)
    blocks = np.ascontiguousarray(labels.rows(rows).T)
    values, vectors = _spectrum(_graph(blocks), max(N_DIRECTIONS, 2 * n_clusters))
    features = _features(source, rows, preparation)
    coordinates = _coordinates(vectors, features, n_clusters)
    return Basis(
        rows=rows,
        blocks=blocks,
        vectors=vectors,
        smoothness=(1 - SMOOTHING) / (1 - SMOOTHING * values),
        labels=_by_size(_kmeans(coordinates, n_clusters, _N_INIT, rng), n_clusters),
        order=rng.permutation(n_landmarks).astype(np.int64),
        features=features,
        n_clusters=n_clusters,
        n_blocks=n_blocks,
    )


def _coordinates(
    vectors: Floats, features: NDArray[np.float32], n_clusters: int
) -> NDArray[np.float64]:
    """Put graph and features side by side.

    The partition that explains most of the two wins: the graph's where the features do not object,
    plain k-means where they do.
    """
    return side_by_side(unit_rows(vectors[:, :n_clusters]), features.astype(np.float64))


def side_by_side(graph: Floats, features: Floats) -> Floats:
    """Join coordinates by which landmarks are clustered, features having twice the variance."""
    return np.ascontiguousarray(
        np.hstack([scaled(graph), np.sqrt(FEATURE_WEIGHT) * scaled(features)])
    )


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


def unit_rows(A: NDArray[Any]) -> NDArray[Any]:
    """Scale every row to length one; rows of zeros stay zeros."""
    length = np.linalg.norm(A, axis=1, keepdims=True)
    return np.asarray(A / np.maximum(length, np.finfo(A.dtype).tiny))


def scaled(coordinates: Floats) -> Floats:
    """Centre the rows, and scale them all alike so that their mean square length is one."""
    around = coordinates - coordinates.mean(axis=0)
    size = np.sqrt(np.square(around).sum() / len(around))
    return np.ascontiguousarray(around / max(float(size), np.finfo(float).tiny))


def one_hot(labels: Ints, n_clusters: int) -> Floats:
    """Return the labels as rows of zeros with a single one."""
    member = np.zeros((len(labels), n_clusters))
    member[np.arange(len(labels)), labels] = 1.0
    return member


def _features(source: RowSource, rows: Ints, preparation: Preparation) -> NDArray[np.float32]:
    """Return the landmarks' leading principal components; words count by their directions."""
    if preparation.unit and isinstance(source, SparseSource):
        landmarks = preparation.rows(source.sparse_rows(rows))
    else:
        landmarks = sample_rows(source, rows)
    return Preparation.fit(landmarks, project=True).rows(landmarks)


def _graph(blocks: NDArray[np.uint8]) -> sp.csr_array:
    """Join every landmark to its ten nearest; weight = share of partitions, larger one of two."""
    n_partitions, n = blocks.shape
    n_nearest = min(N_NEAREST, n - 1)
    nearest, counts = nearest_by_coassociation(
        np.ascontiguousarray(blocks.T), blocks, n_nearest, np.arange(n)
    )
    first = np.arange(n + 1) * n_nearest
    graph = sp.csr_array(((counts / n_partitions).ravel(), nearest.ravel(), first), (n, n))
    return graph.maximum(graph.T)


def _spectrum(graph: sp.csr_array, n_wanted: int) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues of the normalised graph and their vectors, largest first."""
    n = graph.shape[0]
    scale = 1 / np.sqrt(np.maximum(graph.sum(axis=1), np.finfo(float).tiny))
    normalised = graph.toarray() * scale[:, None] * scale[None, :]
    values, vectors = eigh(normalised, subset_by_index=[n - min(n, n_wanted), n - 1])
    return np.clip(values[::-1], -1.0, 1.0), np.ascontiguousarray(vectors[:, ::-1])


def _kmeans(places: Floats, n_clusters: int, n_init: int, rng: np.random.RandomState) -> Ints:
    """Return the best of several k-means runs; unlike scikit-learn's, whatever the threads."""
    best, least = np.zeros(len(places), dtype=np.int64), np.inf
    places = np.ascontiguousarray(places)
    for _ in range(n_init):
        centers, _ = kmeans_plusplus(places, n_clusters, random_state=rng)
        start = pairwise_distances_argmin(places, centers)
        labels, inertia = lloyd(places, start, n_clusters, _MAX_ITER)
        if inertia < least:
            best, least = labels, inertia
    return best


def _by_size(labels: NDArray[Any], n_clusters: int) -> Ints:
    """Number the clusters by size, largest first: names do not depend on the k-means run."""
    order = np.argsort(-np.bincount(labels, minlength=n_clusters), kind="stable")
    names = np.empty(n_clusters, dtype=np.int64)
    names[order] = np.arange(n_clusters)
    return np.asarray(names[labels])
