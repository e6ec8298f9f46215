"""The few LLVM vector instructions that kernels are made of, for numba intrinsics.

Addresses are 64-bit integers, as ``array.ctypes.data`` gives them. The vectors are LLVM's own: it
splits them into what the processor has, so only what is named after a processor needs one.

numba's cache notices changes in the file of a compiled function only. After changing this file,
remove the cached functions of those that use it (``__pycache__/*.nb?``).
"""

from __future__ import annotations

from functools import cache

from llvmlite import binding, ir
from numba.core.registry import cpu_target

ADDRESS = ir.IntType(64)
BYTE = ir.IntType(8)
WORD = ir.IntType(16)
INTEGER = ir.IntType(32)
FLOAT = ir.FloatType()


@cache
def can(*names: str) -> bool:
    """Tell whether this processor has all these features and numba is set to use them."""
    _, _, features = cpu_target.target_context.codegen().magic_tuple()
    used = {name[1:] for name in features.split(",") if name.startswith("+")}
    here = {name for name, present in binding.get_host_cpu_features().items() if present}
    return set(names) <= used & here


def constant(value: int) -> ir.Constant:
    """Return an address or an offset known beforehand."""
    return ir.Constant(ADDRESS, value)


def load(builder: ir.IRBuilder, address: ir.Value, kind: ir.Type, offset: int = 0) -> ir.Value:
    """Read a value or a vector, aligned or not."""
    return builder.load(_pointer(builder, address, kind, offset), align=1)


def increase(builder: ir.IRBuilder, address: ir.Value, by: ir.Value, offset: int = 0) -> None:
    """Add a vector to the one in memory."""
    pointer = _pointer(builder, address, by.type, offset)
    builder.store(builder.add(builder.load(pointer, align=1), by), pointer, align=1)


def store(builder: ir.IRBuilder, address: ir.Value, value: ir.Value, offset: int = 0) -> None:
    """Write a value or a vector, aligned or not."""
    builder.store(value, _pointer(builder, address, value.type, offset), align=1)


def fill(builder: ir.IRBuilder, value: ir.Value, kind: ir.Type) -> ir.Value:
    """Return a vector of type ``kind`` with the same value everywhere."""
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(INTEGER, 0))
    everywhere = ir.Constant(ir.VectorType(INTEGER, kind.count), [0] * kind.count)
    return builder.shuffle_vector(first, nothing, everywhere)


def multiply_and_add(
    builder: ir.IRBuilder, left: ir.Value, right: ir.Value, to: ir.Value
) -> ir.Value:
    """Return ``left * right + to`` of float32 vectors, rounded once where the processor can."""
    name = f"llvm.fmuladd.v{to.type.count}f32"
    function = builder.module.declare_intrinsic(name, (), ir.FunctionType(to.type, [to.type] * 3))
    return builder.call(function, [left, right, to])


def fetch_ahead(builder: ir.IRBuilder, address: ir.Value) -> None:
    """Ask for one line of memory to be brought into the cache for reading, wherever it points."""
    pointer = _pointer(builder, address, BYTE)
    signature = ir.FunctionType(ir.VoidType(), [pointer.type, INTEGER, INTEGER, INTEGER])
    fetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], signature)
    for_reading, keep, data = (ir.Constant(INTEGER, flag) for flag in (0, 3, 1))
    builder.call(fetch, [pointer, for_reading, keep, data])


def _pointer(builder: ir.IRBuilder, address: ir.Value, kind: ir.Type, offset: int = 0) -> ir.Value:
    moved = builder.add(address, constant(offset))
    return builder.inttoptr(moved, kind.as_pointer())
