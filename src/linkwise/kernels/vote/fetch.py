"""Add up one-byte votes, one row at a time: the way without AVX-512 VBMI.

For one label of one partition the entries of 16 clusters lie side by side. They are fetched as one
vector, widened to 16 bits and added to the sums of the row. This is written in LLVM's vectors
because numba does not turn the loop into them by itself and is three times slower then.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from linkwise.kernels.compiling import njit
from linkwise.kernels.llvm import ADDRESS, BYTE, WORD, constant, increase, load
from linkwise.kernels.vote.bytes import TABLES_AT_ONCE
from linkwise.kernels.vote.vectors import BLOCK, GROUP

CLUSTERS = 16  # in one vector
LABELS = 256  # so that any label points into the tables

_BYTES = ir.VectorType(BYTE, CLUSTERS)
_WORDS = ir.VectorType(WORD, CLUSTERS)


def lay_out_rows(entries: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the entries as (n_parts, n_partitions, LABELS, CLUSTERS), padded with zeros."""
    n_used, n_labels, n_clusters = entries.shape
    shape = (-(-n_used // GROUP) * GROUP, LABELS, -(-n_clusters // CLUSTERS) * CLUSTERS)
    tables = np.zeros(shape, np.uint8)
    tables[:n_used, :n_labels, :n_clusters] = entries
    split = tables.reshape(shape[0], LABELS, -1, CLUSTERS)
    return np.ascontiguousarray(split.transpose(2, 0, 1, 3))


@njit()
def add_rows(addresses, tables, row, n_rows, scores):  # type: ignore[no-untyped-def]
    """Write to ``scores`` (n_clusters, BLOCK) the sums of ``tables`` for a block from ``row`` on.

    ``tables`` come from :func:`lay_out_rows`, ``addresses`` from
    :func:`~linkwise.kernels.vote.vectors.addresses_of`.
    """
    n_partitions, size = tables.shape[1], LABELS * CLUSTERS
    sums = np.empty((BLOCK, CLUSTERS), np.uint16)
    where, entries, into = addresses.ctypes.data, tables.ctypes.data, sums.ctypes.data
    for low in range(0, len(scores), CLUSTERS):
        part = entries + low // CLUSTERS * n_partitions * size
        sums[:] = 0
        for k in range(0, n_partitions, GROUP):
            _fetch(where + 8 * k, row, part + k * size, into, n_rows)
        for c in range(low, min(low + CLUSTERS, len(scores))):
            for i in range(n_rows):
                scores[c, i] = sums[i, c - low]


def _define_fetch(typingctx, four, row, tables, sums, n_rows):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Add the entries of four partitions to the sums of ``n_rows`` rows."""

    def generate(context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        four, row, tables, sums, n_rows = arguments
        begins = [builder.add(load(builder, four, ADDRESS, 8 * k), row) for k in range(GROUP)]
        with cgutils.for_range(builder, n_rows) as loop:
            found = []
            for k in range(GROUP):
                label = load(builder, builder.add(begins[k], loop.index), BYTE)
                offset = builder.mul(builder.zext(label, ADDRESS), constant(CLUSTERS))
                table = builder.add(tables, offset)
                found.append(load(builder, table, _BYTES, k * LABELS * CLUSTERS))
            added = [
                reduce(builder.add, found[k : k + TABLES_AT_ONCE])
                for k in range(0, GROUP, TABLES_AT_ONCE)
            ]
            words = [builder.zext(bytes_, _WORDS) for bytes_ in added]
            place = builder.add(sums, builder.mul(loop.index, constant(2 * CLUSTERS)))
            increase(builder, place, reduce(builder.add, words))
        return context.get_dummy_value()

    return types.void(*[types.int64] * 5), generate


_fetch: Any = intrinsic(_define_fetch)
