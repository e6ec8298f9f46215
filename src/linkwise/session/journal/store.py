"""A store: where the rows of a journal lie. SQLite and PostgreSQL are behind this interface.

A store is used by one thread that writes and by several that read: every method may be called from
any thread, and each implementation sees to it that one call at a time uses its connection.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence

from linkwise.session.journal.chain import Row
from linkwise.session.journal.record import Record

#: Version of the rows; a journal with a larger one is left alone. Version 1 had no hashes.
VERSION = 2
PAGE = 20_000


class Store(ABC):
    """Rows by their number: 1, 2, 3, ... without gaps.

    Attributes
    ----------
    where : str
        What to call it in a sentence.
    version : int
        Version of the rows; those of version 1 have no hashes yet.
    trouble : str or None
        What a database that does not answer last failed with; None while it answers.
    """

    where: str
    version: int
    trouble: str | None = None

    @abstractmethod
    def take(self) -> None:
        """Become the one who writes; until then the store is only looked at, beside whoever is.

        SQLite, closing a file it may write, makes what it understood of the write-ahead log final.
        So a journal is found whole first, and taken then.
        """

    @abstractmethod
    def append(self, rows: Sequence[Row]) -> None:
        """Write all rows durably, or raise :class:`StorageTrouble` and write none."""

    @abstractmethod
    def last(self) -> int:
        """Return the number of the last row, 0 if there is none."""

    @abstractmethod
    def read(self, after: int, limit: int) -> list[Row]:
        """Return up to ``limit`` rows that follow row ``after``, in order."""

    @abstractmethod
    def by_key(self, keys: Collection[str]) -> list[Row]:
        """Return the rows that were written with these keys."""

    @abstractmethod
    def adopt(self, hashes: Callable[[Iterator[list[Record]]], Iterator[list[Row]]]) -> None:
        """Give hashes to the rows of a journal of version 1, all or none."""

    @abstractmethod
    def replace(self, rows: Iterator[list[Row]]) -> None:
        """Hold these rows and no others, or what was there before if that fails."""

    @abstractmethod
    def troubles(self, *, thorough: bool) -> list[str]:
        """Return what is wrong with the store itself, whatever the rows say."""

    @abstractmethod
    def settle(self) -> None:
        """Put in order what was left for later; called when nobody waits."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""
