"""The few LLVM vector instructions the vote is made of, for numba intrinsics.

Addresses are 64-bit integers, as ``array.ctypes.data`` gives them. The vectors are LLVM's own: it
splits them into what the processor has, so only what is named after a processor needs one.

numba's cache notices changes in the file of a compiled function only. After changing this file,
remove the cached functions of those that use it (``__pycache__/*.nb?``).
"""

from __future__ import annotations

from llvmlite import ir

ADDRESS = ir.IntType(64)
BYTE = ir.IntType(8)
WORD = ir.IntType(16)
_FLAG = ir.IntType(32)


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


def fill(builder: ir.IRBuilder, value: ir.Value, kind: ir.Type) -> ir.Value:
    """Return a vector of type ``kind`` with the same value everywhere."""
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(_FLAG, 0))
    everywhere = ir.Constant(ir.VectorType(_FLAG, kind.count), [0] * kind.count)
    return builder.shuffle_vector(first, nothing, everywhere)


def fetch_ahead(builder: ir.IRBuilder, address: ir.Value) -> None:
    """Ask for one line of memory to be brought into the cache for reading, wherever it points."""
    pointer = _pointer(builder, address, BYTE)
    signature = ir.FunctionType(ir.VoidType(), [pointer.type, _FLAG, _FLAG, _FLAG])
    fetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], signature)
    for_reading, keep, data = (ir.Constant(_FLAG, flag) for flag in (0, 3, 1))
    builder.call(fetch, [pointer, for_reading, keep, data])


def _pointer(builder: ir.IRBuilder, address: ir.Value, kind: ir.Type, offset: int = 0) -> ir.Value:
    moved = builder.add(address, constant(offset))
    return builder.inttoptr(moved, kind.as_pointer())
