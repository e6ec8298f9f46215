"""What a session is grouped by, for people who have just made it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from linkwise.tables.words import left_out

if TYPE_CHECKING:
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
