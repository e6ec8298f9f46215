"""Labels on the GPU: kept there between votes if there is room, in stretches if there is not."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.kernels.cuda.device import free_bytes
from linkwise.kernels.cuda.labelling import COPIERS, copy_rows
from linkwise.kernels.cuda.vote import OnDevice
from linkwise.lazy import LazyModule

cp = LazyModule("cupy")

#: Bytes of labels on their way at once.
STRETCH_BYTES = 1 << 28
#: What a vote needs besides the labels: winner, margin, place in a list, state of a pass; and more.
BYTES_PER_ROW = 32

Labels = NDArray[np.uint8]


@dataclass
class _Kept:
    """A copy on the GPU of the first ``n_rows`` columns of labels that ``owner`` holds."""

    owner: weakref.ref[NDArray[Any]]
    place: tuple[object, ...]
    labels: OnDevice
    n_rows: int


class ResidentLabels:
    """Copies of label matrices on one GPU, each until its memory on the host is let go.

    A matrix may grow between votes: only the new columns are brought then. Those that were there
    must not change.
    """

    def __init__(self) -> None:
        self._kept: dict[int, _Kept] = {}

    def stretches(self, labels: Labels) -> Iterator[tuple[int, int, OnDevice]]:
        """Yield (first row, number of rows, labels on the GPU): all at once where they fit."""
        kept = self._find(labels) or self._keep(labels)
        if kept is not None:
            yield 0, labels.shape[1], kept.labels
        else:
            yield from _bring(labels, 0)

    def forget(self) -> None:
        """Let go of all memory on the GPU."""
        self._kept.clear()

    def _find(self, labels: Labels) -> _Kept | None:
        owner = _owner(labels)
        kept = self._kept.get(id(owner))
        if kept is None or kept.owner() is not owner or kept.place != _place(labels):
            return None
        n_rows = labels.shape[1]
        if n_rows > kept.labels.shape[1]:
            return None
        if n_rows > kept.n_rows:
            _fill(kept.labels, labels, kept.n_rows)
            kept.n_rows = n_rows
        return kept

    def _keep(self, labels: Labels) -> _Kept | None:
        owner = _owner(labels)
        self._kept.pop(id(owner), None)
        n_partitions, n_rows = labels.shape
        room = -(-(n_rows + n_rows // 8) // 64) * 64  # some to grow
        needed = n_partitions * room + BYTES_PER_ROW * n_rows
        if needed > free_bytes() - 2 * STRETCH_BYTES:
            self.forget()
        if needed > free_bytes() - 2 * STRETCH_BYTES:
            return None
        on_device = cp.empty((n_partitions, room), cp.uint8)
        _fill(on_device, labels, 0)
        key, kept = id(owner), self._kept
        reference = weakref.ref(owner, lambda gone: _drop(kept, key, gone))
        found = _Kept(reference, _place(labels), on_device, n_rows)
        kept[key] = found
        return found


def _drop(kept: dict[int, _Kept], key: int, gone: weakref.ref[NDArray[Any]]) -> None:
    if key in kept and kept[key].owner is gone:
        del kept[key]


def _owner(labels: Labels) -> NDArray[Any]:
    """Return the array whose memory this view looks at."""
    owner: NDArray[Any] = labels
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return owner


def _place(labels: Labels) -> tuple[object, ...]:
    return labels.ctypes.data, len(labels), labels.strides[0]


def _fill(on_device: OnDevice, labels: Labels, first: int) -> None:
    for start, n_rows, some in _bring(labels, first):
        on_device[:, start : start + n_rows] = some[:, :n_rows]


def _bring(labels: Labels, first: int) -> Iterator[tuple[int, int, OnDevice]]:
    """Yield stretches of labels from column ``first`` on; the next is on its way meanwhile.

    A stretch is valid until the next is asked for.
    """
    n_partitions, n_rows = labels.shape
    width = max(STRETCH_BYTES // n_partitions // 64 * 64, 64)
    copying, current = cp.cuda.Stream(non_blocking=True), cp.cuda.get_current_stream()
    size = n_partitions * width
    pinned = [cp.cuda.alloc_pinned_memory(size) for _ in range(2)]
    shape = n_partitions, width
    hosts = [np.frombuffer(memory, np.uint8, size).reshape(shape) for memory in pinned]
    devices = [cp.empty(shape, cp.uint8) for _ in range(2)]
    used = [cp.cuda.Event() for _ in range(2)]
    starts = range(first, n_rows, width)
    current.synchronize()

    def send(number: int) -> Any:
        start, turn = starts[number], number % 2
        some = labels[:, start : start + width]
        used[turn].synchronize()
        copy_rows(copiers, some, hosts[turn][:, : some.shape[1]])
        devices[turn].data.copy_from_host_async(hosts[turn].ctypes.data, size, copying)
        arrived = cp.cuda.Event()
        arrived.record(copying)
        return arrived

    copiers = ThreadPoolExecutor(COPIERS)
    try:
        arrived = send(0) if len(starts) else None
        for number, start in enumerate(starts):
            current.wait_event(arrived)
            if number + 1 < len(starts):
                following = send(number + 1)
            yield start, min(width, n_rows - start), devices[number % 2]
            used[number % 2].record(current)
            if number + 1 < len(starts):
                arrived = following
    finally:
        copiers.shutdown()
        copying.synchronize()
        current.synchronize()


def count_all(
    resident: ResidentLabels,
    labels: Labels,
    count: Callable[[OnDevice, int], tuple[OnDevice, OnDevice]],
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return winners and margins of all rows; ``count(labels, n_rows)`` votes on the GPU."""
    n_rows = labels.shape[1]
    winners, margins = np.empty(n_rows, np.int32), np.empty(n_rows, np.float32)
    for start, size, some in resident.stretches(labels):
        for on_device, array in zip(count(some, size), (winners, margins), strict=True):
            on_device.get(out=array[start : start + size])
    return winners, margins
