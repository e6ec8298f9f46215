"""NumPy files: one array, or several by name; sparse rows as SciPy writes them."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.errors import Advice, InvalidFile, Remedy
from linkwise.tables.choice import Choice, Table
from linkwise.tables.columns import check_finite, read_ids
from linkwise.tables.frame import check_known
from linkwise.typing import Matrix

_SPARSE = ("data", "indices", "indptr", "shape")


def read_arrays(path: Path, array: str | None, choice: Choice) -> Table:
    """Return the rows of a ``.npy`` or ``.npz`` file; columns go by their number."""
    arrays = load_arrays(path)
    X = rows_of(path.name, arrays, array)
    ids = None
    if choice.id_column is not None:
        ids = _ids(path.name, arrays, choice.id_column, X.shape[0])
    if 0 in X.shape:
        raise InvalidFile(path.name, f" holds {X.shape[0]} rows and {X.shape[1]} columns.")
    names = [str(k) for k in range(X.shape[1])]
    check_known(path.name, (*choice.features, *choice.drop, *choice.roles), names)
    wanted = choice.features or tuple(name for name in names if name not in choice.drop)
    if not wanted:
        raise InvalidFile(path.name, ": no column is left to cluster by.")
    if len(wanted) < len(names) or choice.features:
        X = X[:, [int(name) for name in wanted]]
    check_finite(path.name, X, wanted)
    return Table(X, list(wanted), ids, has_units=False, has_header=False)


def load_arrays(path: Path) -> Mapping[str, NDArray[Any]]:
    """Return the arrays by name; the only array of a ``.npy`` file is called X."""
    try:
        with path.open("rb") as file:
            loaded = np.load(file, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return {"X": loaded}
            arrays = {name: loaded[name] for name in loaded.files}
            if not all(isinstance(array, np.ndarray) for array in arrays.values()):
                raise ValueError("a member of the archive is not an array")
            return arrays
    except (ValueError, EOFError, zipfile.BadZipFile, KeyError):
        raise InvalidFile(
            path.name,
            " is not a NumPy file linkwise can read: it reads arrays of numbers and text, never "
            "pickled objects.",
        ) from None


def rows_of(file: str, arrays: Mapping[str, NDArray[Any]], name: str | None) -> Matrix:
    """Return the array of that name, X by default, as rows of floats; sparse rows as CSR."""
    if name is None and "X" not in arrays and set(_SPARSE) <= set(arrays):
        data, indices, indptr, shape = (arrays[part] for part in _SPARSE)
        return sp.csr_array((_floats(file, "data", data), indices, indptr), shape=tuple(shape))
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


def _floats(file: str, name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return the values as floats, in single precision where that loses nothing."""
    if values.dtype.kind not in "biuf":
        raise InvalidFile(file, f': array "{name}" holds {values.dtype}, not numbers.')
    small = values.dtype.itemsize <= 2 or values.dtype == np.float32
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
