"""Single rows of a file as people wrote them, for showing; the file is not held in memory.

A CSV file is indexed once (where each row begins), Parquet, Feather and ``.npy`` files are mapped.
What has to be unpacked or decoded as a whole (gzip, UTF-16, JSON lines) is held after all.
"""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.files.arrow import read_arrow
from linkwise.files.delimited import Delimited, reader
from linkwise.files.endings import LINES, TYPED, ending_of
from linkwise.files.text import is_packed, lines_are_bytes
from linkwise.tables.array_file import load_arrays, rows_of
from linkwise.tables.csv_file import column_names

if TYPE_CHECKING:
    import pyarrow as pa

Shown = str | int | float | bool | None


class ShownRows(ABC):
    """Rows by number, each a value per column."""

    columns: list[str]

    @abstractmethod
    def read(self, rows: Sequence[int]) -> list[dict[str, Shown]]:
        """Return the values of some rows by column."""


def open_rows(path: Path, array: str | None = None, encoding: str | None = None) -> ShownRows:
    """Open a file that ``read_table`` has read."""
    if path.suffix.lower() in (".npy", ".npz"):
        return ArrayRows(path, array)
    if ending_of(path, (*TYPED, *LINES)):
        return ArrowRows(read_arrow(path, memory_map=True, encoding=encoding))
    source = Delimited.open(path, encoding)
    if is_packed(path) or not lines_are_bytes(source.encoding):
        return ArrowRows(_text_table(source))
    try:
        return CsvRows(source)
    except csv.Error:  # lines that end as they once did on the Macintosh
        return ArrowRows(_text_table(source))


def first_rows(path: Path, n_rows: int, encoding: str | None = None) -> list[list[str]]:
    """Return the first rows of a table as text, empty where there is no value."""
    if ending_of(path, (*TYPED, *LINES)):
        table = read_arrow(path, memory_map=True, encoding=encoding)
        rows = table.slice(0, n_rows).to_pylist()
        return [["" if cell is None else str(cell) for cell in row.values()] for row in rows]
    source = Delimited.open(path, encoding)
    _, named = column_names(source)
    return [cells for _, cells in islice(source.records(), int(named), n_rows + named)]


class CsvRows(ShownRows):
    """Rows of a CSV file, found by where they begin.

    pyarrow reads text from its beginning only, so the standard library's reader makes the index.
    """

    def __init__(self, source: Delimited) -> None:
        self._source = source
        self.columns, named = column_names(source)
        with source.path.open("rb") as file:
            starts = [start for start, _ in self._records(file)]
        self._starts = np.array(starts[int(named) :], dtype=np.int64)

    def read(self, rows: Sequence[int]) -> list[dict[str, Shown]]:
        """Return the text of every cell."""
        found: list[dict[str, Shown]] = []
        with self._source.path.open("rb") as file:
            for row in rows:
                file.seek(int(self._starts[row]))
                _, cells = next(self._records(file))
                found.append(dict(zip(self.columns, cells, strict=True)))
        return found

    def _records(self, file: BufferedReader) -> Iterator[tuple[int, list[str]]]:
        """Yield where each record that is not blank begins, and its cells."""
        position = consumed = file.tell()
        marked = self._source.encoding
        unmarked = marked.removesuffix("-sig")

        def lines() -> Iterator[str]:
            nonlocal consumed
            for line in file:
                text = line.decode(marked if consumed == 0 else unmarked)
                consumed += len(line)
                yield text

        for cells in reader(lines(), self._source.delimiter):
            if cells:
                yield position, cells
            position = consumed


class ArrowRows(ShownRows):
    """Rows of a table that pyarrow holds or maps."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self.columns = list(table.column_names)

    def read(self, rows: Sequence[int]) -> list[dict[str, Shown]]:
        """Return numbers as numbers and everything else as text."""
        taken = self._table.take(list(rows)).to_pylist()
        return [{name: as_shown(value) for name, value in row.items()} for row in taken]


def _text_table(source: Delimited) -> pa.Table:
    """Return the cells of a text file that cannot be read from the middle."""
    import pyarrow as pa

    names, named = column_names(source)
    batches = [pa.record_batch(columns, names=names) for columns in source.batches(header=named)]
    return pa.Table.from_batches(batches)


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
                yield str(k), as_shown(value)
        else:
            for k, value in enumerate(self.values(row)):
                yield str(k), as_shown(value)

    def values(self, row: int) -> NDArray[Any]:
        """Return one row as a dense array."""
        one = self.array[[row]]
        return np.asarray((one.toarray() if sp.issparse(one) else one)[0])


def as_shown(value: object) -> Shown:
    """Return a value as people see it: numbers with six digits, anything unusual as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.6g}") if np.isfinite(value) else None
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, bytes):
        raise InvalidInput("a column holds bytes, which cannot be shown.")
    return str(value)
