"""What a session is grouped by, for people who have just made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwise.tables.words import left_out

if TYPE_CHECKING:
    from linkwise.session import Session

_MOST_NAMED = 10


def about_columns(session: Session) -> str:
    """Return what rows are grouped by, what was left out, and which rows cannot be used."""
    said = f"Grouped by {session.grouped_by}.{left_out(session.left_out)}"
    rows = session.unusable
    notes = "".join(f"\nNote: {note}" for note in session.notes)
    if not rows:
        return f"{said}{notes}"
    named = ", ".join(str(session.ids[row]) for row in rows[:_MOST_NAMED])
    more = f" and {len(rows) - _MOST_NAMED} more" if len(rows) > _MOST_NAMED else ""
    what = "1 row has" if len(rows) == 1 else f"{len(rows)} rows have"
    return f"{said} {what} nothing to group by: {named}{more}.{notes}"
