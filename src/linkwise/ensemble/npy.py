"""What a ``.npy`` file says about itself, checked before anything is read or mapped."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from linkwise.errors import InvalidInput


class NpyHeader(NamedTuple):
    """Shape and type of the array, whether columns come first, and where the values start."""

    shape: tuple[int, ...]
    by_column: bool
    dtype: np.dtype[Any]
    offset: int


def read_npy_header(path: Path) -> NpyHeader:
    """Read the header of a file and refuse a file shorter than its header says.

    NumPy itself, mapping a short file for writing, would lengthen it with zeros.
    """
    with open(path, "rb") as file:
        try:
            version = np.lib.format.read_magic(file)
            if version == (1, 0):
                shape, by_column, dtype = np.lib.format.read_array_header_1_0(file)
            else:
                shape, by_column, dtype = np.lib.format.read_array_header_2_0(file)
        except ValueError as error:
            raise InvalidInput(f"{path} is not a .npy file: {error}.") from None
        offset = file.tell()
    size = int(np.prod(shape, dtype=object)) * dtype.itemsize
    found = path.stat().st_size
    if not dtype.hasobject and found < offset + size:
        values = " x ".join(map(str, shape))
        raise InvalidInput(
            f"{path} has {found} bytes but {values} values of {dtype} need {offset + size}. "
            "The file is cut short."
        )
    return NpyHeader(shape, bool(by_column) and len(shape) > 1, dtype, offset)
