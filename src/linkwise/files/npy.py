"""What an array in NumPy's format says about itself, checked before room is made for it."""

from __future__ import annotations

from math import prod
from typing import IO, Any, NamedTuple

import numpy as np


class NpyHeader(NamedTuple):
    """Shape and type of the array, whether columns come first, and where the values start."""

    shape: tuple[int, ...]
    by_column: bool
    dtype: np.dtype[Any]
    offset: int

    @property
    def n_bytes(self) -> int:
        """Bytes of the values."""
        return prod(self.shape) * self.dtype.itemsize


def read_header(file: IO[bytes]) -> NpyHeader:
    """Read the header at the beginning of a file; a ``ValueError`` says what is wrong with it."""
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        shape, by_column, dtype = np.lib.format.read_array_header_1_0(file)
    else:
        shape, by_column, dtype = np.lib.format.read_array_header_2_0(file)
    if any(side < 0 for side in shape):
        raise ValueError(f"its shape {shape} is not one")
    return NpyHeader(shape, bool(by_column) and len(shape) > 1, dtype, file.tell())
