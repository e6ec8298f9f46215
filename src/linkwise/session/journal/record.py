"""A record: one line of the journal."""

from __future__ import annotations

from typing import NamedTuple


class Record(NamedTuple):
    """One line of the journal; the payload is JSON text."""

    seq: int
    kind: str
    payload: str
    who: str
    when: str
    key: str | None
