"""The journal: an append-only list of records that survives whatever happens to the process.

This module is the whole interface; SQLite and PostgreSQL are behind it. A journal is used by one
thread that writes and by several that read: every method may be called from any thread, and each
implementation sees to it that one call at a time uses its connection.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from linkwise.session.journal.address import without_secrets

#: Version of the records; a journal with a larger one is left alone.
VERSION = 1
PAGE = 20_000
SQLITE_FILE = "journal.sqlite"


class Record(NamedTuple):
    """One line of the journal; the payload is JSON text."""

    seq: int
    kind: str
    payload: str
    who: str
    when: str
    key: str | None


class Journal(ABC):
    """Where records go. Sequence numbers are 1, 2, 3, ... without gaps."""

    @abstractmethod
    def append(self, records: Sequence[Record]) -> None:
        """Write all records durably, or raise :class:`StorageTrouble` and write none."""

    @abstractmethod
    def last(self) -> int:
        """Return the number of the last record, 0 if there is none."""

    @abstractmethod
    def read(self, after: int, limit: int) -> list[Record]:
        """Return up to ``limit`` records that follow record ``after``, in order."""

    @abstractmethod
    def by_key(self, keys: Collection[str]) -> dict[str, Record]:
        """Return the records that were written with these keys."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""

    def pages(self, after: int = 0) -> Iterator[list[Record]]:
        """Yield all records that follow record ``after``, in pages."""
        while page := self.read(after, PAGE):
            yield page
            after = page[-1].seq


def create_journal(folder: Path, url: str | None, session: str) -> None:
    """Make an empty journal for the session with this id."""
    if url is None:
        from linkwise.session.journal.sqlite import SqliteJournal

        SqliteJournal.create(folder / SQLITE_FILE, session).close()
    else:
        from linkwise.session.journal.postgres import PostgresJournal

        PostgresJournal.create(url, session).close()


def open_journal(folder: Path, url: str | None, session: str) -> Journal:
    """Open the journal of the session with this id; refuses one of a newer version."""
    if url is not None:
        without_secrets(url)  # one that cannot be read is refused here, without being repeated
    if url is None:
        from linkwise.session.journal.sqlite import SqliteJournal

        return SqliteJournal(folder / SQLITE_FILE, session)
    from linkwise.session.journal.postgres import PostgresJournal

    return PostgresJournal(url, session)
