"""Sparse rows as SciPy writes them, believed only when every part fits every other.

SciPy's loops follow the row starts and column numbers of a matrix without looking whether they
lead out of its arrays, so a matrix from a file is checked here before SciPy sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.errors import InvalidFile

#: The arrays of a file that holds sparse rows.
SPARSE = ("data", "indices", "indptr", "shape")


def sparse_rows(file: str, arrays: Mapping[str, NDArray[Any]]) -> sp.csr_array:
    """Return the sparse rows in ``arrays``, or say which part of them cannot be true."""
    by_column = _is_by_column(file, arrays)
    shape = _shape(file, arrays["shape"])
    n_starts, n_within = shape[::-1] if by_column else shape
    data, indices, indptr = (arrays[part] for part in SPARSE[:3])
    for name, values in (("data", data), ("indices", indices), ("indptr", indptr)):
        if values.ndim != 1:
            raise _damaged(file, f"{name} has shape {values.shape}, expected one dimension")
        if name != "data" and values.dtype.kind not in "iu":
            raise _damaged(file, f"{name} holds {values.dtype}, expected whole numbers")
    _check_starts(file, indptr, n_starts, len(indices), len(data))
    _check_within(file, indices, n_within)
    kind = sp.csc_array if by_column else sp.csr_array
    n_used = int(indptr[-1])
    parts = (data[:n_used], indices[:n_used].astype(np.int64), indptr.astype(np.int64))
    matrix = kind(parts, shape=shape)
    try:
        matrix.check_format(full_check=True)
    except ValueError as error:
        raise _damaged(file, str(error).rstrip(".")) from None
    rows = _by_row(file, matrix)
    rows.sum_duplicates()
    return rows


def _by_row(file: str, matrix: Any) -> sp.csr_array:
    """Return the matrix as rows; columns may tell of more rows than anything has room for."""
    try:
        return sp.csr_array(matrix)
    except (ValueError, MemoryError):
        found = f"holds {matrix.shape[0]:,} rows, which do not fit into the memory."
        raise InvalidFile(file, f" {found}") from None


def _is_by_column(file: str, arrays: Mapping[str, NDArray[Any]]) -> bool:
    """Tell columns (CSC) from rows (CSR); without a word about it they are rows."""
    if "format" not in arrays:
        return False
    said = arrays["format"].ravel()[:1].astype(np.bytes_, casting="unsafe").tolist()
    name = said[0].decode("ascii", "replace") if said else ""
    if name not in ("csr", "csc"):
        raise InvalidFile(
            file, f" holds a sparse matrix in the format {name!r}. Save it as CSR: matrix.tocsr()."
        )
    return name == "csc"


def _shape(file: str, shape: NDArray[Any]) -> tuple[int, int]:
    if shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise _damaged(file, "shape must be two whole numbers")
    n_rows, n_columns = (int(side) for side in shape)
    if n_rows < 0 or n_columns < 0 or max(n_rows, n_columns) > np.iinfo(np.int64).max:
        raise _damaged(file, f"shape is ({n_rows}, {n_columns})")
    return n_rows, n_columns


def _check_starts(
    file: str, indptr: NDArray[Any], n_starts: int, n_indices: int, n_data: int
) -> None:
    """Check that the starts begin at 0, never fall and end within the values."""
    if len(indptr) != n_starts + 1:
        raise _damaged(file, f"indptr has {len(indptr)} entries, expected {n_starts + 1}")
    falls = np.flatnonzero(indptr[1:] < indptr[:-1])
    if indptr[0] != 0 or falls.size:
        at = 0 if indptr[0] != 0 else int(falls[0]) + 1
        raise _damaged(file, f"indptr[{at}] is {indptr[at]}; it must begin at 0 and never fall")
    if n_indices != n_data:
        raise _damaged(file, f"there are {n_indices} indices for {n_data} values")
    if indptr[-1] > n_data:
        raise _damaged(file, f"indptr ends at {indptr[-1]}, but there are {n_data} values")


def _check_within(file: str, indices: NDArray[Any], n_within: int) -> None:
    outside = np.flatnonzero((indices < 0) | (indices >= n_within))
    if outside.size:
        at = int(outside[0])
        raise _damaged(file, f"indices[{at}] is {indices[at]}, expected 0 to {n_within - 1}")


def _damaged(file: str, found: str) -> InvalidFile:
    return InvalidFile(file, f" holds sparse rows that contradict themselves: {found}.")
