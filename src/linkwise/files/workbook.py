"""Workbooks of Excel and others (``.xlsx``), read by openpyxl: one sheet is the table."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from linkwise.errors import InvalidFile, missing_extra

if TYPE_CHECKING:
    import pyarrow as pa

Rows: TypeAlias = list[list[Any]]

#: Where a table says what of its workbook is not in it.
NOTE = b"note"
#: Rows among which the table begins, and sheets that are named, at most.
_LOOKED_AT, _MOST_NAMED = 20, 5
#: What a cell says where its formula could not be computed.
_FAULTS = ("#N/A", "#NA", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")


def read_sheet(path: Path) -> pa.Table:
    """Return the table in a workbook: the first sheet with two rows or more below its header.

    The first row that is not empty names the columns; titles above the table are no part of it.
    What else is in the workbook is told in the table's metadata, under :data:`NOTE`. Formulas count
    by the values they had when the workbook was saved. A column holds numbers, truth values or
    dates if all of its cells do, and text otherwise.
    """
    import pyarrow as pa

    sheets = _sheets(path)
    title, rows = next(((t, rows) for t, rows in sheets if len(rows) > 2), sheets[0])
    if not rows:
        raise InvalidFile(path.name, " has an empty first sheet.")
    above, rows = _parted(rows)
    names = _names(rows[0])
    if len(rows) == 1:
        raise InvalidFile(path.name, " has a first row that names columns, and no other rows.")
    columns = [[row[k] if k < len(row) else None for row in rows[1:]] for k in range(len(names))]
    margin = next(k for k, cell in enumerate(rows[0]) if cell is not None or any(columns[k]))
    table = pa.Table.from_arrays([_array(c) for c in columns[margin:]], names=names[margin:])
    note = _note(title, [other for other, found in sheets if other != title and found], above)
    return table.replace_schema_metadata({NOTE: note}) if note else table


def _sheets(path: Path) -> list[tuple[str, Rows]]:
    """Return the sheets by their titles: the rows that are not empty, as lists of values.

    Of sheets that follow the table, one such row is enough to know that there is something.
    """
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
                found: list[tuple[str, Rows]] = []
                for sheet in book.worksheets:
                    most = 1 if any(len(rows) > 2 for _, rows in found) else None
                    found.append(
                        (sheet.title, list(islice(_rows(sheet.iter_rows(values_only=True)), most)))
                    )
            finally:
                book.close()
    except (InvalidFileException, zipfile.BadZipFile, KeyError, IndexError) as error:
        raise damaged from error
    except (ValueError, TypeError, SyntaxError) as error:  # XML that is none; cells that lie
        raise damaged from error
    if not found:
        raise damaged
    return found


def _rows(sheet: Iterable[Iterable[object]]) -> Iterator[list[Any]]:
    for cells in sheet:
        row = [_value(cell) for cell in cells]
        if any(cell is not None for cell in row):
            yield row


def _parted(rows: Rows) -> tuple[Rows, Rows]:
    """Part titles from the table below them.

    A title is alone in its row and not right of the table, whose first row holds names.
    """
    filled = [[k for k, cell in enumerate(row) if cell is not None] for row in rows[:_LOOKED_AT]]
    first = next((k for k, cells in enumerate(filled) if len(cells) > 1), 0)
    if not 0 < first < len(filled) - 1 or len(filled[first + 1]) < 2:
        return [], rows
    are_names = all(isinstance(rows[first][k], str) for k in filled[first])
    are_titles = all(cells[0] <= filled[first][0] for cells in filled[:first])
    return (rows[:first], rows[first:]) if are_names and are_titles else ([], rows)


def _note(title: str, others: Sequence[str], above: Rows) -> str:
    """Return in words what of the workbook is not in the table; empty if all is."""
    told = []
    if others:
        listed = ", ".join(f'"{other}"' for other in others[:_MOST_NAMED])
        more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
        verb = "was" if len(others) == 1 else "were"
        told.append(
            f'The table is the sheet "{title}"; {listed}{more} {verb} not read. The first sheet '
            "with two rows below its header is taken."
        )
    if above:
        text = next(_text(cell) for cell in above[0] if cell is not None)
        rows = "row" if len(above) == 1 else f"{len(above)} rows"
        verb = "is" if len(above) == 1 else "are"
        told.append(f'The {rows} above the table ("{text}") {verb} no part of it.')
    return " ".join(told)


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
