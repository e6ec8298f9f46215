"""Parquet, Feather and JSON lines: columns come with their types."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwise.errors import InvalidFile
from linkwise.files.arrow import read_arrow
from linkwise.tables.columns import Column, Reason, missing_value

if TYPE_CHECKING:
    import pyarrow as pa


def read_typed(path: Path, keep_raw: str | None) -> list[Column]:
    """Return the columns of a file; raw values are kept for ``keep_raw`` only."""
    table = read_arrow(path)
    if table.num_rows == 0:
        raise InvalidFile(path.name, " has no rows.")
    named = zip(table.column_names, table.columns, strict=True)
    return [_column(path.name, name, values, name == keep_raw) for name, values in named]


def _column(file: str, name: str, values: pa.ChunkedArray, keep_raw: bool) -> Column:
    import pyarrow.types as types

    column = Column(name, len(values), raw=values.to_pylist() if keep_raw else None)
    if not (types.is_integer(values.type) or types.is_floating(values.type)):
        column.not_numbers = Reason("type", str(values.type))
    elif values.null_count:
        row = int(np.argmax(values.is_null().to_numpy()))
        column.complaint = partial(missing_value, file, f" row {row}", name)
    else:
        numbers = values.to_numpy()
        single = numbers.dtype == np.float32
        column.values = numbers if single else numbers.astype(np.float64)
    return column
