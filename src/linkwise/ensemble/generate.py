"""Building the ensemble: a quick k-means per partition, then one pass that labels all rows.

Every partition sees its own few thousand rows and its own half of the features. That is enough:
more rows, better starts or kernels made the ensemble dearer and the result no better.
"""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from linkwise.ensemble.blas import one_blas_thread
from linkwise.ensemble.execution import Execution
from linkwise.ensemble.kmeans import draw_starts, half_norms, sampled_kmeans
from linkwise.ensemble.labelling import (
    IN_THREADS,
    BlockLabeller,
    explain_not_finite,
    label_rows,
)
from linkwise.ensemble.models import NearestCenters, PartitionModels
from linkwise.ensemble.partitions import Ensemble
from linkwise.ensemble.preparation import NotFinite, Preparation, is_wide_sparse
from linkwise.ensemble.sources import RowSource, SourceLike, SparseSource, as_source, sample_rows
from linkwise.ensemble.store import LabelMatrix
from linkwise.errors import InvalidInput
from linkwise.running import Cancel, Progress
from linkwise.validation import require_number

MAX_BLOCKS = 256
#: Features per partition at least: one axis of a plane alone tells too little.
MIN_FEATURES = 2
POOL_SAMPLES = 16
POOL_BYTES = 1 << 26

Seed = int | np.random.SeedSequence | np.random.RandomState
Pool = NDArray[np.float32]
T = TypeVar("T")
#: Makes one partition of a pool of prepared rows; all it draws comes from the seed.
Recipe = Callable[[Pool, np.random.SeedSequence], T]


def train_all(
    recipe: Recipe[T], pool: Pool, seeds: list[np.random.SeedSequence], execution: Execution
) -> list[T]:
    """Train one partition per seed, in threads of this process."""
    trained = []
    with closing(execution.map(lambda seed: recipe(pool, seed), seeds)) as partitions:
        for partition in partitions:
            trained.append(partition)
            execution.step(len(trained), len(seeds), "training partitions")
    return trained


def label_all(
    source: RowSource,
    preparation: Preparation,
    models: PartitionModels,
    path: str | os.PathLike[str] | None,
    execution: Execution,
    labeller: BlockLabeller = IN_THREADS,
) -> Ensemble:
    """Label every row with trained models; a folder that was not finished is removed."""
    existed = path is not None and Path(path).exists()
    labels = LabelMatrix.empty(models.n_partitions, source.n_rows, path)
    try:
        label_rows(source, preparation, models, labels.write, execution, labeller)
    except BaseException:
        if path is not None and not existed:
            shutil.rmtree(path)
        raise
    labels.flush()
    return Ensemble(labels, models, preparation)


class Train(Protocol):
    """Who trains partitions, as :func:`train_all` does."""

    def __call__(
        self,
        recipe: Recipe[T],
        pool: Pool,
        seeds: list[np.random.SeedSequence],
        execution: Execution,
    ) -> list[T]: ...


#: Who labels all rows with trained models, as :func:`label_all` does.
Label = Callable[
    [RowSource, Preparation, PartitionModels, str | os.PathLike[str] | None, Execution], Ensemble
]


def build_ensemble(
    source: SourceLike,
    n_clusters: int,
    *,
    n_partitions: int = 200,
    n_blocks: int | str = "auto",
    feature_share: float = 0.5,
    sample_size: int = 3000,
    fast: bool = False,
    seed: Seed,
    n_threads: int | None = None,
    chunk_rows: int | None = None,
    path: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    train: Train = train_all,
    label: Label = label_all,
) -> Ensemble:
    """Build many partitions of the same rows.

    Labels depend on the rows and the seed, not on ``n_threads``, ``chunk_rows`` or where the rows
    come from.

    Parameters
    ----------
    source : array, sparse matrix, path or RowSource
        The rows, see :func:`~linkwise.ensemble.as_source`.
    n_clusters : int
        Clusters one hopes to find in the end: ``n_blocks="auto"`` looks at it, and as many leading
        directions are kept of rows of length one, see :class:`Preparation`.
    n_partitions : int, default=200
        Number of partitions.
    n_blocks : int or "auto", default="auto"
        Base clusters per partition, 256 at most; "auto" is :func:`default_blocks`.
    feature_share : float, default=0.5
        Share of the features each partition looks at, rounded up.
    sample_size : int, default=3000
        Rows each partition is trained on.
    fast : bool, default=False
        Replace more than 64 features by their 64 leading principal components first.
    seed : int, SeedSequence or RandomState
        Where randomness comes from.
    n_threads : int, default=None
        Threads to use, all cores by default.
    chunk_rows : int, default=None
        Rows read at once, about 2 MB by default; rounded up to a multiple of 256.
    path : path, default=None
        Folder to keep the labels in, instead of memory.
    progress : callable, default=None
        Called as ``progress(done, total, what)``.
    cancel : callable or threading.Event, default=None
        Asked between steps; work stops with :class:`~linkwise.errors.Cancelled`.
    train, label : callable
        Who trains the partitions and who labels all rows, threads of this process by default.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(500, 4))
    >>> ensemble = build_ensemble(X, 2, n_partitions=5, seed=0)
    >>> ensemble.labels.array.shape, ensemble.n_blocks
    ((5, 500), 22)
    >>> bool((ensemble.assign(X) == ensemble.labels.array).all())
    True
    """
    check_arguments(
        "build_ensemble",
        n_clusters=n_clusters,
        n_partitions=n_partitions,
        feature_share=feature_share,
        sample_size=sample_size,
        n_blocks=n_blocks,
    )
    execution = Execution(n_threads, chunk_rows, progress, cancel)
    rows = as_source(source)
    check_clusters("build_ensemble", n_clusters, rows.n_rows)
    n_blocks = _check_blocks(n_blocks, n_clusters, rows.n_rows)
    sample_size = max(sample_size, n_blocks)
    preparation, models = _train(
        rows,
        n_clusters,
        n_blocks,
        n_partitions,
        feature_share,
        sample_size,
        fast,
        seed,
        execution,
        train,
    )
    return label(rows, preparation, models, path, execution)


@dataclass(frozen=True)
class SampledKMeans:
    """A partition: k-means on rows of the pool, seen through some features."""

    sample_size: int
    n_used: int
    n_blocks: int

    def __call__(
        self, pool: Pool, seed: np.random.SeedSequence
    ) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Return the centres and the features."""
        rng = np.random.default_rng(seed)
        X, features = draw_part(pool, self.sample_size, self.n_used, rng)
        return sampled_kmeans(X, self.n_blocks, rng)[0], features

    def draw(
        self, pool: Pool, seed: np.random.SeedSequence
    ) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.intp]]:
        """Return what is drawn: rows of the pool, features, and which rows are centres first."""
        rng = np.random.default_rng(seed)
        rows, features = draw_numbers(pool.shape, self.sample_size, self.n_used, rng)
        return rows, features, draw_starts(len(rows), self.n_blocks, rng)


def _train(
    source: RowSource,
    n_clusters: int,
    n_blocks: int,
    n_partitions: int,
    feature_share: float,
    sample_size: int,
    fast: bool,
    seed: Seed,
    execution: Execution,
    train: Train,
) -> tuple[Preparation, NearestCenters]:
    pool_seed, *seeds = seed_sequence(seed).spawn(n_partitions + 1)
    if is_wide_sparse(source):
        preparation, pool = draw_sparse_pool(source, sample_size, pool_seed, n_clusters)
    else:
        preparation, pool = draw_pool(
            source, sample_size, pool_seed, project=fast, n_directions=n_clusters
        )
    share = math.ceil(feature_share * preparation.n_features)
    n_used = min(preparation.n_features, max(MIN_FEATURES, share))
    trained = train(SampledKMeans(sample_size, n_used, n_blocks), pool, seeds, execution)
    centers = np.stack([centers for centers, _ in trained])
    features = np.stack([features for _, features in trained])
    return preparation, NearestCenters(centers, half_norms(centers), features)


def default_blocks(n_clusters: int, n_rows: int) -> int:
    """Return the number of base clusters: min(128, max(8 r, sqrt n), n / 8).

    The cap is 256 for more than 16 clusters. Tiny tables get at least ``n_clusters`` base
    clusters, or as many as they have rows.

    Examples
    --------
    >>> default_blocks(10, 1797), default_blocks(7, 581012), default_blocks(3, 12)
    (80, 128, 3)
    """
    cap = 256 if n_clusters > 16 else 128
    wanted = min(cap, max(8 * n_clusters, math.isqrt(n_rows)), n_rows // 8)
    return min(max(wanted, n_clusters), n_rows, MAX_BLOCKS)


def _check_blocks(n_blocks: int | str, n_clusters: int, n_rows: int) -> int:
    if n_blocks == "auto":
        return default_blocks(n_clusters, n_rows)
    n_blocks = int(n_blocks)
    if n_blocks > MAX_BLOCKS:
        raise InvalidInput(
            f"build_ensemble(n_blocks={n_blocks}): labels are stored in one byte, so a partition "
            f"can have at most {MAX_BLOCKS} base clusters."
        )
    if n_blocks > n_rows:
        raise InvalidInput(
            f"build_ensemble(n_blocks={n_blocks}): {n_rows} rows cannot be split into {n_blocks} "
            "base clusters."
        )
    return n_blocks


def check_arguments(function: str, **arguments: object) -> None:
    """Check counts and shares by name, in the one wording for parameters."""
    for name, value in arguments.items():
        if name == "feature_share":
            require_number(function, name, value, low=0, high=1)
        elif name in ("n_blocks", "n_features"):
            require_number(function, name, value, low=1, integer=True, or_in=("auto",))
        else:
            require_number(function, name, value, low=1, integer=True)


def check_clusters(function: str, n_clusters: int, n_rows: int) -> None:
    """Refuse more clusters than rows."""
    if n_clusters > n_rows:
        raise InvalidInput(
            f"{function}(n_clusters={n_clusters}): {n_rows} rows cannot be split into "
            f"{n_clusters} clusters."
        )


def seed_sequence(seed: Seed) -> np.random.SeedSequence:
    """Return the root of all randomness; asking twice with the same seed gives the same root."""
    if isinstance(seed, np.random.SeedSequence):
        return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
    if isinstance(seed, np.random.RandomState):
        seed = int(seed.randint(np.iinfo(np.int32).max))
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInput(f"the seed is {seed!r}, expected a whole number >= 0.")
    return np.random.SeedSequence(int(seed))


def draw_pool(
    source: RowSource,
    sample_size: int,
    seed: np.random.SeedSequence,
    *,
    project: bool = False,
    n_directions: int = 0,
) -> tuple[Preparation, NDArray[np.float32]]:
    """Return how rows are prepared, and a pool of prepared rows for partitions to sample from.

    A file is read once for the pool instead of once per partition. The pool is 16 samples, or as
    many rows as fit in 64 MB, but one sample at least.
    """
    by_memory = max(sample_size, POOL_BYTES // (4 * source.n_features))
    size = min(source.n_rows, POOL_SAMPLES * sample_size, by_memory)
    rng = np.random.default_rng(seed)
    raw = sample_rows(source, np.sort(rng.choice(source.n_rows, size, replace=False)))

    def prepare() -> tuple[Preparation, NDArray[np.float32]]:
        preparation = Preparation.fit(raw, project=project, n_directions=n_directions)
        return preparation, preparation.rows(raw)

    try:
        with one_blas_thread() as blas:
            return blas.run(prepare)
    except NotFinite:
        raise explain_not_finite(source) from None


def draw_sparse_pool(
    source: SparseSource, sample_size: int, seed: np.random.SeedSequence, n_directions: int
) -> tuple[Preparation, NDArray[np.float32]]:
    """Do for many sparse features what :func:`draw_pool` does for others."""
    size = min(source.n_rows, POOL_SAMPLES * sample_size)
    rng = np.random.default_rng(seed)
    raw = source.sparse_rows(np.sort(rng.choice(source.n_rows, size, replace=False)))
    try:
        preparation = Preparation.fit_sparse(
            raw, int(rng.integers(2**31)), n_directions=n_directions
        )
        return preparation, preparation.rows(raw)
    except NotFinite:
        raise explain_not_finite(source) from None


def draw_part(
    pool: NDArray[np.float32], sample_size: int, n_used: int, rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Return random rows of the pool seen through random features, and those features."""
    chosen, features = draw_numbers(pool.shape, sample_size, n_used, rng)
    return pool[chosen].take(features, axis=1), features


def draw_numbers(
    shape: tuple[int, ...], sample_size: int, n_used: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Return random rows and features of a pool of this shape, by number, increasing."""
    n_rows, n_features = shape
    chosen = np.sort(rng.choice(n_rows, min(sample_size, n_rows), replace=False))
    features = np.sort(rng.choice(n_features, n_used, replace=False)).astype(np.int32)
    return chosen, features
