"""CSV as RFC 4180 has it, and as a spreadsheet can open it without running what is in it.

Lines end in CRLF. A cell is quoted where any reader might break a line or a row in it. Text that a
spreadsheet would take for a formula gets an apostrophe in front, unless programs are to read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

#: A cell that begins so is a formula to a spreadsheet, unless it is a number.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
#: What separates cells somewhere, what ends lines somewhere, and blanks that some readers drop.
_QUOTED = re.compile(r'[,;|"\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]|^\s|\s$')


def write_csv(path: Path, columns: Mapping[str, Iterable[Any]], *, raw: bool = False) -> None:
    """Write columns of numbers and texts, None as an empty cell; floats keep every digit.

    Parameters
    ----------
    path : Path
        The file.
    columns : mapping
        The cells of each column, by its name; all are equally many.
    raw : bool, default=False
        Whether to leave cells as they are that a spreadsheet would run.
    """
    with path.open("w", newline="", encoding="utf-8") as file:
        print_csv(file, columns, raw=raw)


def print_csv(stream: IO[str], columns: Mapping[str, Iterable[Any]], *, raw: bool = False) -> None:
    """Write columns as :func:`write_csv` does, to a stream of text."""
    stream.write(_line(columns, raw))
    rows = zip(*columns.values(), strict=True)
    stream.writelines(_line(cells, raw) for cells in rows)


def disarmed(cell: str) -> str:
    """Put an apostrophe before text that a spreadsheet would run.

    Examples
    --------
    >>> disarmed("=1+1"), disarmed("-1.5"), disarmed("a=b")
    ("'=1+1", '-1.5', 'a=b')
    """
    bare = cell.lstrip("'")  # one that has an apostrophe already gets another, to be told apart
    return f"'{cell}" if bare.startswith(FORMULA) and not _is_number(cell) else cell


def rearmed(cell: str) -> str:
    """Return the text that :func:`disarmed` was given.

    Examples
    --------
    >>> rearmed("'=1+1"), rearmed("'tis")
    ('=1+1', "'tis")
    """
    text = cell[1:]
    return text if cell.startswith("'") and disarmed(text) == cell else cell


def _line(cells: Iterable[Any], raw: bool) -> str:
    return ",".join([_cell(cell, raw) for cell in cells]) + "\r\n"


def _cell(value: object, raw: bool) -> str:
    if value is None:
        return ""
    text = str(value)
    if isinstance(value, int | float):
        return text
    if not raw:
        text = disarmed(text)
    if _QUOTED.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return cell.isascii() and cell.isprintable()
