"""k-means for many partitions at once on a GPU.

The steps are those of :func:`linkwise.ensemble.kmeans.sampled_kmeans`, and sums are added in the
same order, so the centres of a partition differ from a processor's only where a row is so near to
two centres that the last digit of a product decides.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from linkwise.kernels.cuda.device import free_bytes, kernel
from linkwise.kernels.cuda.vote import OnDevice
from linkwise.lazy import LazyModule

cp = LazyModule("cupy")


def train(
    pool: NDArray[np.float32],
    rows: NDArray[np.integer],
    features: NDArray[np.int32],
    starts: NDArray[np.integer],
    n_steps: int = 10,
) -> NDArray[np.float32]:
    """Return the centres of partitions: (n_partitions, n_blocks, n_used).

    Partition ``p`` sees ``pool[rows[p]][:, features[p]]`` and starts from its rows ``starts[p]``.
    """
    on_device = cp.asarray(pool)
    n_partitions, n_blocks = starts.shape
    n_rows, n_used = rows.shape[1], features.shape[1]
    centers = np.empty((n_partitions, n_blocks, n_used), np.float32)
    each = 4 * (2 * n_rows * n_used + 2 * n_rows * n_blocks + 4 * n_blocks * n_used)
    for some in _stretches(n_partitions, max(free_bytes() // 2 // each, 1)):
        seen = cp.asarray(features[some])
        X = cp.empty((len(seen), n_rows, n_used), cp.float32)
        for p, chosen in enumerate(cp.asarray(rows[some])):
            X[p] = on_device[chosen][:, seen[p]]
        centers[some] = cp.asnumpy(_lloyd(X, cp.asarray(starts[some]), n_steps))
    return centers


def _stretches(n: int, step: int) -> Iterator[slice]:
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def _lloyd(X: OnDevice, starts: OnDevice, n_steps: int) -> OnDevice:
    n_partitions, n_rows, n_used = X.shape
    n_blocks = starts.shape[1]
    centers = cp.ascontiguousarray(cp.take_along_axis(X, starts[:, :, None], axis=1))
    transposed = X.transpose(0, 2, 1)
    scores = cp.empty((n_partitions, n_blocks, n_rows), cp.float32)
    best = cp.empty((n_partitions, n_rows), cp.float32)
    labels = cp.full((n_partitions, n_rows), -1, cp.int32)
    sums = cp.empty_like(centers)
    counts = cp.empty((n_partitions, n_blocks), cp.int32)
    sizes = np.int32(n_rows), np.int32(n_used), np.int32(n_blocks)
    add = kernel("training.cu", "sum_by_label")
    add.max_dynamic_shared_size_bytes = 33 * 4 * n_blocks
    for _ in range(n_steps):
        previous = labels.copy()
        cp.matmul(centers, transposed, out=scores)
        offsets = 0.5 * cp.square(centers).sum(axis=2)
        kernel("training.cu", "largest")(
            (-(-n_rows // 128), n_partitions),
            (128,),
            (scores, offsets, sizes[2], sizes[0], best, labels),
        )
        moved = (labels != previous).any(axis=1)
        add(
            (-(-n_used // 32), n_partitions),
            (32,),
            (X, labels, *sizes, sums, counts),
            shared_mem=33 * 4 * n_blocks,
        )
        filled = (counts > 0) & moved[:, None]
        means = sums / cp.maximum(counts, 1).astype(cp.float32)[:, :, None]
        centers = cp.where(filled[:, :, None], means, centers)
        empty = cp.asnumpy((counts == 0) & moved[:, None])
        for p in np.flatnonzero(empty.any(axis=1)):
            _reseed(X[p], centers[p], np.flatnonzero(empty[p]), best[p])
    return centers


def _reseed(X: OnDevice, centers: OnDevice, empty: NDArray[np.intp], best: OnDevice) -> None:
    """Move empty clusters to the rows farthest from the centre they were given."""
    distance = cp.asnumpy(cp.square(X).sum(axis=1) - 2 * best)
    farthest = np.argsort(-distance, kind="stable")[: len(empty)]
    centers[cp.asarray(empty[: len(farthest)])] = X[cp.asarray(farthest)]
