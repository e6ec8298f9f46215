"""Rows for showing that lie in several files: those a session began with, and those that joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints.near_names import nobody_called
from linkwise.errors import InvalidInput
from linkwise.session.data.display import Display, Row

#: Rows read at once.
_CHUNK = 2_000


class DisplayParts:
    """Displays one after the other, as if they were one."""

    def __init__(self, first: Display) -> None:
        self._parts, self._starts = [first], [0, first.n_rows]
        self._by_id: dict[str, int] | None = None
        self._ids: list[Any] | None = None

    def append(self, part: Display) -> None:
        """Add the rows of another file; those there are keep their numbers."""
        self._starts = [*self._starts, self._starts[-1] + part.n_rows]
        self._parts = [*self._parts, part]
        self._ids = self._by_id = None

    @property
    def n_rows(self) -> int:
        return self._starts[-1]

    @property
    def has_images(self) -> bool:
        return self._parts[0].has_images

    @property
    def has_text(self) -> bool:
        return self._parts[0].has_text

    @property
    def ids(self) -> list[Any] | None:
        """What the data calls its rows, None where it goes by number."""
        if self._ids is None:
            parts = [part.ids for part in self._parts]
            if parts[0] is None:
                return None
            self._ids = [name for part in parts for name in part or ()]
        return self._ids

    def row_of(self, name: str | int) -> int:
        """Return the row the data calls ``name``; without ids, the row of that number."""
        if self.ids is None:
            try:
                row = int(name)
            except ValueError:
                raise InvalidInput(
                    f"{name!r} is not a row: rows go by their number, 0 to {self.n_rows - 1}."
                ) from None
            return self.check(row)
        self.check_names([str(name)])
        return self._row_by_id[str(name)]

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse names that no row has, all of them at once; without ids, nothing is looked at."""
        if not names or self.ids is None:
            return
        unknown = [name for name in dict.fromkeys(names) if name not in self._row_by_id]
        if unknown:
            raise InvalidInput(nobody_called(unknown, list(self._row_by_id)))

    @property
    def _row_by_id(self) -> dict[str, int]:
        if self._by_id is None:
            self._by_id = {str(known): row for row, known in enumerate(self.ids or ())}
        return self._by_id

    def check(self, row: int) -> int:
        """Return the row if there is one."""
        if not 0 <= row < self.n_rows:
            raise InvalidInput(
                f"row {row} is outside the {self.n_rows} rows (0 to {self.n_rows - 1})."
            )
        return row

    def read(
        self, rows: Sequence[int], labels: NDArray[Any], margins: NDArray[np.float32]
    ) -> list[Row]:
        """Return some rows for showing, in the order asked for."""
        wanted = [self.check(int(row)) for row in rows]
        found: dict[int, Row] = {}
        for part, start, stop in zip(self._parts, self._starts, self._starts[1:], strict=False):
            inside = [row - start for row in wanted if start <= row < min(stop, len(labels))]
            if not inside:
                continue
            for shown in part.read(inside, labels[start:], margins[start:]):
                row = start + shown.row
                name = row if part.ids is None else shown.id
                found[row] = replace(shown, row=row, id=name)
        return [found[row] for row in wanted if row in found]

    def table(self, n_rows: int) -> dict[str, list[Any]]:
        """Return the first rows of the data by column; "row" is their number if they have no id."""
        found: dict[str, list[Any]] = {} if self.ids is not None else {"row": list(range(n_rows))}
        for part, start in zip(self._parts, self._starts, strict=False):
            here = max(0, min(part.n_rows, n_rows - start))
            for at in range(0, here, _CHUNK):
                rows = range(at, min(at + _CHUNK, here))
                for number, values in zip(rows, part.values(rows), strict=True):
                    for name, value in values.items():
                        found.setdefault(name, [None] * n_rows)[start + number] = value
        return found

    def image(self, row: int) -> tuple[bytes, str]:
        """Return the picture of a row and its media type."""
        self.check(row)
        k = int(np.searchsorted(self._starts, row, side="right")) - 1
        return self._parts[k].image(row - self._starts[k])
