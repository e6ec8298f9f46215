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
from linkwise.ensemble.sources import sample_rows
from linkwise.kernels.coassociation import nearest_by_coassociation
from linkwise.kernels.lloyd import lloyd

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

N_LANDMARKS = 2000
N_NEAREST = 10
N_DIRECTIONS = 200
SMOOTHING = 0.9
N_STARTS = 8
N_INIT = 20
MAX_ITER = 300


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
    starts : int64 array of shape (n_starts, n_clusters)
        Landmarks that serve as random first centres, drawn once so that the same answers always
        give the same clustering.
    lot : int64 array of shape (n_landmarks,)
        The order in which landmarks are drawn for questions.
    features : float32 array of shape (n_landmarks, n_kept)
        The landmarks themselves, at most 64 principal components of them; none in models that an
        older version wrote.
    """

    rows: Ints
    blocks: NDArray[np.uint8]
    vectors: Floats
    smoothness: Floats
    labels: Ints
    starts: Ints
    lot: Ints
    features: NDArray[np.float32]

    @property
    def n_clusters(self) -> int:
        return int(self.starts.shape[1])

    @property
    def n_landmarks(self) -> int:
        return len(self.rows)

    @cached_property
    def spread(self) -> Floats:
        """Unit rows whose products tell how alike landmarks are, (n_landmarks, n_directions)."""
        return self.spread_of(self.vectors)

    def spread_of(self, place: Floats) -> Floats:
        """Return the same for rows given by their coordinates in the basis."""
        return np.asarray(unit_rows(place * np.sqrt(self.smoothness)))


def build_basis(
    labels: LabelMatrix, source: RowSource, n_clusters: int, rng: np.random.RandomState
) -> Basis:
    """Draw landmarks, join each to those it shares most blocks with, and take the spectrum."""
    n_landmarks = min(labels.n_rows, max(N_LANDMARKS, 4 * n_clusters))
    rows = np.sort(rng.choice(labels.n_rows, n_landmarks, replace=False)).astype(np.int64)
    blocks = np.ascontiguousarray(labels.rows(rows).T)
    values, vectors = _spectrum(_graph(blocks), max(N_DIRECTIONS, 2 * n_clusters))
    labels_alone = _kmeans(unit_rows(vectors[:, :n_clusters]), n_clusters, N_INIT, rng)
    return Basis(
        rows=rows,
        blocks=blocks,
        vectors=vectors,
        smoothness=(1 - SMOOTHING) / (1 - SMOOTHING * values),
        labels=_by_size(labels_alone, n_clusters),
        starts=np.stack(
            [rng.choice(n_landmarks, n_clusters, replace=False) for _ in range(N_STARTS)]
        ).astype(np.int64),
        lot=rng.permutation(n_landmarks).astype(np.int64),
        features=_features(source, rows),
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


def _features(source: RowSource, rows: Ints) -> NDArray[np.float32]:
    """Return the landmarks' leading principal components."""
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
        labels, inertia = lloyd(places, start, n_clusters, MAX_ITER)
        if inertia < least:
            best, least = labels, inertia
    return best


def _by_size(labels: NDArray[Any], n_clusters: int) -> Ints:
    """Number the clusters by size, largest first: names do not depend on the k-means run."""
    order = np.argsort(-np.bincount(labels, minlength=n_clusters), kind="stable")
    names = np.empty(n_clusters, dtype=np.int64)
    names[order] = np.arange(n_clusters)
    return np.asarray(names[labels])
