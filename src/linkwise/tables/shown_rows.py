"""Single rows of a file as people wrote them, for showing; the file is not held in memory.

A CSV file is indexed once (where each row begins), Parquet and ``.npy`` files are mapped.
"""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.errors import InvalidInput, missing_extra
from linkwise.tables.array_file import load_arrays, rows_of
from linkwise.tables.csv_file import column_names, delimiter_of

Shown = str | int | float | bool | None


class ShownRows(ABC):
    """Rows by number, each a value per column."""

    columns: list[str]

    @abstractmethod
    def read(self, rows: Sequence[int]) -> list[dict[str, Shown]]:
        """Return the values of some rows by column."""


def open_rows(path: Path, array: str | None = None) -> ShownRows:
    """Open a file that ``read_table`` has read."""
    suffix = path.suffix.lower()
    if suffix in (".npy", ".npz"):
        return ArrayRows(path, array)
    if suffix == ".parquet":
        return ParquetRows(path)
    return CsvRows(path)


class CsvRows(ShownRows):
    """Rows of a CSV file, found by where they begin."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            first = file.readline().decode("utf-8-sig")
            file.seek(0)
            self._delimiter = delimiter_of(first)
            starts: list[int] = []
            self.columns: list[str] = []
            for start, cells in _records(file, self._delimiter):
                if not self.columns:
                    self.columns, data = column_names((1, cells))
                    if not data:
                        continue
                starts.append(start)
        self._starts = np.array(starts, dtype=np.int64)

    def read(self, rows: Sequence[int]) -> list[dict[str, Shown]]:
        """Return the text of every cell."""
        found: list[dict[str, Shown]] = []
        with self._path.open("rb") as file:
            for row in rows:
                file.seek(int(self._starts[row]))
                _, cells = next(_records(file, self._delimiter))
                found.append(dict(zip(self.columns, cells, strict=True)))
        return found


class ParquetRows(ShownRows):
    """Rows of a Parquet file."""

    def __init__(self, path: Path) -> None:
        try:
            import pyarrow.parquet as pq
        except ImportError:
            raise missing_extra("Reading Parquet", "pyarrow", "files") from None
        self._table: Any = pq.read_table(path, memory_map=True)
        self.columns = list(self._table.column_names)

    def read(self, rows: Sequence[int]) -> list[dict[str, Shown]]:
        """Return numbers as numbers and everything else as text."""
        taken = self._table.take(list(rows)).to_pylist()
        return [{name: _plain(value) for name, value in row.items()} for row in taken]


class ArrayRows(ShownRows):
    """Rows of an array; columns go by their number."""

    def __init__(self, path: Path, array: str | None) -> None:
        if path.suffix.lower() == ".npy":
            self.array: Any = np.load(path, mmap_mode="r", allow_pickle=False)
        else:
            arrays = load_arrays(path)
            rows = rows_of(path.name, arrays, array)
            self.array = rows if sp.issparse(rows) else arrays[array or "X"]
        self.columns = [str(k) for k in range(self.array.shape[1])]

    def read(self, rows: Sequence[int]) -> list[dict[str, Shown]]:
        """Return the values; of sparse rows only those that are not 0."""
        return [dict(self._row(int(row))) for row in rows]

    def _row(self, row: int) -> Iterator[tuple[str, Shown]]:
        if sp.issparse(self.array):
            start, stop = self.array.indptr[row : row + 2]
            for k, value in zip(
                self.array.indices[start:stop], self.array.data[start:stop], strict=True
            ):
                yield str(k), _plain(value)
        else:
            for k, value in enumerate(self.values(row)):
                yield str(k), _plain(value)

    def values(self, row: int) -> NDArray[Any]:
        """Return one row as a dense array."""
        one = self.array[[row]]
        return np.asarray((one.toarray() if sp.issparse(one) else one)[0])


def _records(file: BufferedReader, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield where each record that is not blank begins, and its cells."""
    position = file.tell()
    consumed = position

    def lines() -> Iterator[str]:
        nonlocal consumed
        for line in file:
            text = line.decode("utf-8-sig" if consumed == 0 else "utf-8")
            consumed += len(line)
            yield text

    for cells in csv.reader(lines(), delimiter=delimiter):
        if cells:
            yield position, cells
        position = consumed


def _plain(value: object) -> Shown:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.6g}") if np.isfinite(value) else None
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, bytes):
        raise InvalidInput("a column holds bytes, which cannot be shown.")
    return str(value)
