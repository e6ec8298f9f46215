"""The chain: every record carries a hash of itself and of the hash before it.

Whoever knows the number and the hash of one record can tell whether the records up to it are the
ones that were written: none changed, none missing, none in another order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from linkwise.session.errors import SessionError
from linkwise.session.journal.record import Record


class Link(NamedTuple):
    """The number of a record, and the hash of it and of all before it."""

    seq: int
    hash: bytes


class Row(NamedTuple):
    """A record as it is stored, with its hash."""

    record: Record
    hash: bytes


class Broken(SessionError):
    """A record that is not the one that was written, or is missing; ``seq`` is its number."""

    def __init__(self, seq: int, found: str) -> None:
        super().__init__(found)
        self.seq, self.found = seq, found


def origin(session: str) -> Link:
    """Return the link that the first record of a session follows."""
    return Link(0, hashlib.sha256(f"linkwise journal\0{session}".encode()).digest())


def hash_of(before: bytes, record: Record) -> bytes:
    """Return the hash of a record that follows one with the hash ``before``.

    It is the SHA-256 of that hash and of the fields in UTF-8, with a zero byte before each of
    them; a record without a key has one field less.
    """
    seq, kind, payload, who, when, key = record
    fields = (str(seq), kind, payload, who, when) if key is None else (str(seq), *record[1:])
    try:
        text = "\0".join(("", *fields)).encode()
    except (TypeError, UnicodeEncodeError):  # damage may have turned text into something else
        return b""
    return hashlib.sha256(before + text).digest()


def chained(before: Link, records: Sequence[Record]) -> list[Row]:
    """Return the records with their hashes; the first follows ``before``."""
    rows, last = [], before.hash
    for record in records:
        last = hash_of(last, record)
        rows.append(Row(record, last))
    return rows


def follow(before: Link, rows: Sequence[Row]) -> Link:
    """Return the link of the last row, or raise :class:`Broken` at the first that does not fit."""
    seq, last = before
    for record, stored in rows:
        seq += 1
        if record.seq != seq:
            raise Broken(seq, f"event {seq} is missing")
        last = hash_of(last, record)
        if last != stored:
            raise Broken(seq, f"event {seq} is not what was recorded (its hash does not fit)")
    return Link(seq, last)
