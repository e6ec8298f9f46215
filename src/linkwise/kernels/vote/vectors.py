"""Add up one-byte votes, 64 rows at a time.

64 labels of one partition fill one vector of bytes. What they give one cluster is looked up for all
of them at once: in tables by a byte permute, an instruction of AVX-512 VBMI, and with weights by
comparing the labels with the cluster, which any processor does well.

The bytes are added to 16-bit sums without moving them about. Read as 32 words, a vector of bytes is
``even + 256 * odd``. One sum takes the words as they are, a second one the words shifted right by
eight bits, which is the odd bytes. The first minus 256 times the second, modulo 65536, is the sum
of the even bytes.

Rows are taken in blocks whose sums stay in the first-level cache, with four partitions per pass
over them; meanwhile the labels of the next four are fetched ahead.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types, uint16, uint32
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from linkwise.kernels.compiling import njit
from linkwise.kernels.llvm import (
    ADDRESS,
    BYTE,
    WORD,
    can,
    constant,
    fetch_ahead,
    fill,
    increase,
    load,
)
from linkwise.kernels.vote.bytes import TABLES_AT_ONCE, WEIGHTS_AT_ONCE

ROWS = 64  # in one vector
GROUP = 4  # partitions added in one pass
BLOCK = 1024  # rows whose sums are kept in cache
CLUSTERS = 12  # clusters whose sums are kept in cache

_BYTES = ir.VectorType(BYTE, ROWS)
_WORDS = ir.VectorType(WORD, ROWS // 2)


def has_byte_permute() -> bool:
    """Tell whether this processor has AVX-512 VBMI and numba is set to use it."""
    return can("avx512f", "avx512bw", "avx512vbmi")


def addresses_of(labels: NDArray[np.uint8], partitions: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return where the labels of each partition begin, in whole groups, and one group more.

    The last group is filled up with the first partition, whose entries there must be zero. The
    extra group is the first again, one block on: it is fetched ahead while the last is added.
    """
    n_groups = -(-len(partitions) // GROUP)
    padded = np.full(n_groups * GROUP, partitions[0], np.int64)
    padded[: len(partitions)] = partitions
    addresses = labels.ctypes.data + labels.strides[0] * padded
    return np.concatenate([addresses, addresses[:GROUP] + BLOCK])


def lay_out_tables(entries: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the entries as (n_groups, n_clusters, GROUP, width), padded with zeros.

    The width is 64, 128 or 256: one, two or four vectors. The number of clusters is made even.
    """
    n_used, n_labels, n_clusters = entries.shape
    width = next(w for w in (64, 128, 256) if n_labels <= w)
    n_groups = -(-n_used // GROUP)
    tables = np.zeros((n_groups * GROUP, n_clusters + n_clusters % 2, width), np.uint8)
    tables[:n_used, :n_clusters, :n_labels] = entries.transpose(0, 2, 1)
    grouped = tables.reshape(n_groups, GROUP, -1, width)
    return _aligned(grouped.transpose(0, 2, 1, 3))


def lay_out_weights(entries: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the entries as (n_groups, GROUP), padded with zeros."""
    n_groups = -(-len(entries) // GROUP)
    weights = np.zeros(n_groups * GROUP, np.uint8)
    weights[: len(entries)] = entries
    return weights.reshape(n_groups, GROUP)


def _aligned(array: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a contiguous copy in which no vector lies across two cache lines."""
    room = np.empty(array.size + ROWS, np.uint8)
    start = -room.ctypes.data % ROWS
    copy = room[start : start + array.size].reshape(array.shape)
    copy[...] = array
    return copy


@njit()
def add_tables(addresses, tables, row, n_rows, scores):  # type: ignore[no-untyped-def]
    """Write to ``scores`` (n_clusters, BLOCK) the sums of ``tables`` for a block from ``row`` on.

    ``tables`` come from :func:`lay_out_tables`, ``addresses`` from :func:`addresses_of`; ``n_rows``
    is a multiple of 64. Needs AVX-512 VBMI, see :func:`has_byte_permute`.
    """
    n_groups, n_even, _, width = tables.shape
    n_vectors = n_rows // ROWS
    sums = _aligned_sums()
    where, entries, into = addresses.ctypes.data, tables.ctypes.data, sums.ctypes.data
    for low in range(0, len(scores), CLUSTERS):
        high = min(low + CLUSTERS, len(scores))
        sums[:] = 0
        for g in range(n_groups):
            four = where + 8 * GROUP * g
            for c in range(low, high, 2):
                ahead = addresses[GROUP * (g + 1) + c // 2 % GROUP] + row
                total = into + 2 * BLOCK * (c - low)
                table = entries + GROUP * width * (g * n_even + c)
                if width == 64:
                    _permute_64(four, row, ahead, total, n_vectors, table)
                elif width == 128:
                    _permute_128(four, row, ahead, total, n_vectors, table)
                else:
                    _permute_256(four, row, ahead, total, n_vectors, table)
                    total += 2 * BLOCK
                    table += GROUP * width
                    _permute_256(four, row, ahead, total, n_vectors, table)
        _unpack(sums, n_vectors, low, high, scores)


@njit()
def add_weights(addresses, weights, row, n_rows, scores):  # type: ignore[no-untyped-def]
    """Write to ``scores`` (n_clusters, BLOCK) the weights of the partitions with that label.

    ``weights`` come from :func:`lay_out_weights`, the rest is as for :func:`add_tables`. At most
    256 clusters.
    """
    n_vectors = n_rows // ROWS
    sums = _aligned_sums()
    where, entries, into = addresses.ctypes.data, weights.ctypes.data, sums.ctypes.data
    for low in range(0, len(scores), CLUSTERS):
        high = min(low + CLUSTERS, len(scores))
        sums[:] = 0
        for g in range(len(weights)):
            four, given = where + 8 * GROUP * g, entries + GROUP * g
            for c in range(low, high, 2):
                ahead = addresses[GROUP * (g + 1) + c // 2 % GROUP] + row
                total = into + 2 * BLOCK * (c - low)
                _compare(four, row, ahead, total, n_vectors, given, c)
        _unpack(sums, n_vectors, low, high, scores)


@njit()
def _aligned_sums():  # type: ignore[no-untyped-def]
    """Return room for (CLUSTERS, BLOCK) words where no vector lies across two cache lines."""
    room = np.empty(CLUSTERS * BLOCK + ROWS, np.uint16)
    start = (-room.ctypes.data % ROWS) // 2
    return room[start : start + CLUSTERS * BLOCK].reshape(CLUSTERS, BLOCK)


@njit()
def _unpack(sums, n_vectors, low, high, scores):  # type: ignore[no-untyped-def]
    """Bring sums of ``even + 256 * odd`` and of ``odd`` back into the order of the rows."""
    half = ROWS // 2
    for c in range(low, high):
        packed, pairs = sums[c - low], scores[c].view(np.uint32)
        for v in range(n_vectors):
            words = packed[v * ROWS : v * ROWS + half]
            odd = packed[v * ROWS + half : (v + 1) * ROWS]
            rows = pairs[v * half : (v + 1) * half]
            for i in range(half):
                even = uint16(words[i] - (odd[i] << 8))
                rows[i] = uint32(even) | uint32(odd[i]) << 16


def _permuting(width: int, n_clusters: int) -> Any:
    """Return the intrinsic that adds the tables of four partitions for one cluster or two."""

    @intrinsic
    def permute(typingctx, four, row, ahead, total, n_vectors, table):  # type: ignore[no-untyped-def]  # noqa: ARG001
        def generate(context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
            *block, table = arguments

            def read(c: int, k: int) -> list[Any]:
                begin = (c * GROUP + k) * width
                return [load(builder, table, _BYTES, begin + p) for p in range(0, width, ROWS)]

            pieces = [[read(c, k) for k in range(GROUP)] for c in range(n_clusters)]

            def look_up(c: int, k: int, labels: ir.Value) -> ir.Value:
                return _look_up(builder, pieces[c][k], labels)

            _add_four(builder, block, n_clusters, TABLES_AT_ONCE, look_up)
            return context.get_dummy_value()

        return types.void(*[types.int64] * 6), generate

    return permute


_permute_64 = _permuting(64, n_clusters=2)
_permute_128 = _permuting(128, n_clusters=2)
_permute_256 = _permuting(256, n_clusters=1)  # two would not fit into the registers


def _look_up(builder: ir.IRBuilder, pieces: list[Any], labels: ir.Value) -> ir.Value:
    """Pick the byte each label points to from one, two or four vectors."""
    name = "permvar" if len(pieces) == 1 else "vpermi2var"
    signature = ir.FunctionType(_BYTES, [_BYTES] * (2 if len(pieces) == 1 else 3))
    pick = builder.module.declare_intrinsic(f"llvm.x86.avx512.{name}.qi.512", (), signature)
    low = builder.call(pick, [pieces[0], labels, *pieces[1:2]])
    if len(pieces) < 4:
        return low
    high = builder.call(pick, [pieces[2], labels, pieces[3]])
    from_128_on = builder.icmp_signed("<", labels, ir.Constant(_BYTES, [0] * ROWS))
    return builder.select(from_128_on, high, low)


def _define_compare(typingctx, four, row, ahead, total, n_vectors, given, c):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Give the weights of four partitions to cluster ``c`` or ``c + 1`` where the labels say so."""

    def generate(context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        *block, given, c = arguments
        weights = [fill(builder, load(builder, given, BYTE, k), _BYTES) for k in range(GROUP)]
        names = [
            fill(builder, builder.trunc(builder.add(c, constant(d)), BYTE), _BYTES) for d in (0, 1)
        ]
        nothing = ir.Constant(_BYTES, [0] * ROWS)

        def look_up(d: int, k: int, labels: ir.Value) -> ir.Value:
            named = builder.icmp_unsigned("==", labels, names[d])
            return builder.select(named, weights[k], nothing)

        _add_four(builder, block, 2, WEIGHTS_AT_ONCE, look_up)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 7), generate


_compare: Any = intrinsic(_define_compare)


def _add_four(
    builder: ir.IRBuilder,
    block: list[Any],
    n_clusters: int,
    at_once: int,
    look_up: Callable[[int, int, Any], Any],
) -> None:
    """Add what ``look_up(cluster, partition, labels)`` finds, for all vectors of a block.

    ``block`` is: where the four addresses are, the row to start at, the address to fetch ahead
    from, where the sums of the first cluster are, the number of vectors. So many as ``at_once``
    are added as bytes.
    """
    four, row, ahead, total, n_vectors = block
    begins = [builder.add(load(builder, four, ADDRESS, 8 * k), row) for k in range(GROUP)]
    eight = ir.Constant(_WORDS, [8] * (ROWS // 2))
    with cgutils.for_range(builder, n_vectors) as loop:
        offset = builder.mul(loop.index, constant(ROWS))
        fetch_ahead(builder, builder.add(ahead, offset))
        labels = [load(builder, builder.add(begin, offset), _BYTES) for begin in begins]
        place = builder.add(total, builder.mul(offset, constant(2)))
        for c in range(n_clusters):
            found = [look_up(c, k, labels[k]) for k in range(GROUP)]
            added = [reduce(builder.add, found[k : k + at_once]) for k in range(0, GROUP, at_once)]
            words = [builder.bitcast(bytes_, _WORDS) for bytes_ in added]
            odd = [builder.lshr(word, eight) for word in words]
            increase(builder, place, reduce(builder.add, words), 2 * BLOCK * c)
            increase(builder, place, reduce(builder.add, odd), 2 * BLOCK * c + ROWS)
