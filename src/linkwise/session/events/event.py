"""Entries and events: what a caller asks to have recorded, and the record."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

#: What a session adds to a payload; a repeated request need not know it.
ADDED = ("guess", "new", "halves")

Payload = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """Something to be recorded.

    Parameters
    ----------
    kind : {"answer", "label", "together", "undo", "rename", "merge", "split"}
        What happened.
    payload : dict
        What exactly; see the guide for the fields of each kind.
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


def request(payload: Payload) -> str:
    """Return what a payload asks for, as canonical text: what two requests are compared by."""
    return encode({name: value for name, value in payload.items() if name not in ADDED})


def encode(payload: Payload) -> str:
    """Return a payload as canonical JSON."""
    return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
