"""What an ensemble says of some rows: a graph of those that share blocks, its spectrum, clusters.

Rows that stand for all others, landmarks, are seen by this graph and by their features side by
side. Everything here depends on the landmarks alone, not on the number of rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.cluster import kmeans_plusplus

from linkwise.ensemble import RowSource
from linkwise.ensemble.preparation import Preparation, is_wide_sparse
from linkwise.ensemble.sources import sample_rows
from linkwise.kernels.coassociation import nearest_by_coassociation
from linkwise.kernels.lloyd import lloyd, nearest_center

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Rows that stand for all others.
N_LANDMARKS = 2000
#: Landmarks that each is joined to, and as a mixture of which any other row is seen.
N_NEAREST = 10
#: Total variance of the features for one of the graph, where landmarks are clustered by both. At
#: more than about 4/3 a graph that falls apart along one loud column does not overrule k-means.
FEATURE_WEIGHT = 2.0
_MAX_ITER = 300


def landmark_features(source: RowSource, rows: Ints) -> NDArray[np.float32]:
    """Return the landmarks' leading principal components; words count by their directions."""
    if is_wide_sparse(source):
        words = source.sparse_rows(rows)
        landmarks = Preparation.fit_sparse(words, seed=0).rows(words)
    else:
        landmarks = sample_rows(source, rows)
    return Preparation.fit(landmarks, project=True).rows(landmarks)


def block_members(blocks: NDArray[np.uint8], n_blocks: int) -> sp.csr_array:
    """Return which landmarks each block of each partition holds, ones and zeros.

    ``blocks`` is (n_partitions, n_landmarks); the result has a row for each block, those of the
    first partition first, and a column for each landmark.
    """
    n_partitions, n_landmarks = blocks.shape
    block = blocks.astype(np.int64) + np.arange(n_partitions)[:, None] * n_blocks
    landmark = np.tile(np.arange(n_landmarks), n_partitions)
    shape = n_partitions * n_blocks, n_landmarks
    return sp.csr_array((np.ones(block.size), (block.ravel(), landmark)), shape)


def join_nearest(blocks: NDArray[np.uint8]) -> sp.csr_array:
    """Join every landmark to its ten nearest; weight = share of partitions, larger one of two."""
    n_partitions, n = blocks.shape
    n_nearest = min(N_NEAREST, n - 1)
    nearest, counts = nearest_by_coassociation(
        np.ascontiguousarray(blocks.T), blocks, n_nearest, np.arange(n)
    )
    first = np.arange(n + 1) * n_nearest
    graph = sp.csr_array(((counts / n_partitions).ravel(), nearest.ravel(), first), (n, n))
    return graph.maximum(graph.T)


def spectrum(graph: sp.csr_array, n_wanted: int) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues of the normalised graph and their vectors, largest first."""
    n = graph.shape[0]
    scale = 1 / np.sqrt(np.maximum(graph.sum(axis=1), np.finfo(float).tiny))
    normalised = graph.toarray() * scale[:, None] * scale[None, :]
    values, vectors = eigh(normalised, subset_by_index=[n - min(n, n_wanted), n - 1])
    return np.clip(values[::-1], -1.0, 1.0), np.ascontiguousarray(vectors[:, ::-1])


def smooth_directions(blocks: NDArray[np.uint8], n_wanted: int) -> tuple[Floats, Floats]:
    """Return the leading eigenvalues and eigenvectors of the landmarks' graph.

    Where no partition tells more landmarks apart than each can be joined to, chance decides which
    are joined. They are put at one place: a cluster of some of them would get no row by vote.
    """
    values, vectors = spectrum(join_nearest(blocks), n_wanted)
    _, kind, size = np.unique(
        np.ascontiguousarray(blocks.T), axis=0, return_inverse=True, return_counts=True
    )
    for crowd in np.flatnonzero(size > N_NEAREST + 1):
        vectors[kind == crowd] = vectors[kind == crowd].mean(axis=0)
    return values, vectors


def coordinates(vectors: Floats, features: NDArray[np.float32], n_clusters: int) -> Floats:
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


def unit_rows(A: NDArray[Any]) -> NDArray[Any]:
    """Scale every row to length one; rows of zeros stay zeros."""
    length = np.linalg.norm(A, axis=1, keepdims=True)
    return np.asarray(A / np.maximum(length, np.finfo(A.dtype).tiny))


def scaled(places: Floats) -> Floats:
    """Centre the rows, and scale them all alike so that their mean square length is one."""
    around = places - places.mean(axis=0)
    size = np.sqrt(np.square(around).sum() / len(around))
    return np.ascontiguousarray(around / max(float(size), np.finfo(float).tiny))


def one_hot(labels: Ints, n_clusters: int) -> Floats:
    """Return the labels as rows of zeros with a single one."""
    member = np.zeros((len(labels), n_clusters))
    member[np.arange(len(labels)), labels] = 1.0
    return member


def best_kmeans(places: Floats, n_clusters: int, n_init: int, rng: np.random.RandomState) -> Ints:
    """Return the best of several k-means runs; unlike scikit-learn's, whatever the threads."""
    best, least = np.zeros(len(places), dtype=np.int64), np.inf
    places = np.ascontiguousarray(places)
    for _ in range(n_init):
        centers, _ = kmeans_plusplus(places, n_clusters, random_state=rng)
        start = nearest_center(places, centers)
        labels, inertia = lloyd(places, start, n_clusters, _MAX_ITER)
        if inertia < least:
            best, least = labels, inertia
    return best
