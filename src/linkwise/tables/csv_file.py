"""CSV files: a header, then numbers or text, read many rows at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidFile
from linkwise.files.delimited import Delimited, has_decimal_comma, is_number, number, numbers
from linkwise.tables.frame import Frame

if TYPE_CHECKING:
    import pyarrow as pa


def read_csv(
    path: Path, as_text: Collection[str], only: Collection[str] | None, encoding: str | None
) -> Frame:
    """Return the columns of a CSV file.

    The separator is the commonest of comma, semicolon, tab and bar in the first line. A first line
    of numbers only is data, and the columns are then called by their number. Numbers are written
    1.5 or, where the comma does not separate, 1,5. Columns of numbers are found first; the file is
    then read again for the text of the others, so that no text of numbers is ever held.
    """
    source = Delimited.open(path, encoding)
    if not source.first:
        raise InvalidFile(path.name, " is empty.")
    names, named = column_names(source)
    readers: list[_NumberReader] = []
    n_rows, comma = 0, False
    for columns in source.batches(header=named):
        if not readers:
            comma = has_decimal_comma(columns, source.delimiter)
            readers = [_NumberReader(name not in as_text) for name in names]
        for part, cells in zip(readers, columns, strict=True):
            part.add(cells, comma)
        n_rows += len(columns[0])
    if n_rows == 0:
        raise InvalidFile(path.name, " has a header and no rows.")
    wanted = [only is None or name in only or name in as_text for name in names]
    others = [k for k, part in enumerate(readers) if wanted[k] and part.blocks is None]
    texts = {
        k: cells if names[k] in as_text else _with_gaps(cells, comma)
        for k, cells in zip(others, _texts(source, others, named), strict=True)
    }
    found = {
        k: texts[k] if part.blocks is None else np.concatenate(part.blocks)
        for k, part in enumerate(readers)
        if wanted[k]
    }
    return Frame(
        path.name,
        names,
        n_rows,
        [found.get(k) for k in range(len(names))],
        named=named,
        encoding=source.encoding,
        decimal_comma=comma,
    )


def column_names(source: Delimited) -> tuple[list[str], bool]:
    """Return the column names, and whether the file has them or its first line is data."""
    cells = [cell.strip() for cell in source.first]
    if all(is_number(cell, source.delimiter) for cell in cells):
        return [str(k) for k in range(len(cells))], False
    return [cell or f"column {k}" for k, cell in enumerate(cells)], True


def _texts(source: Delimited, columns: Sequence[int], named: bool) -> list[pa.ChunkedArray]:
    """Return some columns as they are written."""
    import pyarrow as pa

    if not columns:
        return []
    parts = [[batch[k] for k in columns] for batch in source.batches(header=named)]
    return [pa.chunked_array(chunks) for chunks in zip(*parts, strict=True)]


def _with_gaps(cells: pa.ChunkedArray, comma: bool) -> pa.ChunkedArray:
    """Return cells that are numbers or empty as numbers with gaps, others as they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from linkwise.features.columns import plain

    filled = plain(cells)
    if filled.null_count == len(filled) or numbers(pc.drop_null(filled), comma=comma) is None:
        return cells
    written = pc.utf8_trim_whitespace(filled)
    written = pc.replace_substring(written, ",", ".") if comma else written
    return pc.cast(written, pa.float64())


class _NumberReader:
    """Collects one column until it turns out not to be numbers throughout."""

    def __init__(self, wanted: bool) -> None:
        self.blocks: list[NDArray[np.float64]] | None = [] if wanted else None

    def add(self, cells: pa.Array, comma: bool) -> None:
        """Take the next cells."""
        if self.blocks is None:
            return
        values = numbers(cells, comma=comma)
        if values is None:
            values = _one_by_one(cells.to_pylist(), comma)
        if values is None or np.isnan(values).any():
            self.blocks = None
        else:
            self.blocks.append(values)


def _one_by_one(cells: list[str], comma: bool) -> NDArray[np.float64] | None:
    """Return numbers of which one at least is in Python's spelling; None if one is none."""
    values = np.empty(len(cells))
    for k, cell in enumerate(cells):
        found = number(cell, comma=comma)
        if found is None:
            return None
        values[k] = found
    return values
