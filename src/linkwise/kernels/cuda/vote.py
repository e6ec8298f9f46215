"""The vote on a GPU: the same bytes, the same recount, so the same winners and margins.

See :mod:`linkwise.kernels.vote.vote` for what is counted. Rows whose best two clusters are too
close are listed while the others are settled, and recounted by a second kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.kernels.cuda.device import kernel, processors, require_device
from linkwise.kernels.cuda.layout import (
    ENTRY,
    GROUP,
    STAGES,
    Words,
    in_groups,
    lay_out,
    passes,
    share_rows,
)
from linkwise.kernels.vote.bytes import (
    TABLES_AT_ONCE,
    WEIGHTS_AT_ONCE,
    doubts_about_tables,
    round_weights,
    unit_for_tables,
)
from linkwise.lazy import LazyModule

cp = LazyModule("cupy")

THREADS = 384

#: An array on the GPU; CuPy has no types.
OnDevice = Any


@dataclass(frozen=True, eq=False)
class Tables:
    """Rounded tables or weights on the GPU; :class:`~linkwise.kernels.vote.bytes.ByteTables`.

    ``laid`` has, for each pass over the rows, the tables as they are looked up; for the recount
    ``both`` has steps and parts side by side, of ``n_known`` labels, and ``exact`` the tables or
    weights themselves.
    """

    n_clusters: int
    n_labels: int
    n_known: int
    n_partitions: int
    at_once: int
    room: int
    partitions: OnDevice
    laid: list[OnDevice]
    both: OnDevice
    exact: OnDevice
    unit: float
    doubt: int
    doubt_in_parts: int


def upload_tables(tables: NDArray[np.float64]) -> Tables | None:
    """Round tables (n_partitions, n_labels, n_clusters) on the GPU.

    None if they do not tell the clusters apart.
    """
    n_partitions, n_labels, n_clusters = tables.shape
    exact = cp.asarray(np.ascontiguousarray(tables, np.float64))
    found = cp.empty((2, n_partitions))
    blocks, threads = (n_partitions,), (256,)
    sizes = np.int32(n_labels), np.int32(n_clusters)
    kernel("rounding.cu", "measure")(blocks, threads, (exact, *sizes, found))
    largest, reach = cp.asnumpy(found)
    if not reach.any():
        return None
    unit = unit_for_tables(reach)
    parts = passes(n_clusters)
    each = parts[0][1]
    words = Words.of(each)
    room = 128 if n_labels <= 128 else 256
    padded = -(-n_partitions // GROUP) * GROUP
    laid = cp.zeros((len(parts), padded, room, ENTRY), cp.uint8)
    both = cp.empty((len(parts), n_partitions, n_labels, 2, ENTRY), cp.uint8)
    place = cp.asarray(words.bytes().astype(np.int32))
    shape = np.int32(each), place, np.int32(padded), np.int32(room)
    kernel("rounding.cu", "round_tables")(
        blocks, threads, (exact, *sizes, np.float64(unit), *shape, laid, both, found)
    )
    spread, spread_in_parts = cp.asnumpy(found)
    _, doubt, doubt_in_parts = doubts_about_tables(largest, spread, spread_in_parts, unit)
    partitions = cp.asarray(in_groups(np.arange(n_partitions)))
    return Tables(
        n_clusters,
        n_labels,
        n_labels,
        n_partitions,
        TABLES_AT_ONCE,
        room,
        partitions,
        list(laid),
        both,
        exact,
        unit,
        doubt,
        doubt_in_parts,
    )


def upload_weights(weights: NDArray[np.float64], n_clusters: int) -> Tables | None:
    """Round weights >= 0 of shape (n_partitions,): a partition gives its own to whom it names."""
    rounded = round_weights(weights)
    if not len(rounded.partitions):
        return None
    parts = passes(n_clusters)
    words = Words.of(parts[0][1])
    laid = []
    for first, size in parts:
        diagonal = np.zeros((len(rounded.entries), 256, size), np.uint8)
        diagonal[:, np.arange(first, first + size), np.arange(size)] = rounded.entries[:, None]
        laid.append(cp.asarray(lay_out(diagonal, words, 256)))
    steps = np.zeros(len(weights), np.uint8)
    np.add.at(steps, rounded.partitions, rounded.entries)
    both = np.zeros((len(parts), len(weights), n_clusters + 1, 2, ENTRY), np.uint8)
    both[..., 1, :] = 128
    for number, (first, size) in enumerate(parts):  # the last label names nobody
        named, there = np.arange(first, first + size), np.arange(size)
        both[number, :, named, 0, there] = steps
        both[number, :, named, 1, there] = (rounded.parts + np.int16(128)).astype(np.uint8)
    return Tables(
        n_clusters,
        n_clusters,
        n_clusters + 1,
        len(weights),
        WEIGHTS_AT_ONCE,
        256,
        cp.asarray(in_groups(rounded.partitions)),
        laid,
        cp.asarray(both),
        cp.asarray(weights),
        rounded.unit,
        rounded.doubt,
        rounded.doubt_in_parts,
    )


def vote(
    labels: OnDevice, n_rows: int, tables: Tables, threads: int = THREADS
) -> tuple[OnDevice, OnDevice]:
    """Return winners (int32) and margins (float32) of the first rows, on the GPU.

    ``labels`` is (n_partitions, at least n_rows) uint8 on the GPU, with rows of the array that
    begin at multiples of 16 bytes. ``threads`` of a block change the time it takes, not the result.
    """
    winners = cp.empty(n_rows, cp.int32)
    margins = cp.empty(n_rows, cp.float32)
    n_close = cp.zeros(1, cp.uint32)
    close = cp.empty(n_rows, cp.uint32)
    parts = passes(tables.n_clusters)
    state = [cp.empty(n_rows if len(parts) > 1 else 1, cp.uint16) for _ in range(3)]
    words = Words.of(parts[0][1])
    count, shared = _counting(words, tables, threads)
    n_groups = len(tables.partitions) // GROUP
    n_blocks, each = share_rows(n_rows, processors(), threads)
    stride = np.uint64(labels.strides[0])
    limits = np.float64(tables.unit), np.int32(tables.doubt)
    for number, (first, _) in enumerate(parts):
        steps = (
            *(labels, stride, tables.partitions, np.int32(n_groups), tables.laid[number]),
            *(np.uint32(n_rows), np.uint32(each), np.uint32(first)),
            *(np.uint32(number == 0), np.uint32(number == len(parts) - 1), *state),
            *(*limits, winners, margins, n_close, close),
        )
        count((n_blocks,), (threads,), steps, shared_mem=shared)
    is_weights = int(tables.exact.ndim == 1)
    sizes = tables.n_partitions, tables.n_labels, tables.n_known, tables.n_clusters, parts[0][1]
    again = (
        *(labels, stride, *map(np.int32, sizes), tables.both, tables.exact, *limits),
        *(np.int32(tables.doubt_in_parts), n_close, close, winners, margins),
    )
    recount = kernel("recount.cu", "recount", WEIGHTS=is_weights)
    recount((8 * processors(),), (256,), again)
    return winners, margins


def _counting(words: Words, tables: Tables, threads: int) -> tuple[Any, int]:
    """Return the kernel and the bytes of shared memory it needs.

    There are as many copies of the tables as fit, so that threads do not collide.
    """
    most = require_device(cp.cuda.Device().id)
    sizes = {n: STAGES * GROUP * tables.room * ENTRY * n for n in (8, 4, 2, 1)}
    copies = next(n for n, size in sizes.items() if size <= most)
    count = kernel(
        "vote.cu",
        "count_votes",
        DENSE=words.dense,
        WIDE=words.wide,
        LABELS=tables.room,
        COPIES=copies,
        AT_ONCE=tables.at_once,
        THREADS=threads,
    )
    count.max_dynamic_shared_size_bytes = sizes[copies]
    return count, sizes[copies]
