"""Export files that are safe to open: a spreadsheet must not run what somebody typed as a name."""

from __future__ import annotations

import csv
import secrets
from pathlib import Path

from linkwise.session import Session

#: A cell that begins so is a formula to a spreadsheet, unless it is a number.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_export(session: Session, folder: Path, what: str, suffix: str) -> Path:
    """Write the labels or the answers to a new file in ``folder`` and return its path."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{secrets.token_hex(16)}.{suffix}"
    try:
        session.export(path, what=what)
        if suffix == "csv":
            _disarm(path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _disarm(path: Path) -> None:
    """Put an apostrophe before every cell that a spreadsheet would run."""
    safe = path.with_suffix(".safe")
    with (
        path.open(newline="", encoding="utf-8") as read,
        safe.open("w", newline="", encoding="utf-8") as write,
    ):
        writer = csv.writer(write, lineterminator="\n")
        writer.writerows([_safe(cell) for cell in cells] for cells in csv.reader(read))
    safe.replace(path)


def _safe(cell: str) -> str:
    if not cell.startswith(FORMULA) or _is_number(cell):
        return cell
    return f"'{cell}"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
