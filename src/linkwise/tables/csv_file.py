"""CSV files: a header, numbers, text, and gaps, read many rows at a time."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import Advice, InvalidFile, Remedy
from linkwise.files.delimited import Delimited, has_decimal_comma, is_number, number, numbers
from linkwise.tables.columns import Column, Reason, missing_value

if TYPE_CHECKING:
    import pyarrow as pa

_MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}


def read_csv(path: Path, keep_raw: str | None) -> list[Column]:
    """Return the columns of a CSV file; text is kept for the column ``keep_raw`` only.

    The separator is the commonest of comma, semicolon, tab and bar in the first line. A first line
    of numbers only is data, and the columns are then called by their number. Numbers are written
    1.5 or, where the comma does not separate, 1,5.
    """
    source = Delimited.open(path)
    if not source.first:
        raise InvalidFile(path.name, " is empty.")
    names, named = column_names(source)
    parts: list[_ColumnReader] = []
    n_rows = 0
    for columns in source.batches(header=named):
        if not parts:
            comma = has_decimal_comma(columns, source.delimiter)
            parts = [_ColumnReader(source, name, name == keep_raw, named, comma) for name in names]
        for part, cells in zip(parts, columns, strict=True):
            part.add(cells, n_rows)
        n_rows += len(columns[0])
    if n_rows == 0:
        raise InvalidFile(path.name, " has a header and no rows.")
    return [part.column(n_rows) for part in parts]


def column_names(source: Delimited) -> tuple[list[str], bool]:
    """Return the column names, and whether the file has them or its first line is data."""
    cells = [cell.strip() for cell in source.first]
    if all(is_number(cell, source.delimiter) for cell in cells):
        return [str(k) for k in range(len(cells))], False
    return [cell or f"column {k}" for k, cell in enumerate(cells)], True


class _ColumnReader:
    """Collects one column until it turns out to be text."""

    def __init__(
        self, source: Delimited, name: str, keep_raw: bool, named: bool, comma: bool
    ) -> None:
        self.source, self.name, self.named, self.comma = source, name, named, comma
        self.raw: list[str] | None = [] if keep_raw else None
        self.blocks: list[NDArray[np.float64]] = []
        self.text: str | None = None
        self.complaint: partial[InvalidFile] | None = None
        self.n_numbers = 0

    def add(self, cells: pa.Array, first: int) -> None:
        """Take the next cells, the first of which is in the row ``first``."""
        if self.raw is not None:
            self.raw.extend(cells.to_pylist())
        if self.text is not None or self.complaint is not None:
            return
        values = numbers(cells, comma=self.comma)
        if values is None:
            self._add_one_by_one(cells.to_pylist(), first)
            return
        self.blocks.append(values)
        gaps = np.flatnonzero(np.isnan(values))
        if gaps.size:
            self.complaint = partial(self._gap, first + int(gaps[0]))
        self.n_numbers += len(values) - len(gaps)

    def _add_one_by_one(self, cells: list[str], first: int) -> None:
        """Take cells of which one at least is a gap, text, or a number in Python's spelling."""
        values = np.full(len(cells), np.nan)
        for k, cell in enumerate(cells):
            found = number(cell, comma=self.comma)
            if cell.strip().lower() in _MISSING:
                self.complaint = self.complaint or partial(self._gap, first + k)
            elif found is not None:
                self.n_numbers += 1
                values[k] = found
            elif self.n_numbers:
                self.complaint = partial(self._no_number, first + k, cell)
                return
            else:
                self.text, self.complaint = cell, None
                return
        self.blocks.append(values)

    def _gap(self, row: int) -> InvalidFile:
        return missing_value(self.source.path.name, self._place(row), self.name)

    def _no_number(self, row: int, cell: str) -> InvalidFile:
        return InvalidFile(
            self.source.path.name,
            f'{self._place(row)}: column "{self.name}" holds numbers, but here it says "{cell}".',
            Advice(Remedy.CORRECT),
            Advice(Remedy.LEAVE_COLUMN_OUT, self.name),
        )

    def _place(self, row: int) -> str:
        return f" line {self.source.line_of(row + self.named)}"

    def column(self, n_rows: int) -> Column:
        """Return what was collected."""
        column = Column(self.name, n_rows, raw=self.raw, named=self.named)
        if self.text is not None:
            column.not_numbers = Reason("text", self.text)
        elif self.n_numbers == 0:
            column.not_numbers = Reason("empty")
        elif self.complaint is not None:
            column.complaint = self.complaint
        else:
            column.values = np.concatenate(self.blocks)
        return column
