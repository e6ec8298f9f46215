"""Labelling on a GPU: products in half precision, and again in single where that cannot tell.

Each partition looks at its own features; its centres have zeros elsewhere, so that one matrix
product serves many partitions. Half precision has as many digits as TF32 and is twice as fast; its
bound (:func:`~linkwise.kernels.cuda.layout.half_bounds`) holds for any row, so the labels are those
of single precision, whatever the size of the tiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.kernels.cuda.device import free_bytes, kernel, processors
from linkwise.kernels.cuda.layout import half_bounds
from linkwise.kernels.cuda.vote import OnDevice
from linkwise.lazy import LazyModule

cp, cublas = LazyModule("cupy"), LazyModule("cupy_backends.cuda.libs.cublas")

#: Rows and bytes of scores in one matrix product, if there is room.
TILE_ROWS = 16384
TILE_BYTES = 3 << 30
#: Halves lie at multiples of so many, as the matrix units like them.
WIDTH = 16
#: Threads that bring raw rows into memory the GPU can read.
COPIERS = 8

# cuBLAS's names for types, for adding up in single precision, and for choosing by itself
_HALF, _SINGLE, _IN_SINGLE, _BY_ITSELF = 2, 0, 68, -1
_C_TYPES = {
    "float32": "float",
    "float64": "double",
    "uint8": "unsigned char",
    "int8": "signed char",
    "uint16": "unsigned short",
    "int16": "short",
    "uint32": "unsigned int",
    "int32": "int",
    "bool": "bool",
}


class NotFiniteOnDevice(ValueError):
    """A prepared value is NaN or infinite; the caller knows the row source and says which."""


@dataclass(frozen=True, eq=False)
class Centers:
    """Partitions on the GPU: as they are, and rounded to half with zeros between."""

    exact: OnDevice
    halves: OnDevice
    offsets: OnDevice
    features: OnDevice
    bounds: OnDevice
    n_features: int

    @property
    def n_partitions(self) -> int:
        return int(self.exact.shape[0])

    @property
    def n_blocks(self) -> int:
        return int(self.exact.shape[1])


def upload_centers(
    centers: NDArray[np.float32],
    offsets: NDArray[np.float32],
    features: NDArray[np.int32],
    n_features: int,
) -> Centers:
    """Bring partitions to the GPU: (n_partitions, n_blocks, n_used) and what belongs to them."""
    n_partitions, n_blocks, _ = centers.shape
    slope, start = half_bounds(centers, n_features)
    width = -(-n_features // WIDTH) * WIDTH
    exact, seen = cp.asarray(centers), cp.asarray(features)
    halves = cp.zeros((n_partitions, n_blocks, width), cp.float16)
    for p in range(n_partitions):
        halves[p][:, seen[p]] = exact[p].astype(cp.float16)
    with np.errstate(over="ignore"):
        bounds = cp.asarray(np.stack([slope, start], axis=1).astype(np.float32))
    return Centers(exact, halves, cp.asarray(offsets), seen, bounds, n_features)


class Labeller:
    """Labels tiles of rows with the same partitions; makes its scratch memory once.

    Parameters
    ----------
    centers : Centers
        The partitions.
    mean, scale : float64 array, float
        How rows are prepared: ``(row - mean) / scale`` in double precision.
    tile_rows, tile_bytes : int
        Limits of one matrix product: rows, and bytes of scores. No effect on the labels.
    """

    def __init__(
        self,
        centers: Centers,
        mean: NDArray[np.float64],
        scale: float,
        tile_rows: int = TILE_ROWS,
        tile_bytes: int = TILE_BYTES,
    ) -> None:
        self.centers = centers
        self._mean, self._scale = cp.asarray(mean), scale
        n_features, width = centers.n_features, centers.halves.shape[2]
        per_partition = 4 * centers.n_blocks
        tile_bytes = min(tile_bytes, free_bytes() // 4)
        rows = min(tile_rows, tile_bytes // per_partition)
        self.tile_rows = max(rows // 512 * 512, 512)
        at_once = tile_bytes // (per_partition * self.tile_rows)
        self.partitions_at_once = max(min(at_once, centers.n_partitions), 1)
        self._scores = cp.empty(
            (self.partitions_at_once * centers.n_blocks, self.tile_rows), cp.float32
        )
        self._rows = cp.empty((self.tile_rows, n_features), cp.float32)
        self._halves = cp.zeros((self.tile_rows, width), cp.float16)
        self._norms = cp.empty(self.tile_rows, cp.float32)
        self._two = cp.empty((self.partitions_at_once * self.tile_rows, 2), cp.uint32)
        self._many = cp.empty_like(self._two)
        self._counts = cp.zeros(2, cp.uint32)
        self._bad = cp.zeros(1, cp.uint32)
        #: Scores that were too close for half precision: two centres, and more.
        self.n_decided = cp.zeros(2, cp.uint64)

    def label(self, raw: OnDevice, labels: OnDevice) -> None:
        """Label raw rows (any, n_features) into ``labels`` (n_partitions, at least as many)."""
        for start in range(0, len(raw), self.tile_rows):
            some = raw[start : start + self.tile_rows]
            self._prepare(some)
            self._label_tile(len(some), labels[:, start : start + len(some)])

    def check(self) -> None:
        """Refuse rows that were not finite; waits for all that was begun."""
        if int(self._bad[0]):
            self._bad[:] = 0
            raise NotFiniteOnDevice

    def _prepare(self, raw: OnDevice) -> None:
        n_rows, n_features = raw.shape
        prepare = kernel("labelling.cu", "prepare", VALUE=_C_TYPES[raw.dtype.name])
        prepare(
            (-(-n_rows // 8),),
            (256,),
            (
                *(raw, self._mean, np.float64(self._scale), np.int32(n_features)),
                *(np.int32(self._halves.shape[1]), np.uint32(n_rows)),
                *(self._rows, self._halves, self._norms, self._bad),
            ),
        )

    def _label_tile(self, n_rows: int, labels: OnDevice) -> None:
        centers = self.centers
        for first in range(0, centers.n_partitions, self.partitions_at_once):
            some = min(self.partitions_at_once, centers.n_partitions - first)
            self._multiply(n_rows, first, some)
            self._choose(n_rows, first, some, labels)

    def _multiply(self, n_rows: int, first: int, n_partitions: int) -> None:
        """Fill ``scores[c, i]`` with the products of centres and rows."""
        centers = self.centers
        width = self._halves.shape[1]
        one, zero = np.ones(1, np.float32), np.zeros(1, np.float32)
        handle = cp.cuda.device.get_cublas_handle()
        cublas.setPointerMode(handle, cublas.CUBLAS_POINTER_MODE_HOST)
        cublas.gemmEx(
            *(handle, cublas.CUBLAS_OP_T, cublas.CUBLAS_OP_N),
            *(n_rows, n_partitions * centers.n_blocks, width, one.ctypes.data),
            *(self._halves.data.ptr, _HALF, width),
            *(centers.halves[first].data.ptr, _HALF, width, zero.ctypes.data),
            *(self._scores.data.ptr, _SINGLE, self.tile_rows, _IN_SINGLE, _BY_ITSELF),
        )

    def _choose(self, n_rows: int, first: int, n_partitions: int, labels: OnDevice) -> None:
        centers = self.centers
        self._counts[:] = 0
        n_two, n_many = self._counts[:1], self._counts[1:]
        scores = self._scores, np.uint64(self.tile_rows)
        into = labels, np.uint64(labels.strides[0])
        n_blocks, first_partition = np.int32(centers.n_blocks), np.int32(first)
        kernel("labelling.cu", "nearest", VALUE="float")(
            (-(-n_rows // 512), n_partitions),
            (128,),
            (
                *(*scores, centers.offsets, n_blocks, centers.bounds, self._norms),
                *(np.uint32(n_rows), first_partition, *into),
                *(n_two, self._two, n_many, self._many),
            ),
        )
        exact = (
            *(self._rows, np.int32(centers.n_features), centers.exact, centers.offsets),
            *(centers.features, np.int32(centers.features.shape[1]), n_blocks),
        )
        blocks, threads = (8 * processors(),), (256,)
        decide_two = kernel("labelling.cu", "decide_two", VALUE="float")
        decide_two(blocks, threads, (*exact, n_two, self._two, *into))
        decide_many = kernel("labelling.cu", "decide_many", VALUE="float")
        where = *scores, first_partition, centers.bounds, self._norms
        decide_many(blocks, threads, (*where, *exact, n_many, self._many, *into))
        self.n_decided += self._counts


class _Slot:
    """A stretch of rows on its way: in memory the GPU can read, on the GPU, and its labels."""

    def __init__(
        self, n_rows: int, n_features: int, dtype: np.dtype[Any], n_partitions: int
    ) -> None:
        stride = -(-n_rows // 16) * 16
        self._pinned = cp.cuda.alloc_pinned_memory(n_rows * n_features * dtype.itemsize)
        self.rows = np.frombuffer(self._pinned, dtype, n_rows * n_features)
        self.rows = self.rows.reshape(n_rows, n_features)
        self.raw = cp.empty((n_rows, n_features), dtype)
        self.labels = cp.empty((n_partitions, stride), cp.uint8)
        self._pinned_labels = cp.cuda.alloc_pinned_memory(n_partitions * stride)
        self.found = np.frombuffer(self._pinned_labels, np.uint8, n_partitions * stride)
        self.found = self.found.reshape(n_partitions, stride)
        self.copied, self.done = cp.cuda.Event(), cp.cuda.Event()
        self.start, self.n_rows = 0, 0


def label_stream(
    labeller: Labeller, blocks: Iterable[tuple[int, NDArray[Any]]]
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Label blocks of raw rows one after the other: yields (first row, labels).

    While one block is labelled, the next is on its way to the GPU and the labels of the one before
    on their way back. No block is larger than the first, and all have its type. The labels are a
    view that holds until the next ones are asked for.
    """
    slots: list[_Slot] = []
    waiting: list[_Slot] = []
    copying, computing = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    cp.cuda.get_current_stream().synchronize()
    copiers = ThreadPoolExecutor(COPIERS)
    try:
        for number, (start, block) in enumerate(blocks):
            rows = _readable(block)
            if number == 0:
                most_rows, n_features = rows.shape
            if number < 2:
                n_partitions = labeller.centers.n_partitions
                slots.append(_Slot(most_rows, n_features, rows.dtype, n_partitions))
            slot = slots[number % 2]
            if len(waiting) == 2:
                yield _finish(labeller, waiting.pop(0))
            slot.start, slot.n_rows = start, len(rows)
            copy_rows(copiers, rows, slot.rows)
            slot.raw.data.copy_from_host_async(slot.rows.ctypes.data, rows.nbytes, copying)
            slot.copied.record(copying)
            with computing:
                computing.wait_event(slot.copied)
                labeller.label(slot.raw[: len(rows)], slot.labels)
            size = slot.labels.nbytes
            slot.labels.data.copy_to_host_async(slot.found.ctypes.data, size, computing)
            slot.done.record(computing)
            waiting.append(slot)
        for slot in waiting:
            yield _finish(labeller, slot)
    finally:  # what is on its way needs its memory to the end
        copiers.shutdown()
        copying.synchronize()
        computing.synchronize()


def _finish(labeller: Labeller, slot: _Slot) -> tuple[int, NDArray[np.uint8]]:
    slot.done.synchronize()
    labeller.check()
    return slot.start, slot.found[:, : slot.n_rows]


def _readable(block: NDArray[Any]) -> NDArray[Any]:
    return block if block.dtype.name in _C_TYPES else block.astype(np.float64)


def copy_rows(copiers: ThreadPoolExecutor, rows: NDArray[Any], into: NDArray[Any]) -> None:
    """Copy rows in several threads: one alone is slower than the way to the GPU."""
    step = -(-len(rows) // COPIERS)

    def copy(start: int) -> None:
        stop = min(start + step, len(rows))
        into[start:stop] = rows[start:stop]

    list(copiers.map(copy, range(0, len(rows), step)))
