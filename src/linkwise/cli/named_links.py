"""Links together with what their rows are called, also when only the links' file is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import linkwise as lw
from linkwise.cli.link_options import LinkColumns
from linkwise.constraints.formats import LINKS, read_json, read_table
from linkwise.errors import Advice, Remedy


@dataclass(frozen=True, eq=False)
class NamedLinks:
    """Links, the ids of the rows (None: they go by number), and whether all rows are counted.

    ``all_rows`` is False when the rows had to be guessed from the links: then only linked rows
    are known.
    """

    links: lw.Links
    ids: list[Any] | None
    all_rows: bool

    def name(self, row: int) -> str:
        """Return what a row is called."""
        return str(row if self.ids is None else self.ids[row])

    def write(self, path: Path, links: lw.Links) -> None:
        """Write some of the links, by the same names."""
        links.write(path, ids=self.ids)


def read_named_links(
    path: Path,
    n_rows: int | None,
    ids: list[Any] | None,
    columns: LinkColumns,
    *,
    skip_unknown: bool = False,
) -> NamedLinks:
    """Read links; without ``n_rows``, the rows are those the file speaks of."""
    in_json, all_rows = path.suffix.lower() == ".json", True
    if n_rows is None:
        n_rows, ids = _rows_of_json(path) if in_json else _rows_of_table(path, columns)
        all_rows = in_json
    read = lw.Links.read(path, n_rows, ids=ids, **columns, skip_unknown=skip_unknown)
    return NamedLinks(read, ids, all_rows)


def _rows_of_table(path: Path, columns: LinkColumns) -> tuple[int, list[Any]]:
    left, right = columns.get("left", "i"), columns.get("right", "j")
    advice = () if columns else (Advice(Remedy.NAME_COLUMNS),)
    table = read_table(path, (left, right, columns.get("kind", "kind")), *advice)
    ids = _distinct([*table.column(left), *table.column(right)])
    return len(ids), ids


def _rows_of_json(path: Path) -> tuple[int, list[Any] | None]:
    """Return what the file says about its rows; unlinked rows that have ids get a stand-in."""
    content = read_json(path, LINKS)
    pairs = [*content.get("must", []), *content.get("cannot", [])]
    ends = [end for pair in pairs if isinstance(pair, list) for end in pair]
    if content.get("rows") == "ids":
        ids = _distinct(ends)
        unlinked = range(content.get("n_samples", len(ids)) - len(ids))
        ids += [f"(unlinked row {k})" for k in unlinked]
        return len(ids), ids
    highest = max((end for end in ends if isinstance(end, int)), default=-1)
    return content.get("n_samples", highest + 1), None


def _distinct(names: Iterable[Any]) -> list[Any]:
    """Return each name once; gaps are not names, and reading the links complains about them."""
    return list({str(name): name for name in names if name not in (None, "")}.values())
