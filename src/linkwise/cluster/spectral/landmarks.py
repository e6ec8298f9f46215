"""Which points stand for all rows: random rows, k-means centres or rows of high PageRank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.cluster.spectral.neighbours import in_units, nearest
from linkwise.ensemble.kmeans import sampled_kmeans
from linkwise.typing import Matrix

#: K-means and PageRank look at no more than this many rows ...
SAMPLE_ROWS = 20_000
RANKED_ROWS = 10_000
#: ... and at no more than this many values (128 MB).
SAMPLE_VALUES = 1 << 24


def count_landmarks(wanted: int | str, n_samples: int, n_clusters: int) -> int:
    """Return how many landmarks to choose.

    A number is kept, up to the number of rows. "auto" is 500, 1000 from 50,000 rows on, twenty per
    cluster if that is more, but no more than 3000 or half of the rows.
    """
    if wanted != "auto":
        return min(int(wanted), n_samples)
    enough = max(1000 if n_samples >= 50_000 else 500, 20 * n_clusters)
    most = min(3000, n_samples // 2)
    return max(min(enough, most), min(n_clusters + 1, n_samples))


def random_landmarks(
    X: Matrix, unit: float, n_landmarks: int, rng: np.random.RandomState
) -> NDArray[Any]:
    """Return ``n_landmarks`` distinct random rows."""
    return in_units(X[np.sort(rng.choice(X.shape[0], n_landmarks, replace=False))], unit)


def kmeans_landmarks(
    X: Matrix, unit: float, n_landmarks: int, rng: np.random.RandomState
) -> NDArray[Any]:
    """Return the centres of five k-means steps on a sample of the rows."""
    sample = _sample(X, unit, SAMPLE_ROWS, n_landmarks, rng)
    middle = sample.mean(axis=0)
    sample -= middle
    generator = np.random.default_rng(rng.randint(2**31))
    centers, _ = sampled_kmeans(sample.astype(np.float32), n_landmarks, generator, n_steps=5)
    landmarks: NDArray[Any] = middle + centers.astype(sample.dtype)
    return landmarks


def pagerank_landmarks(
    X: Matrix, unit: float, n_landmarks: int, rng: np.random.RandomState
) -> NDArray[Any]:
    """Return the rows of a sample that a random walk between near rows visits most.

    The walker moves to one of the 10 nearest rows, the nearer the likelier, and with probability
    0.15 to any row (weighted PageRank).
    """
    sample = _sample(X, unit, RANKED_ROWS, n_landmarks, rng)
    rank = _pagerank(sample, min(10, len(sample) - 1))
    return sample[np.sort(np.argsort(-rank, kind="stable")[:n_landmarks])]


#: The ways to choose, by the name an estimator's ``landmarks`` parameter gives them. Each takes
#: (X, unit, n_landmarks, rng) and returns landmarks in multiples of ``unit``.
CHOICES: dict[str, Callable[[Any, float, int, np.random.RandomState], NDArray[Any]]] = {
    "kmeans": kmeans_landmarks,
    "random": random_landmarks,
    "pagerank": pagerank_landmarks,
}


def _sample(
    X: Matrix, unit: float, n_rows: int, n_landmarks: int, rng: np.random.RandomState
) -> NDArray[Any]:
    n_rows = min(n_rows, max(SAMPLE_VALUES // X.shape[1], 2 * n_landmarks))
    if n_rows < X.shape[0]:
        X = X[np.sort(rng.choice(X.shape[0], n_rows, replace=False))]
    return in_units(X, unit)


def _pagerank(rows: NDArray[Any], n_neighbors: int, damping: float = 0.85) -> NDArray[np.float64]:
    n = len(rows)
    if n_neighbors < 1:
        return np.ones(n)
    index, squared = nearest(rows, rows, n_neighbors + 1)
    scale = np.maximum(squared[:, -1:], np.finfo(float).tiny)
    weight = np.exp(-squared / (2 * scale))
    weight[index == np.arange(n)[:, None]] = 0.0  # nobody visits himself
    weight /= weight.sum(axis=1, keepdims=True)
    start = np.repeat(np.arange(n), n_neighbors + 1)
    visits = sp.csr_array((weight.ravel(), (index.ravel(), start)), (n, n))
    rank = np.full(n, 1.0 / n)
    for _ in range(100):
        previous, rank = rank, (1 - damping) / n + damping * (visits @ rank)
        if np.abs(rank - previous).sum() < 1e-10:
            break
    return rank
