"""What a ``.npy`` file says about itself, checked before anything is read or mapped."""

from __future__ import annotations

import os
from io import BufferedReader
from pathlib import Path

from linkwise.errors import InvalidInput
from linkwise.files.npy import NpyHeader, read_header


def read_npy_header(file: BufferedReader, path: Path) -> NpyHeader:
    """Read the header of an open file and refuse a file shorter than its header says.

    NumPy itself, mapping a short file for writing, would lengthen it with zeros.
    """
    try:
        header = read_header(file)
    except ValueError as error:
        raise InvalidInput(f"{path} is not a .npy file: {error}.") from None
    found, needed = os.fstat(file.fileno()).st_size, header.offset + header.n_bytes
    if not header.dtype.hasobject and found < needed:
        values = " x ".join(map(str, header.shape))
        raise InvalidInput(
            f"{path} has {found} bytes but {values} values of {header.dtype} need {needed}. "
            "The file is cut short."
        )
    return header
