"""Names of rows that are not there: all of them at once, where they stand, what was meant."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from linkwise.constraints.formats import Table
from linkwise.constraints.near_names import NearNames
from linkwise.constraints.pairs import describe_rows
from linkwise.errors import Advice, ConstraintWarning, Remedy, UnknownRows

_MOST_NAMED = 10
_MOST_PLACES = 3


def refusal(
    table: Table,
    unknown: Mapping[str, list[int]],
    ids: Sequence[Any] | None,
    n_samples: int,
    *,
    can_skip: bool,
) -> UnknownRows:
    """Return the error about ``unknown``: how entries write each name, and which entries do."""
    near = NearNames(map(str, ids or ()))
    numbered = ids is None
    advice = [Advice(Remedy.SKIP_UNKNOWN)] if can_skip else []
    if numbered and not all(map(_is_number, unknown)):
        advice = [Advice(Remedy.GIVE_IDS), *advice]
    if len(unknown) == 1:
        [(name, entries)] = unknown.items()
        found = f"{table.joint}{table.spot(entries[0])}: {_one(name, ids, n_samples)}"
        meant = None if numbered else near.near(_text(name))
        found += "" if meant is None else f" Did you mean {meant!r}?"
        others = len(entries) - 1
        found += f" It stands in {others} more place{'s' * (others > 1)}." if others else ""
    else:
        there = f"among the {n_samples} ids"
        if numbered:  # a data frame alone does not tell how many rows there are
            there = (
                f"among the row numbers of {describe_rows(n_samples)}" if n_samples else "numbers"
            )
        listed = ", ".join(
            _described(name, entries, table, None if numbered else near.near(_text(name)))
            for name, entries in list(unknown.items())[:_MOST_NAMED]
        )
        more = len(unknown) - _MOST_NAMED
        found = f": {len(unknown)} names are not {there}: {listed}"
        found += f" and {more} more." if more > 0 else "."
    return UnknownRows(table.name, found if table.name else found.removeprefix(": "), *advice)


def say_skipped(table: Table, unknown: Mapping[str, list[int]]) -> None:
    """Warn how many entries were skipped because they name rows that are not there."""
    n_entries = len({entry for entries in unknown.values() for entry in entries})
    names = ", ".join(list(unknown)[:_MOST_NAMED])
    more = len(unknown) - _MOST_NAMED
    warnings.warn(
        f"{table.name}: {n_entries} of {table.n_entries} entries "
        f"{'was skipped because it names' if n_entries == 1 else 'were skipped because they name'} "
        f"rows that are not there: {names}{f' and {more} more' if more > 0 else ''}.",
        ConstraintWarning,
        stacklevel=6,  # who called Links.read or from_frame
    )


def _one(name: str, ids: Sequence[Any] | None, n_samples: int) -> str:
    if ids is not None:
        return f"{name} is not among the {n_samples} ids."
    if _is_number(name):
        return f"row {_text(name)} points outside {describe_rows(n_samples)}."
    return f"{name} is not a row number."


def _described(name: str, entries: list[int], table: Table, meant: str | None) -> str:
    spots = ", ".join(table.spot(entry) for entry in entries[:_MOST_PLACES])
    more = len(entries) - _MOST_PLACES
    spots += f" and {more} more" if more > 0 else ""
    return f"{name} ({spots})" if meant is None else f"{name} ({spots}; like {meant!r})"


def _text(name: str) -> str:
    """Return what a name is without its quotes."""
    return name[1:-1] if name[:1] in "'\"" else name


def _is_number(name: str) -> bool:
    try:
        int(_text(name))
    except ValueError:
        return False
    return True
