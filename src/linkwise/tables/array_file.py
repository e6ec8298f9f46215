"""NumPy files: one array, or several by name; sparse rows as SciPy writes them."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import Advice, InvalidFile, Remedy
from linkwise.files.npy import read_header
from linkwise.tables.choice import Choice, Table
from linkwise.tables.columns import check_finite, read_ids
from linkwise.tables.frame import check_known
from linkwise.tables.sparse import SPARSE, sparse_rows
from linkwise.typing import Matrix

_PIECE = 1 << 20
#: More columns than this are no table, and their names alone would fill the memory.
MOST_COLUMNS = 10_000_000
#: What damaged or foreign archives raise; packed in other ways than NumPy packs, or by a password.
_BAD_ARCHIVE = (zipfile.BadZipFile, NotImplementedError, RuntimeError)


def read_arrays(path: Path, array: str | None, choice: Choice) -> Table:
    """Return the rows of a ``.npy`` or ``.npz`` file; columns go by their number."""
    if choice.roles:
        raise InvalidFile(path.name, " holds numbers, and its columns cannot be anything else.")
    arrays = load_arrays(path)
    X = rows_of(path.name, arrays, array)
    ids = None
    if choice.id_column is not None:
        ids = _ids(path.name, arrays, choice.id_column, X.shape[0])
    if 0 in X.shape:
        raise InvalidFile(path.name, f" holds {X.shape[0]} rows and {X.shape[1]} columns.")
    if X.shape[1] > MOST_COLUMNS:
        raise InvalidFile(
            path.name,
            f" has {X.shape[1]:,} columns, more than the {MOST_COLUMNS:,} linkwise takes.",
        )
    names = [str(k) for k in range(X.shape[1])]
    check_known(path.name, (*choice.features, *choice.drop), names)
    wanted = choice.features or tuple(name for name in names if name not in choice.drop)
    if not wanted:
        raise InvalidFile(path.name, ": no column is left to cluster by.")
    if len(wanted) < len(names) or choice.features:
        X = X[:, [int(name) for name in wanted]]
    check_finite(path.name, X, wanted)
    return Table(X, list(wanted), ids, has_units=False, has_header=False)


def load_arrays(path: Path) -> Mapping[str, NDArray[Any]]:
    """Return the arrays by name; the only array of a ``.npy`` file is called X.

    No room is made for an array before its header was found to agree with the bytes that follow.
    """
    try:
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):
                file.seek(0)
                return {"X": _read_one(file, path.stat().st_size)}
            with zipfile.ZipFile(file) as archive:
                return {name: _read_member(archive, part) for name, part in parts_of(archive)}
    except (ValueError, EOFError, KeyError, zlib.error, OverflowError, *_BAD_ARCHIVE):
        raise InvalidFile(
            path.name,
            " is not a NumPy file linkwise can read: it reads arrays of numbers and text, never "
            "pickled objects.",
        ) from None


def parts_of(archive: zipfile.ZipFile) -> list[tuple[str, zipfile.ZipInfo]]:
    """Return the arrays of an archive by name; each name is there once."""
    parts = [(part.filename.removesuffix(".npy"), part) for part in archive.infolist()]
    if len(dict(parts)) < len(parts):
        raise ValueError("two members of the archive have the same name")
    return parts


def _read_member(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(part) as file:
        return _read_one(file, part.file_size)


def _read_one(file: IO[bytes], size: int) -> NDArray[Any]:
    """Read one array, which must take all of ``size`` bytes."""
    header = read_header(file)
    if header.dtype.hasobject:
        raise ValueError("objects are not read")
    if header.offset + header.n_bytes != size:
        raise ValueError(f"{header.n_bytes} bytes announced, {size - header.offset} there")
    values = np.empty(prod(header.shape), dtype=header.dtype)
    room, done = values.view(np.uint8) if values.nbytes else np.empty(0, np.uint8), 0
    while done < len(room):
        piece = file.read(min(len(room) - done, _PIECE))
        if not piece:
            raise EOFError("the values end too early")
        room[done : done + len(piece)] = np.frombuffer(piece, np.uint8)
        done += len(piece)
    if header.by_column:
        return values.reshape(header.shape[::-1]).transpose()
    return values.reshape(header.shape)


def rows_of(file: str, arrays: Mapping[str, NDArray[Any]], name: str | None) -> Matrix:
    """Return the array of that name, X by default, as rows of floats; sparse rows as CSR."""
    if name is None and "X" not in arrays and set(SPARSE) <= set(arrays):
        data = _floats(file, "data", arrays["data"])
        return sparse_rows(file, {**arrays, "data": data})
    name = name or "X"
    if name not in arrays:
        raise InvalidFile(
            file,
            f' has no array "{name}", it has {", ".join(arrays)}.',
            Advice(Remedy.NAME_ARRAY, name),
        )
    if arrays[name].ndim != 2:
        raise InvalidFile(
            file,
            f': array "{name}" has shape {arrays[name].shape}, '
            f"expected rows and columns, of shape (n_rows, n_columns).",
        )
    return _floats(file, name, arrays[name])


def image_shape_in(file: str, arrays: Mapping[str, NDArray[Any]]) -> tuple[int, ...] | None:
    """Return the shape of a row that is a picture, if the arrays say that rows are."""
    if "image_shape" not in arrays:
        return None
    shape = arrays["image_shape"].ravel()
    if shape.dtype.kind not in "iu" or not 1 <= shape.size <= 3:
        raise InvalidFile(file, ": image_shape must be two or three whole numbers.")
    return tuple(int(side) for side in shape)


def _floats(file: str, name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return the values as floats, in single precision where that loses nothing."""
    if values.dtype.kind not in "biuf":
        raise InvalidFile(file, f': array "{name}" holds {values.dtype}, not numbers.')
    small = values.dtype.itemsize <= 2 or values.dtype == np.float32
    with np.errstate(over="ignore"):  # too large a number is found to be infinite later
        return values.astype(np.float32 if small else np.float64, copy=False)


def _ids(file: str, arrays: Mapping[str, NDArray[Any]], name: str, n_rows: int) -> list[Any]:
    if name not in arrays:
        raise InvalidFile(
            file, f' has no array "{name}" to name the rows, it has {", ".join(arrays)}.'
        )
    if arrays[name].shape != (n_rows,):
        raise InvalidFile(
            file, f': array "{name}" has shape {arrays[name].shape} for {n_rows} rows.'
        )
    return read_ids(file, f'array "{name}"', arrays[name].tolist())
