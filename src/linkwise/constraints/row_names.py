"""What rows are called in files: their numbers, or the user's own ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints.formats import Table
from linkwise.constraints.pairs import describe_rows
from linkwise.errors import InvalidInput
from linkwise.files.frames import column_values

Ids = Iterable[Any] | None


class RowNames:
    """The names of ``n_samples`` rows. Ids are compared as text, so 7 and "7" are the same."""

    def __init__(self, n_samples: int, ids: Ids) -> None:
        self.n_samples = n_samples
        self.ids = None if ids is None else _read_ids(ids, n_samples)
        self.row_of = {str(name): row for row, name in enumerate(self.ids or ())}
        self.kind = "numbers" if ids is None else "ids"
        self.column = "row" if ids is None else "id"  # in a table of labels

    def names(self, rows: NDArray[np.int64]) -> list[Any]:
        """Return the names of ``rows``."""
        return rows.tolist() if self.ids is None else [self.ids[row] for row in rows.tolist()]

    def find(self, table: Table, column: str) -> NDArray[np.int64]:
        """Return the rows named by a column, or say which entry names none."""
        look = self._by_number if self.ids is None else self._by_id
        names = table.column(column)
        rows = [look(table, entry, name) for entry, name in enumerate(names)]
        return np.array(rows, dtype=np.int64)

    def _by_id(self, table: Table, entry: int, name: object) -> int:
        row = self.row_of.get(str(name))
        if row is None:
            raise table.refuse(entry, f"{name!r} is not among the {self.n_samples} ids.")
        return row

    def _by_number(self, table: Table, entry: int, name: Any) -> int:
        try:
            row = int(name) if isinstance(name, str) else name
        except ValueError:
            row = None
        if not isinstance(row, int) or isinstance(row, bool):
            raise table.refuse(
                entry,
                f"{name!r} is not a row number. Files that name rows by id are read with ids=.",
            )
        if not 0 <= row < self.n_samples:
            raise table.refuse(entry, f"row {row} points outside {describe_rows(self.n_samples)}.")
        return row


def _read_ids(ids: Iterable[Any], n_samples: int) -> list[Any]:
    """Return the ids as a list of text or of whole numbers; mixed ones become text."""
    column = column_values(ids)
    given = ids if column is None else column
    listed = [name.item() if isinstance(name, np.generic) else name for name in given]
    if len(listed) != n_samples:
        raise InvalidInput(f"ids has {len(listed)} values for {n_samples} rows.")
    first: dict[str, int] = {}
    for row, name in enumerate(listed):
        if not isinstance(name, str | int) or isinstance(name, bool):
            raise InvalidInput(f"ids[{row}] = {name!r} must be text or a whole number.")
        if first.setdefault(str(name), row) != row:
            raise InvalidInput(
                f"ids[{row}] = {name!r} is also ids[{first[str(name)]}]. "
                f"Every row needs an id of its own."
            )
    numbers = all(isinstance(name, int) and abs(name) < 2**63 for name in listed)
    return listed if numbers else [str(name) for name in listed]
