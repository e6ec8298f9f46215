"""What rows are called in files: their numbers, or the user's own ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints.formats import Table
from linkwise.constraints.pairs import Pairs
from linkwise.constraints.unknown_rows import refusal, say_skipped
from linkwise.errors import InvalidInput, InvalidLinks
from linkwise.files.frames import column_values
from linkwise.typing import PairsLike

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

    def find(
        self, table: Table, *columns: str, skip_unknown: bool | None = False
    ) -> tuple[Table, NDArray[np.int64]]:
        """Return the entries and the rows that ``columns`` name in them, a column each.

        Names of rows that are not there are refused all at once, or their entries skipped; None
        is for callers that cannot skip any.
        """
        look = self._by_number if self.ids is None else self._by_id
        cells = list(zip(*(map(whole, table.column(column)) for column in columns), strict=True))
        rows = np.array([[look(name) for name in entry] for entry in cells], dtype=np.int64)
        rows = rows.reshape(len(cells), len(columns))
        unknown: dict[str, list[int]] = {}
        for entry, column in np.argwhere(rows < 0).tolist():
            unknown.setdefault(repr(cells[entry][column]), []).append(entry)
        if not unknown:
            return table, rows
        if not skip_unknown:
            raise refusal(table, unknown, self.ids, self.n_samples, can_skip=skip_unknown is False)
        say_skipped(table, unknown)
        kept = np.flatnonzero((rows >= 0).all(axis=1))
        return table.keep(kept.tolist()), rows[kept]

    def _by_id(self, name: object) -> int:
        return self.row_of.get(str(name), -1)

    def _by_number(self, name: object) -> int:
        if isinstance(name, bool) or not isinstance(name, int | str):
            return -1
        try:
            row = int(name)
        except ValueError:
            return -1
        return row if 0 <= row < self.n_samples else -1


def whole(name: object) -> object:
    """Return 7 for 7.0: data frames turn whole numbers beside a gap into floats."""
    return int(name) if isinstance(name, float) and name.is_integer() else name


def rows_of_pairs(names: RowNames, must: PairsLike, cannot: PairsLike) -> tuple[Pairs, Pairs]:
    """Return pairs by row number for those that name rows by id."""
    listed = {"must": _ends("must", must), "cannot": _ends("cannot", cannot)}
    n_must = len(listed["must"])
    said = listed["must"] + listed["cannot"]

    def spot(entry: int) -> str:
        return f"must[{entry}]" if entry < n_must else f"cannot[{entry - n_must}]"

    columns = {"i": [i for i, _ in said], "j": [j for _, j in said]}
    _, rows = names.find(Table(columns, "", spot, joint=""), "i", "j", skip_unknown=None)
    return rows[:n_must], rows[n_must:]


def _ends(name: str, pairs: PairsLike) -> list[tuple[object, object]]:
    """Return the two ids of each pair, as plain Python values."""
    if isinstance(pairs, str | bytes) or not isinstance(pairs, Iterable):
        raise InvalidLinks(f"{name} must be pairs of ids such as [('ann', 'bob')], got {pairs!r}.")
    listed = pairs.tolist() if isinstance(pairs, np.ndarray) else list(pairs)
    ends = []
    for place, pair in enumerate(listed):
        two = [] if isinstance(pair, str | bytes) or not isinstance(pair, Iterable) else [*pair]
        if len(two) != 2:
            raise InvalidLinks(f"{name}[{place}] = {pair!r} is not a pair of ids.")
        i, j = (end.item() if isinstance(end, np.generic) else end for end in two)
        ends.append((i, j))
    return ends


def _read_ids(ids: Iterable[Any], n_samples: int) -> list[Any]:
    """Return the ids as a list of text or of whole numbers; mixed ones become text."""
    if not isinstance(ids, Iterable) or isinstance(ids, str | bytes):
        advice = " n_samples says how many rows there are." if isinstance(ids, int) else ""
        raise InvalidInput(f"ids must be the id of each row, got {ids!r}.{advice}")
    column = column_values(ids)
    given = ids if column is None else column
    listed = [whole(name.item() if isinstance(name, np.generic) else name) for name in given]
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
