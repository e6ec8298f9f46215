"""Files of links, labels and answers: how much one says, counted before a session hears it."""

from __future__ import annotations

from pathlib import Path

from linkwise.files.endings import KNOWLEDGE_READ, ending_of

#: The column in which exported answers list their rows.
ROWS = "ids"


def n_said(path: Path) -> int:
    """Return of how many pairs or rows a file speaks; one of another kind is for its reader."""
    if ending_of(path, KNOWLEDGE_READ) is None:
        return 0
    from linkwise.constraints.formats import read_table  # a second to import, so not at start

    table = read_table(path, ())
    if not table.columns:
        return 0
    listed = (cell for cell in table.columns.get(ROWS, ()) if isinstance(cell, str))
    return table.n_entries + sum(cell.count(",") for cell in listed)
