"""Labels of rows: their products with all centres, and the largest one while it is at hand.

A library's product writes all scores to memory, and wants the features that a partition looks at
copied first. Here they are read where they are. Rows are the columns of *panels*; a few centres
meet a panel, and their scores grow in registers, one feature after the other. Then they are
compared with the best so far and forgotten. This pays where vectors are long, see :func:`pays`;
elsewhere :func:`linkwise.kernels.nearest.label_tile` has the same done by a library.

Each score is a sum of its own: the products of :func:`stretch` features are added one after the
other in float32, rounded once each where the processor can (FMA), and then the stretches. So it
depends neither on the other rows of its tile nor on how wide a processor's vectors are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from linkwise.kernels.compiling import njit
from linkwise.kernels.llvm import (
    ADDRESS,
    FLOAT,
    INTEGER,
    can,
    constant,
    fill,
    load,
    multiply_and_add,
    store,
)

#: Numbers in a vector, vectors side by side, and centres that meet them: their scores, and what
#: they are made of, fit into the registers.
LANES, VECTORS, CENTERS = (16, 2, 8) if can("avx512f") else (8, 2, 6)
#: Rows in a panel.
COLUMNS = LANES * VECTORS
#: Features whose products are added up at most before the sum is put aside.
LONGEST = 320
LINE = 64  # bytes

_FLOATS = ir.VectorType(FLOAT, LANES)
_INTEGERS = ir.VectorType(INTEGER, LANES)


def pays() -> bool:
    """Tell whether this processor has vectors of 8 numbers and FMA, and numba may use them."""
    return can("avx2", "fma")


@njit()
def label_in_panels(tile, centers, offsets, features, labels):  # type: ignore[no-untyped-def]
    """Do what ``label_tile`` does.

    Memory is read by its address: arrays must be contiguous, ``features`` int32 and within the
    tile, the others float32, and no axis empty.
    """
    n_partitions, n_centers, n_used = centers.shape
    n_features, width = tile.shape
    panels = in_panels(tile)
    best, label = np.empty(COLUMNS, np.float32), np.empty(COLUMNS, np.int32)
    n_groups = -(-n_centers // CENTERS)
    where = np.empty((n_groups, CENTERS), np.int64)
    offset = np.empty((n_groups, CENTERS), np.float32)
    for p in range(n_partitions):
        for k in range(n_groups * CENTERS):
            c = min(k, n_centers - 1)  # the last one again, which is never better than itself
            where.flat[k] = centers.ctypes.data + 4 * n_used * (n_centers * p + c)
            offset.flat[k] = offsets[p, c]
        for b in range(len(panels)):
            best[:] = -np.inf
            label[:] = 0
            for g in range(n_groups):
                _meet(
                    where.ctypes.data + 8 * CENTERS * g,
                    offset.ctypes.data + 4 * CENTERS * g,
                    panels.ctypes.data + 4 * COLUMNS * n_features * b,
                    features.ctypes.data + 4 * n_used * p,
                    n_used,
                    stretch(n_used),
                    best.ctypes.data,
                    label.ctypes.data,
                    CENTERS * g,
                )
            for i in range(min(COLUMNS, width - COLUMNS * b)):
                labels[p, COLUMNS * b + i] = label[i]


@njit()
def in_panels(tile):  # type: ignore[no-untyped-def]
    """Return columns in panels, (n_panels, n_features, COLUMNS), the last filled up with zeros.

    No vector lies across two lines of the cache.
    """
    n_features, width = tile.shape
    n_panels = -(-width // COLUMNS)
    size = n_panels * n_features * COLUMNS
    room = np.empty(size + LINE // 4, np.float32)
    skipped = -room.ctypes.data % LINE // 4
    panels = room[skipped : skipped + size].reshape(n_panels, n_features, COLUMNS)
    for b in range(n_panels):
        n_here = min(COLUMNS, width - COLUMNS * b)
        for f in range(n_features):
            into, given = panels[b, f], tile[f, COLUMNS * b :]
            for i in range(n_here):
                into[i] = given[i]
            into[n_here:] = 0
    return panels


@njit()
def stretch(n_used):  # type: ignore[no-untyped-def]
    """Return of how many features the products are added up before the sum is put aside."""
    n_stretches = -(-n_used // LONGEST)
    return -(-n_used // n_stretches)


def _define_meet(  # type: ignore[no-untyped-def]
    typingctx,  # noqa: ARG001
    where,  # noqa: ARG001
    offsets,  # noqa: ARG001
    panel,  # noqa: ARG001
    features,  # noqa: ARG001
    n_used,  # noqa: ARG001
    at_once,  # noqa: ARG001
    best,  # noqa: ARG001
    label,  # noqa: ARG001
    first,  # noqa: ARG001
):
    """Let some centres meet a panel: ``best`` and ``label`` are those of the columns so far.

    All are addresses but ``n_used``, ``at_once`` and ``first``, the number of the first centre.
    """

    def generate(context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        where, offsets, panel, features, n_used, at_once, best, label, first = arguments
        centers = [load(builder, where, ADDRESS, 8 * c) for c in range(CENTERS)]
        nothing = [ir.Constant(_FLOATS, [0.0] * LANES)] * (CENTERS * VECTORS)

        def add_feature(f: ir.Value, sums: list[Any]) -> list[Any]:
            step = builder.mul(f, constant(4))
            feature = builder.zext(load(builder, builder.add(features, step), INTEGER), ADDRESS)
            row = builder.add(panel, builder.mul(feature, constant(4 * COLUMNS)))
            values = [load(builder, row, _FLOATS, 4 * LANES * v) for v in range(VECTORS)]
            added = []
            for c in range(CENTERS):
                number = load(builder, builder.add(centers[c], step), FLOAT)
                weight = fill(builder, number, _FLOATS)
                for v in range(VECTORS):
                    so_far = sums[c * VECTORS + v]
                    added.append(multiply_and_add(builder, weight, values[v], so_far))
            return added

        def add_stretch(start: ir.Value, totals: list[Any]) -> list[Any]:
            end = builder.add(start, at_once)
            stop = builder.select(builder.icmp_signed("<", end, n_used), end, n_used)
            sums = _loop(builder, start, stop, constant(1), nothing, add_feature)
            return [builder.fadd(*pair) for pair in zip(totals, sums, strict=True)]

        scores = _loop(builder, constant(0), n_used, at_once, nothing, add_stretch)
        for v in range(VECTORS):
            most = load(builder, best, _FLOATS, 4 * LANES * v)
            leads = load(builder, label, _INTEGERS, 4 * LANES * v)
            for c in range(CENTERS):
                offset = fill(builder, load(builder, offsets, FLOAT, 4 * c), _FLOATS)
                name = builder.trunc(builder.add(first, constant(c)), INTEGER)
                score = builder.fsub(scores[c * VECTORS + v], offset)
                larger = builder.fcmp_ordered(">", score, most)
                most = builder.select(larger, score, most)
                leads = builder.select(larger, fill(builder, name, _INTEGERS), leads)
            store(builder, best, most, 4 * LANES * v)
            store(builder, label, leads, 4 * LANES * v)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 9), generate


def _loop(
    builder: ir.IRBuilder,
    start: ir.Value,
    stop: ir.Value,
    step: ir.Value,
    values: list[Any],
    change: Callable[[ir.Value, list[Any]], list[Any]],
) -> list[Any]:
    """Return what ``values`` are after ``change(index, values)`` for all indices, one at least."""
    before = builder.block
    body = builder.append_basic_block()
    after = builder.append_basic_block()
    builder.branch(body)
    builder.position_at_end(body)
    index = builder.phi(ADDRESS)
    index.add_incoming(start, before)
    carried = [builder.phi(value.type) for value in values]
    changed = change(index, carried)
    following = builder.add(index, step)
    index.add_incoming(following, builder.block)
    for phi, old, new in zip(carried, values, changed, strict=True):
        phi.add_incoming(old, before)
        phi.add_incoming(new, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, stop), body, after)
    builder.position_at_end(after)
    return changed


_meet: Any = intrinsic(_define_meet)
