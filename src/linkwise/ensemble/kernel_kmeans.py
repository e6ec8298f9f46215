"""The ensemble of the SCSC paper: approximate kernel k-means on small subsets of features.

Kernel k-means keeps each centre as a sum of mapped rows. Chitta et al. let it be a sum of a few
landmark rows only, which is k-means on the landmarks' Nystroem features: the kernel values of a
row, multiplied by the inverse square root of the kernel among landmarks.

References
----------
.. [1] R. Chitta, R. Jin, T. C. Havens, A. K. Jain. Approximate kernel k-means: solution to large
   scale kernel clustering. KDD, 2011.
.. [2] J. Yi, L. Zhang, T. Yang, W. Liu, J. Wang. An efficient semi-supervised clustering
   algorithm with sequential constraints. KDD, 2015.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise.ensemble.align import align_names
from linkwise.ensemble.execution import Execution
from linkwise.ensemble.generate import (
    MAX_BLOCKS,
    Label,
    Seed,
    Train,
    check_arguments,
    check_clusters,
    draw_part,
    draw_pool,
    label_all,
    seed_sequence,
    train_all,
)
from linkwise.ensemble.kmeans import half_norms, sampled_kmeans
from linkwise.ensemble.models import KernelCenters
from linkwise.ensemble.partitions import Ensemble
from linkwise.ensemble.preparation import TILE, Preparation
from linkwise.ensemble.sources import RowSource, SourceLike, as_source
from linkwise.errors import InvalidInput
from linkwise.running import Cancel, Progress

Array = NDArray[np.float32]


def build_paper_ensemble(
    source: SourceLike,
    n_clusters: int,
    *,
    n_partitions: int = 300,
    n_features: int | str = "auto",
    n_landmarks: int = 100,
    sample_size: int = 3000,
    n_steps: int = 20,
    seed: Seed,
    n_threads: int | None = None,
    chunk_rows: int | None = None,
    path: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    train: Train = train_all,
    label: Label = label_all,
) -> Ensemble:
    """Build partitions into ``n_clusters`` clusters whose labels mean the same everywhere.

    Every partition looks at its own ``n_features`` features. On the sampled rows, labels are
    aligned to a partition from all features, and then to the vote of all partitions, see
    :func:`~linkwise.ensemble.align_labels`; the models that label all rows carry the common names.

    Parameters
    ----------
    n_features : int or "auto", default="auto"
        Features per partition; "auto" is :func:`default_features`.
    n_landmarks : int, default=100
        Landmark rows per partition, at least ``n_clusters``.
    n_steps : int, default=20
        Steps of k-means.

    The other parameters are those of :func:`~linkwise.ensemble.build_ensemble`.
    """
    check_arguments(
        "build_paper_ensemble",
        n_clusters=n_clusters,
        n_partitions=n_partitions,
        n_landmarks=n_landmarks,
        sample_size=sample_size,
        n_steps=n_steps,
        n_features=n_features,
    )
    execution = Execution(n_threads, chunk_rows, progress, cancel)
    rows = as_source(source)
    n_used = _check_features(n_features, rows.n_features)
    _check_clusters(n_clusters, rows.n_rows)
    sample_size = min(max(sample_size, n_clusters), rows.n_rows)
    n_landmarks = min(max(n_landmarks, n_clusters), sample_size)
    recipe = KernelKMeans(sample_size, n_used, n_clusters, n_landmarks, n_steps)
    preparation, models = _train_aligned(rows, recipe, n_partitions, seed, execution, train)
    return label(rows, preparation, models, path, execution)


def _train_aligned(
    source: RowSource,
    recipe: KernelKMeans,
    n_partitions: int,
    seed: Seed,
    execution: Execution,
    train: Train,
) -> tuple[Preparation, KernelCenters]:
    """Train the partitions and a reference from all features, and give them common names."""
    pool_seed, reference_seed, *seeds = seed_sequence(seed).spawn(n_partitions + 2)
    preparation, pool = draw_pool(source, recipe.sample_size, pool_seed)
    on_all = replace(recipe, n_used=source.n_features)
    reference = _stack(list(execution.map(lambda seed: on_all(pool, seed), [reference_seed])))
    models = _stack(train(recipe, pool, seeds, execution))
    expected = _label(pool, reference, execution)[0]
    names = align_names(_label(pool, models, execution), expected, models.n_blocks)
    return preparation, models.renamed(names)


def default_features(n_features: int) -> int:
    """Return the features per partition: the paper's d / 20, or half of up to 60 features.

    Examples
    --------
    >>> default_features(1024), default_features(64), default_features(16), default_features(1)
    (52, 4, 8, 1)
    """
    half = math.ceil(n_features / 2) if n_features <= 60 else 1
    return max(math.ceil(n_features / 20), half)


def _check_features(n_used: int | str, n_features: int) -> int:
    if n_used == "auto":
        return default_features(n_features)
    n_used = int(n_used)
    if n_used > n_features:
        raise InvalidInput(
            f"build_paper_ensemble(n_features={n_used}): the rows have only {n_features} features."
        )
    return n_used


def _check_clusters(n_clusters: int, n_rows: int) -> None:
    check_clusters("build_paper_ensemble", n_clusters, n_rows)
    if n_clusters > MAX_BLOCKS:
        raise InvalidInput(
            f"build_paper_ensemble(n_clusters={n_clusters}): labels are stored in one byte, so "
            f"there can be at most {MAX_BLOCKS} clusters."
        )


class _Partition(NamedTuple):
    """One partition; the fields are those of :class:`KernelCenters`."""

    landmarks: Array
    half_norms: Array
    inverse_variances: np.float32
    weights: Array
    offsets: Array
    features: NDArray[np.int32]


@dataclass(frozen=True)
class KernelKMeans:
    """A partition: approximate kernel k-means on rows of the pool, seen through some features."""

    sample_size: int
    n_used: int
    n_clusters: int
    n_landmarks: int
    n_steps: int

    def __call__(self, pool: Array, seed: np.random.SeedSequence) -> _Partition:
        rng = np.random.default_rng(seed)
        X, features = draw_part(pool, self.sample_size, self.n_used, rng)
        return kernel_kmeans(X, features, self.n_clusters, self.n_landmarks, self.n_steps, rng)


def kernel_kmeans(
    X: Array,
    features: NDArray[np.int32],
    n_clusters: int,
    n_landmarks: int,
    n_steps: int,
    rng: np.random.Generator,
) -> _Partition:
    """Partition the rows of ``X`` by approximate kernel k-means.

    The variance of the Gaussian kernel is half the mean squared distance between rows, which is
    the total variance of the features.
    """
    landmarks = X[np.sort(rng.choice(len(X), n_landmarks, replace=False))]
    variance = float(X.var(axis=0, dtype=np.float64).sum()) or 1.0
    basis = _inverse_root(_kernel(landmarks, landmarks, variance))
    mapped = (_kernel(X, landmarks, variance) @ basis).astype(np.float32)
    centers, _ = sampled_kmeans(mapped, n_clusters, rng, n_steps)
    return _Partition(
        landmarks,
        half_norms(landmarks),
        np.float32(1 / variance),
        (centers @ basis.T).astype(np.float32),
        half_norms(centers),
        features,
    )


def _kernel(X: Array, landmarks: Array, variance: float) -> NDArray[np.float64]:
    rows, marks = X.astype(np.float64), landmarks.astype(np.float64)
    squared = np.square(rows).sum(axis=1)[:, None] + np.square(marks).sum(axis=1)
    squared -= 2 * rows @ marks.T
    kernel: NDArray[np.float64] = np.exp(np.maximum(squared, 0) / (-2 * variance))
    return kernel


def _inverse_root(kernel: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return B with ``B @ B.T`` the pseudo-inverse of ``kernel``; tiny eigenvalues are dropped."""
    values, vectors = np.linalg.eigh(kernel)
    kept = values > 1e-5 * values[-1]
    root: NDArray[np.float64] = vectors[:, kept] / np.sqrt(values[kept])
    return root


def _stack(partitions: list[_Partition]) -> KernelCenters:
    fields = zip(*partitions, strict=True)
    return KernelCenters(*(np.stack(field) for field in fields))


def _label(pool: Array, models: KernelCenters, execution: Execution) -> NDArray[np.uint8]:
    """Label rows that are prepared already."""

    def label(start: int) -> NDArray[np.uint8]:
        rows = pool[start : start + TILE]
        tile = np.zeros((pool.shape[1], TILE), dtype=np.float32)
        tile[:, : len(rows)] = rows.T
        return models.label(tile)[:, : len(rows)]

    return np.hstack(list(execution.map(label, range(0, len(pool), TILE))))
