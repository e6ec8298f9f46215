"""What people are told of a session: what it is grouped by, and what contradicts what they said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from linkwise.tables.words import left_out

if TYPE_CHECKING:
    from linkwise.cli.session_commands.opening import AnySession
    from linkwise.session import Session

_MOST_NAMED = 10


def about_columns(session: Session) -> str:
    """Return what rows are grouped by, what was left out, and which rows cannot be used."""
    said = f"Grouped by {session.grouped_by}.{left_out(session.left_out)}"
    notes = "".join(f"\nNote: {note}" for note in session.notes)
    return f"{said}{about_unusable([session.ids[row] for row in session.unusable])}{notes}"


def about_unusable(ids: Sequence[object]) -> str:
    """Return the sentence that names rows which have nothing to group by, if there are any."""
    if not ids:
        return ""
    named = ", ".join(str(name) for name in ids[:_MOST_NAMED])
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    what = "1 row has" if len(ids) == 1 else f"{len(ids)} rows have"
    return f" {what} nothing to group by: {named}{more}."


def about_contradictions(session: AnySession, folder: Path, events: Iterable[int]) -> str:
    """Return lines about what contradicts these events, if anything does."""
    told = set(events)
    found = [trouble for trouble in session.conflicts() if told.intersection(trouble.events)]
    if not found:
        return ""
    more = f"\nThere are {len(found) - 1} more like it." if len(found) > 1 else ""
    return (
        f"\nThis cannot all be true: {found[0].sentence}{more}"
        f"\nTo settle it: linkwise session conflicts {folder}"
    )
