"""Workbooks of Excel and others (``.xlsx``), read by openpyxl: the first sheet is the table."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkwise.errors import InvalidFile, missing_extra

if TYPE_CHECKING:
    import pyarrow as pa

#: What a cell says where its formula could not be computed.
_FAULTS = ("#N/A", "#NA", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")


def read_sheet(path: Path) -> pa.Table:
    """Return the first sheet of a workbook; its first row that is not empty names the columns.

    Formulas count by the values they had when the workbook was saved. A column holds numbers,
    truth values or dates if all of its cells do, and text otherwise.
    """
    import pyarrow as pa

    rows = _rows(path)
    header = next(rows, None)
    if header is None:
        raise InvalidFile(path.name, " has an empty first sheet.")
    names = _names(header)
    found = list(rows)
    if not found:
        raise InvalidFile(path.name, " has a first row that names columns, and no other rows.")
    columns = ([row[k] if k < len(row) else None for row in found] for k in range(len(names)))
    return pa.Table.from_arrays([_array(cells) for cells in columns], names=names)


def _rows(path: Path) -> Iterator[Sequence[Any]]:
    """Yield the rows of the first sheet that are not empty, as tuples of values."""
    try:
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError:
        raise missing_extra("reading .xlsx files", "openpyxl", "tables") from None
    damaged = InvalidFile(path.name, " is not an Excel workbook (.xlsx) linkwise can read.")
    try:
        with path.open("rb") as file:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            try:
                for row in book.worksheets[0].iter_rows(values_only=True):
                    values = [_value(cell) for cell in row]
                    if any(value is not None for value in values):
                        yield values
            finally:
                book.close()
    except (InvalidFileException, zipfile.BadZipFile, KeyError, IndexError) as error:
        raise damaged from error
    except (ValueError, TypeError, SyntaxError) as error:  # XML that is none; cells that lie
        raise damaged from error


def _value(cell: object) -> object:
    if isinstance(cell, str):
        cell = cell.strip()
        return None if cell == "" or cell in _FAULTS else cell
    return cell


def _names(header: Sequence[Any]) -> list[str]:
    """Return the column names; cells without one at the end are no columns."""
    filled = [k for k, cell in enumerate(header) if cell is not None]
    return [_text(cell) or f"column {k}" for k, cell in enumerate(header[: filled[-1] + 1])]


def _array(cells: list[Any]) -> pa.Array:
    import pyarrow as pa

    found = {type(cell) for cell in cells if cell is not None}
    if found and found <= {int, float}:
        whole = found == {int} and all(cell is None or abs(cell) < 2**53 for cell in cells)
        return pa.array(cells, pa.int64() if whole else pa.float64())
    if found == {bool}:
        return pa.array(cells, pa.bool_())
    if found and found <= {datetime.datetime, datetime.date}:
        return pa.array([_moment(cell) for cell in cells], pa.timestamp("us"))
    return pa.array(_texts(cells), pa.string())


def _texts(cells: Iterable[Any]) -> list[str | None]:
    return [None if cell is None else _text(cell) for cell in cells]


def _text(cell: object) -> str:
    """Return a cell as a spreadsheet shows it: 3 and not 3.0."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _moment(cell: datetime.date | None) -> datetime.datetime | None:
    if cell is None or isinstance(cell, datetime.datetime):
        return cell
    return datetime.datetime(cell.year, cell.month, cell.day)
