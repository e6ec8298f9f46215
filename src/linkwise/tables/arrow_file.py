"""Parquet, Feather, JSON lines, workbooks: columns come with their types."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidFile
from linkwise.files.arrow import read_arrow
from linkwise.files.endings import WORKBOOK, ending_of
from linkwise.files.workbook import NOTE
from linkwise.tables.frame import Frame

if TYPE_CHECKING:
    import pyarrow as pa


def read_typed(
    path: Path, as_text: Collection[str], only: Collection[str] | None, encoding: str | None
) -> Frame:
    """Return the columns of a file; numbers without gaps as arrays of floats."""
    table = read_arrow(path, encoding=encoding)
    if table.num_rows == 0:
        raise InvalidFile(path.name, " has no rows.")
    columns = [
        None
        if not (only is None or name in only or name in as_text)
        else values
        if name in as_text
        else _column(values)
        for name, values in zip(table.column_names, table.columns, strict=True)
    ]
    note = (table.schema.metadata or {}).get(NOTE) if ending_of(path, WORKBOOK) else None
    notes = [note.decode()] if note else []
    return Frame(path.name, list(table.column_names), table.num_rows, columns, notes=notes)


def _column(values: pa.ChunkedArray) -> NDArray[np.floating] | pa.ChunkedArray:
    import pyarrow.types as types

    if values.null_count or not (types.is_integer(values.type) or types.is_floating(values.type)):
        return values
    numbers = values.to_numpy()
    if np.isnan(numbers).any():
        return values
    return numbers if numbers.dtype == np.float32 else numbers.astype(np.float64)
