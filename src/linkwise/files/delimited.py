"""Delimited text, read by pyarrow: comma, semicolon, tab or bar between cells.

All cells come as text, because only the whole column tells what it is. pyarrow counts records; the
line of a record, which people look for in an editor, is found by the standard library's reader when
there is something to complain about.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from linkwise.errors import InvalidFile
from linkwise.files.text import encoding_of, open_text, open_utf8

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITERS = ",;\t|"
#: pyarrow wants every record to lie within two blocks.
BLOCK_BYTES, MOST_BLOCK_BYTES = 1 << 22, 1 << 28
_COMMA_NUMBER = r"^\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*$"
_POINT_NUMBER = r"^\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*$"
_THOUSANDS = r"^\s*[+-]?[1-9]\d{0,2},\d{3}\s*$"  # 1,234 may be either


@dataclass(frozen=True)
class Delimited:
    """A file of delimited text: how it is written, and its first record.

    Attributes
    ----------
    path : Path
        The file.
    encoding, delimiter : str
        How it is written.
    first : list of str
        The cells of its first record; none if the file is empty.
    n_lines : int
        How many lines the first record takes, blank ones before it included.
    """

    path: Path
    encoding: str
    delimiter: str
    first: list[str]
    n_lines: int

    @classmethod
    def open(cls, path: Path, encoding: str | None = None) -> Delimited:
        """Look at the beginning; the delimiter is the commonest of the four in the first line."""
        encoding = encoding_of(path, encoding)
        with open_text(path, encoding) as file:
            delimiter = delimiter_of(file.readline())
        with open_text(path, encoding) as file:
            n_lines, first = next(_records(path, file, delimiter), (0, []))
        return cls(path, encoding, delimiter, first, n_lines)

    def batches(self, *, header: bool) -> Iterator[list[pa.Array]]:
        """Yield columns of text, many rows at a time; with ``header``, the first record is none."""
        import pyarrow as pa
        from pyarrow import csv as pc

        names = [str(k) for k in range(len(self.first))]
        with open_utf8(self.path, self.encoding) as stream:
            try:
                batches = pc.open_csv(
                    stream,
                    pc.ReadOptions(
                        column_names=names,
                        skip_rows=self.n_lines if header else 0,
                        block_size=self._block_size,
                    ),
                    pc.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                    pc.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
                )
                for batch in batches:
                    if batch.num_rows:
                        yield batch.columns
            except pa.ArrowInvalid as error:
                if header and next(islice(self.records(), 1, None), None) is None:
                    return  # one line that does not end is too little to skip
                raise self._refusal(str(error)) from None

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield every record with the line it ends in, one by one; slow."""
        with open_text(self.path, self.encoding) as file:
            yield from _records(self.path, file, self.delimiter)

    def line_of(self, record: int) -> int:
        """Return the line in which a record ends; the first record has the number 0."""
        return next(islice(self.records(), record, None))[0]

    @property
    def _block_size(self) -> int:
        """Many rows at a time, also of a wide table: every column of a block costs something."""
        record = sum(map(len, self.first)) + len(self.first)
        return max(BLOCK_BYTES, 16 * record, min(512 * record, MOST_BLOCK_BYTES))

    def _refusal(self, reason: str) -> InvalidFile:
        """Return the error about a file that pyarrow cannot read."""
        n_columns = len(self.first)
        for line, cells in self.records():
            if len(cells) != n_columns:
                found = f"{len(cells)} value{'' if len(cells) == 1 else 's'}"
                wanted = f"{n_columns} column{'' if n_columns == 1 else 's'}"
                return InvalidFile(self.path.name, f" line {line}: {found} for {wanted}.")
            if sum(map(len, cells)) > self._block_size:
                return InvalidFile(
                    self.path.name,
                    f" line {line}: a row of more than {self._block_size:,} characters is too "
                    f"long. Is a quote missing?",
                )
        return InvalidFile(self.path.name, f" is not a CSV file: {reason.removesuffix('.')}.")


def delimiter_of(first_line: str) -> str:
    """Return the commonest of comma, semicolon, tab and bar; a comma within numbers is none."""
    for delimiter in DELIMITERS[1:]:
        cells = first_line.split(delimiter)
        if len(cells) > 1 and all(is_number(cell, delimiter) for cell in cells):
            return delimiter
    return max(DELIMITERS, key=first_line.count)


def reader(lines: Iterable[str], delimiter: str) -> Any:
    """Return the standard library's reader; by itself it would refuse cells over 128 KiB."""
    csv.field_size_limit(2**31 - 1)
    return csv.reader(lines, delimiter=delimiter)


def _records(path: Path, file: IO[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    cells_by_line = reader(file, delimiter)
    try:
        for cells in cells_by_line:
            if cells:
                yield cells_by_line.line_num, cells
    except csv.Error as error:
        raise InvalidFile(path.name, f" is not a CSV file: {error}.") from None


def has_decimal_comma(columns: Sequence[pa.Array], delimiter: str) -> bool:
    """Tell whether numbers are written 1,5: some clearly are, and none is written 1.5."""
    import pyarrow.compute as pc

    if delimiter == ",":
        return False
    found = False
    for cells in columns:
        if pc.any(pc.match_substring_regex(cells, _POINT_NUMBER)).as_py():
            return False
        comma = pc.match_substring_regex(cells, _COMMA_NUMBER)
        clear = pc.and_not(comma, pc.match_substring_regex(cells, _THOUSANDS))
        found = found or bool(pc.any(clear).as_py())
    return found


def number(cell: str, *, comma: bool = False) -> float | None:
    """Return the number a cell holds, None if it holds something else."""
    if comma:
        if "." in cell:
            return None
        cell = cell.replace(",", ".")
    try:
        return float(cell)
    except ValueError:
        return None


def is_number(cell: str, delimiter: str) -> bool:
    """Tell whether a cell is a number, with a decimal point or, where it can be, a comma."""
    if number(cell) is not None:
        return True
    return delimiter != "," and re.match(_COMMA_NUMBER, cell) is not None


def numbers(cells: pa.Array, *, comma: bool = False) -> Any:
    """Return a column of text as floats, None if any cell is something else."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if comma:
        if pc.any(pc.match_substring(cells, ".")).as_py():
            return None
        cells = pc.replace_substring(cells, ",", ".")
    try:
        return pc.cast(pc.utf8_trim_whitespace(cells), pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        return None
