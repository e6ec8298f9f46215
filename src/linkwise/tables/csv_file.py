"""CSV files: a header, numbers, text, and gaps, read block by block."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.tables.columns import Column, missing_value

_BLOCK = 10_000
_MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}

Line = tuple[int, list[str]]


def read_csv(path: Path, keep_raw: str | None) -> list[Column]:
    """Return the columns of a CSV file; text is kept for the column ``keep_raw`` only.

    The separator is the commonest of comma, semicolon, tab and bar in the first line. A first line
    of numbers only is data, and the columns are then called by their number.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            first = file.readline()
            file.seek(0)
            lines = _lines(file, delimiter=delimiter_of(first))
            header = next(lines, None)
            if header is None:
                raise InvalidInput(f"{path.name} is empty.")
            names, data = column_names(header)
            named = not data
            parts = [_ColumnReader(path.name, name, name == keep_raw) for name in names]
            while block := [*data, *islice(lines, _BLOCK)]:
                _add_block(path.name, parts, block)
                data = []
    except UnicodeDecodeError:
        raise InvalidInput(f"{path.name} is not text in UTF-8.") from None
    except csv.Error as error:
        raise InvalidInput(f"{path.name} is not a CSV file: {error}.") from None
    if parts[0].n_cells == 0:
        raise InvalidInput(f"{path.name} has a header and no rows.")
    return [part.column(named) for part in parts]


def delimiter_of(first_line: str) -> str:
    """Return the commonest of comma, semicolon, tab and bar."""
    return max(",;\t|", key=first_line.count)


def _lines(file: Iterable[str], delimiter: str) -> Iterator[Line]:
    """Yield the number and the cells of every line that is not blank."""
    reader = csv.reader(file, delimiter=delimiter)
    for cells in reader:
        if cells:
            yield reader.line_num, cells


def column_names(first: Line) -> tuple[list[str], list[Line]]:
    """Return the column names, and the first line again if it is data."""
    cells = [cell.strip() for cell in first[1]]
    if all(_number(cell) is not None for cell in cells):
        return [str(k) for k in range(len(cells))], [first]
    return [cell or f"column {k}" for k, cell in enumerate(cells)], []


def _add_block(file: str, parts: list[_ColumnReader], block: list[Line]) -> None:
    for line, cells in block:
        if len(cells) != len(parts):
            raise InvalidInput(f"{file} line {line}: {len(cells)} values for {len(parts)} columns.")
    lines = [line for line, _ in block]
    columns = zip(*(cells for _, cells in block), strict=True)
    for part, column in zip(parts, columns, strict=True):
        part.add(column, lines)


class _ColumnReader:
    """Collects one column until it turns out to be text."""

    def __init__(self, file: str, name: str, keep_raw: bool) -> None:
        self.file, self.name = file, name
        self.raw: list[str] | None = [] if keep_raw else None
        self.blocks: list[NDArray[np.float64]] = []
        self.text: str | None = None
        self.complaint: str | None = None
        self.n_cells = self.n_numbers = 0

    def add(self, cells: tuple[str, ...], lines: list[int]) -> None:
        """Take the next cells, which stand in these lines."""
        self.n_cells += len(cells)
        if self.raw is not None:
            self.raw.extend(cells)
        if self.text is not None or self.complaint is not None:
            return
        try:
            self.blocks.append(np.array(cells, dtype=np.float64))
            gaps = np.flatnonzero(np.isnan(self.blocks[-1]))
            if gaps.size:
                self.complaint = self._gap(lines[gaps[0]])
            self.n_numbers += len(cells) - len(gaps)
        except ValueError:
            self._add_one_by_one(cells, lines)

    def _add_one_by_one(self, cells: tuple[str, ...], lines: list[int]) -> None:
        gap: str | None = None
        for cell, line in zip(cells, lines, strict=True):
            if cell.strip().lower() in _MISSING:
                gap = gap or self._gap(line)
            elif _number(cell) is not None:
                self.n_numbers += 1
            elif self.n_numbers:
                self.complaint = (
                    f'{self.file} line {line}: column "{self.name}" holds numbers, but here it '
                    f'says "{cell}". Correct it, or leave the column out with '
                    f'--drop "{self.name}".'
                )
                return
            else:
                self.text = cell
                return
        self.complaint = gap

    def _gap(self, line: int) -> str:
        return missing_value(f"{self.file} line {line}", self.name)

    def column(self, named: bool) -> Column:
        """Return what was collected."""
        column = Column(self.name, self.n_cells, raw=self.raw, named=named)
        if self.text is not None:
            column.not_numbers = f'text such as "{self.text}"'
        elif self.n_numbers == 0:
            column.not_numbers = "it is empty"
        elif self.complaint is not None:
            column.complaint = self.complaint
        else:
            column.values = np.concatenate(self.blocks)
        return column


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
