"""Rows of columns that are known to hold numbers, whatever the columns look like."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import Advice, InvalidFile, Remedy
from linkwise.tables.columns import check_finite
from linkwise.tables.frame import Frame, Values
from linkwise.tables.read import read_frame


def read_numbers(path: Path, names: Sequence[str], encoding: str | None = None) -> NDArray[Any]:
    """Return columns of a table as numbers; the first value that is none is refused."""
    frame = read_frame(path, (), names, encoding)
    frame.check_known(names)
    return np.column_stack([_numbers(frame, name) for name in names])


def _numbers(frame: Frame, name: str) -> NDArray[Any]:
    values = frame.numbers(name)
    if values is None:
        values = _written(frame.file, name, frame.by_name[name])
    check_finite(frame.file, values[:, None], [name])
    return values


def _written(file: str, name: str, values: Values) -> NDArray[np.float64]:
    """Return the numbers of a column that has gaps, truth values or text in it."""
    import pyarrow as pa

    from linkwise.features.columns import decimal_mark, is_text, numbers_in, plain

    column: Any = plain(values)
    kind = column.type
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if not (is_text(column) or is_number or pa.types.is_boolean(kind) or pa.types.is_null(kind)):
        raise InvalidFile(file, f' column "{name}" holds no numbers.')
    found = numbers_in(column, decimal_mark(column) if is_text(column) else ".")
    if np.isnan(found).any():
        row = int(np.argmax(np.isnan(found)))
        cell = column[row].as_py()
        if cell is not None:
            raise InvalidFile(file, f' row {row}: column "{name}" is "{cell}", which is no number.')
        fill, remove = Advice(Remedy.FILL_IN), Advice(Remedy.REMOVE_ROW)
        raise InvalidFile(file, f' row {row}: column "{name}" has no value.', fill, remove)
    return found
