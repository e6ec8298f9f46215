"""Parquet files: columns that know their types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linkwise.errors import InvalidInput, missing_extra
from linkwise.tables.columns import Column, missing_value


def read_parquet(path: Path, keep_raw: str | None) -> list[Column]:
    """Return the columns of a Parquet file; raw values are kept for ``keep_raw`` only."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise missing_extra("Reading Parquet", "pyarrow", "files") from None
    path.open("rb").close()  # a missing file is told by the operating system
    try:
        table = pq.read_table(path)
    except pa.ArrowException as error:
        raise InvalidInput(f"{path.name} is not a Parquet file linkwise can read.") from error
    if table.num_rows == 0:
        raise InvalidInput(f"{path.name} has no rows.")
    named = zip(table.column_names, table.columns, strict=True)
    return [_column(path.name, name, values, name == keep_raw) for name, values in named]


def _column(file: str, name: str, values: Any, keep_raw: bool) -> Column:
    import pyarrow.types as types

    column = Column(name, len(values), raw=values.to_pylist() if keep_raw else None)
    if not (types.is_integer(values.type) or types.is_floating(values.type)):
        column.not_numbers = f"its type is {values.type}"
    elif values.null_count:
        row = int(np.argmax(values.is_null().to_numpy()))
        column.complaint = missing_value(f"{file} row {row}", name)
    else:
        numbers = values.to_numpy()
        single = numbers.dtype == np.float32
        column.values = numbers if single else numbers.astype(np.float64)
    return column
