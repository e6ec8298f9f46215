"""Entries and events: what a caller asks to have recorded, and the record."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

Payload = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """Something to be recorded.

    Parameters
    ----------
    kind : str
        What happened: one of :data:`~linkwise.session.events.kinds.KINDS`.
    payload : dict
        What exactly; the kind tells the fields.
    who : str, default=""
        Who said it.
    key : str or None, default=None
        Idempotency key: the same entry sent again with the same key is recorded once.
    """

    kind: str
    payload: Payload
    who: str = ""
    key: str | None = None


@dataclass(frozen=True)
class Event:
    """Something that was recorded.

    Attributes
    ----------
    seq : int
        Position in the journal, from 1.
    kind, payload, who, key
        As in the entry; the payload may hold fields the session added.
    when : str
        Time of recording, ISO 8601 in UTC.
    undone_by : int or None
        The event that took this one back, if it still stands.
    repeated : bool
        Whether an earlier request with the same key had already recorded it.
    """

    seq: int
    kind: str
    payload: Payload
    who: str = ""
    when: str = ""
    key: str | None = None
    undone_by: int | None = None
    repeated: bool = False


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def encode(payload: Payload) -> str:
    """Return a payload as canonical JSON."""
    return _encode(payload)
