"""Where rows come from: arrays, ``.npy`` files, Parquet files, or anything that reads blocks.

The ensemble looks at its rows twice, once at a sample and once at all of them in order, a block
at a time, so the table need not fit in memory. Anything with the three members of
:class:`RowSource` will do; :func:`as_source` wraps the usual containers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from linkwise.ensemble.chunks import ChunkedRows, is_chunked
from linkwise.ensemble.files import FileRows
from linkwise.ensemble.npy_source import NpySource
from linkwise.ensemble.parquet import ParquetSource
from linkwise.errors import InvalidInput, MissingData
from linkwise.files.frames import is_frame, refuse_what_is_no_number
from linkwise.files.parquet_folder import PARQUET
from linkwise.typing import MatrixLike
from linkwise.validation import check_sparse

Block = NDArray[Any]

BLOCK_BYTES = 1 << 21


@runtime_checkable
class RowSource(Protocol):
    """What the ensemble asks of a table.

    ``read`` is called from one thread at a time, with ``0 <= start < stop <= n_rows``, mostly in
    increasing order, and returns the rows as a dense two-dimensional numeric array. A source may
    also have ``sample(indices)``, the rows at increasing positions; without it, the blocks that
    contain them are read.
    """

    @property
    def n_rows(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    def read(self, start: int, stop: int) -> Block: ...


#: What :func:`as_source` understands.
SourceLike: TypeAlias = str | os.PathLike[str] | list[str] | MatrixLike | RowSource


def as_source(X: SourceLike) -> RowSource:
    """Wrap a table: an array, a sparse matrix, a data frame, a file name or a row source.

    A file is a ``.npy`` or a Parquet file; a folder of Parquet files and a list of files are read
    one file after the other, see :class:`~linkwise.ensemble.FileRows`. A Dask array or data frame
    is computed a chunk at a time.

    Examples
    --------
    >>> source = as_source([[1, 2], [3, 4], [5, 6]])
    >>> source.n_rows, source.n_features
    (3, 2)
    >>> source.read(1, 3).tolist()
    [[3, 4], [5, 6]]
    """
    if isinstance(X, str | os.PathLike):
        return _file_source(X)
    if isinstance(X, list) and is_source(X):
        return _checked(FileRows([os.fspath(name) for name in X]))
    if is_chunked(X):
        return _checked(ChunkedRows(X))
    if sparse.issparse(X):
        return _checked(SparseSource(X))
    if isinstance(X, RowSource) and not isinstance(X, np.ndarray):
        return _checked(X)
    return _checked(ArraySource(X))


def is_source(X: object) -> bool:
    """Tell whether rows are to be opened, such as files or a dataset, and are no matrix."""
    if isinstance(X, list):
        return bool(X) and all(isinstance(name, str | os.PathLike) for name in X)
    opened = hasattr(X, "read") or hasattr(X, "iter_batches") or is_chunked(X)
    return opened or isinstance(X, str | os.PathLike)


def _file_source(name: str | os.PathLike[str]) -> RowSource:
    path = Path(name)
    if "://" in str(name) or path.is_dir():
        return _checked(FileRows(name))
    if not path.exists():
        raise MissingData(f"there is no file {path}.")
    if path.suffix == ".npy":
        return _checked(NpySource(path))
    if path.suffix in PARQUET:
        return _checked(ParquetSource(path))
    raise InvalidInput(
        f"{path}: rows are read from .npy and .parquet files, not {path.suffix!r}. Read it into a "
        "data frame; features.TableFeatures() makes rows of numbers of it."
    )


def _checked(source: RowSource) -> RowSource:
    if source.n_rows < 1 or source.n_features < 1:
        raise InvalidInput(
            f"the table has {source.n_rows} rows and {source.n_features} features; "
            "at least one of each is needed."
        )
    return source


def sample_rows(source: RowSource, indices: NDArray[np.intp]) -> Block:
    """Return the rows at ``indices`` (increasing), reading no more than the source needs."""
    if hasattr(source, "sample"):
        rows: Block = source.sample(indices)
        return rows
    step = block_rows(source.n_features)
    starts = np.unique(indices // step) * step
    pieces = []
    for start in starts.tolist():
        stop = min(start + step, source.n_rows)
        wanted = indices[np.searchsorted(indices, start) : np.searchsorted(indices, stop)]
        pieces.append(read_block(source, start, stop)[wanted - start])
    return np.concatenate(pieces)


def read_block(source: RowSource, start: int, stop: int) -> Block:
    """Read rows and refuse anything but the numbers that were asked for."""
    block = np.asarray(source.read(start, stop))
    expected = (stop - start, source.n_features)
    if block.shape != expected:
        raise InvalidInput(
            f"{type(source).__name__}.read({start}, {stop}) returned an array of shape "
            f"{block.shape}, expected {expected}."
        )
    if block.dtype.kind not in "buif":
        raise InvalidInput(
            f"{type(source).__name__}.read({start}, {stop}) returned {block.dtype} values, "
            "expected real numbers."
        )
    return block


def blocks(source: RowSource, step: int) -> Iterator[tuple[int, Block]]:
    """Yield (first row, block) over all rows, ``step`` rows at a time."""
    for start in range(0, source.n_rows, step):
        yield start, read_block(source, start, min(start + step, source.n_rows))


def block_rows(n_features: int, multiple: int = 256) -> int:
    """Return how many rows make about 2 MB of float32, a multiple of ``multiple``, 8192 at most."""
    rows = BLOCK_BYTES // (4 * n_features)
    return max(multiple, min(rows, 8192) // multiple * multiple)


def find_bad_value(source: RowSource) -> InvalidInput | None:
    """Return the error that names the first NaN or infinity of a table, or None."""
    for start, block in blocks(source, block_rows(source.n_features)):
        bad = ~np.isfinite(block)
        if bad.any():
            row, column = np.argwhere(bad)[0].tolist()
            value = block[row, column]
            start += source.first if isinstance(source, Part) else 0
            name = "NaN" if np.isnan(value) else str(value)
            return InvalidInput(
                f"X[{start + row}, {column}] is {name}. Every value must be a finite number: "
                "fill or drop such rows first."
            )
    return None


class ArraySource:
    """Rows of a two-dimensional array in memory (or of anything NumPy turns into one)."""

    def __init__(self, X: ArrayLike) -> None:
        array = np.asarray(X)
        if array.ndim != 2:
            raise InvalidInput(
                f"X has {array.ndim} dimensions, expected 2: one row per sample, one column per "
                "feature."
            )
        if array.dtype.kind not in "buif":
            if is_frame(X):
                refuse_what_is_no_number(X)
            raise InvalidInput(f"X holds {array.dtype} values, expected real numbers.")
        self._array = array
        self.n_rows: int = array.shape[0]
        self.n_features: int = array.shape[1]

    def read(self, start: int, stop: int) -> Block:
        return self._array[start:stop]

    def sample(self, indices: NDArray[np.intp]) -> Block:
        return self._array[indices]


class SparseSource:
    """Rows of a SciPy sparse matrix, made dense block by block."""

    def __init__(self, X: sparse.sparray | sparse.spmatrix) -> None:
        if X.dtype.kind not in "buif":
            raise InvalidInput(f"X holds {X.dtype} values, expected real numbers.")
        check_sparse(X)
        self._matrix = sparse.csr_array(X)
        self.n_rows: int = self._matrix.shape[0]
        self.n_features: int = self._matrix.shape[1]

    def read(self, start: int, stop: int) -> Block:
        dense: Block = self._matrix[start:stop].toarray()
        return dense

    def sample(self, indices: NDArray[np.intp]) -> Block:
        dense: Block = self._matrix[indices].toarray()
        return dense

    def sparse_rows(self, rows: slice | NDArray[np.intp]) -> sparse.csr_array:
        """Return rows as they are."""
        return self._matrix[rows]


@dataclass(frozen=True, eq=False)
class Part:
    """Consecutive rows of a table, as a table of their own."""

    source: RowSource
    first: int
    n_rows: int

    @property
    def n_features(self) -> int:
        return self.source.n_features

    def read(self, start: int, stop: int) -> Block:
        return self.source.read(self.first + start, self.first + stop)


def part_of(source: RowSource, start: int, stop: int) -> RowSource:
    """Return the rows from ``start`` to ``stop`` of a table; sparse ones stay sparse."""
    if isinstance(source, SparseSource):
        return SparseSource(source.sparse_rows(slice(start, stop)))
    return Part(source, start, stop - start)
