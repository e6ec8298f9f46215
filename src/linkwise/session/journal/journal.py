"""The journal: an append-only list of records that survives whatever happens to the process.

Records are chained by their hashes, and the mark tells how far they go. A journal that lost or
changed what was acknowledged is refused with a sentence, when it is opened or when the record is
read; it is never opened short. Every method may be called from any thread.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from threading import RLock

from linkwise.session.errors import JournalDamaged
from linkwise.session.journal.address import without_secrets
from linkwise.session.journal.chain import Broken, Link, Row, chained, follow, origin
from linkwise.session.journal.mark import Mark
from linkwise.session.journal.record import Record
from linkwise.session.journal.store import PAGE, VERSION, Store

logger = logging.getLogger(__name__)

__all__ = [
    "PAGE",
    "SQLITE_FILE",
    "VERSION",
    "WHOLE",
    "Journal",
    "Record",
    "create_journal",
    "open_journal",
    "open_store",
    "pages_of",
]

SQLITE_FILE = "journal.sqlite"
#: A journal of up to so many records is checked in whole when it is opened; of a longer one the
#: records since the checkpoint, and the others when they are read.
WHOLE = 25_000


class Journal:
    """Records in a store, chained, with a mark beside them.

    Parameters
    ----------
    store : Store
        Where the records lie.
    folder : Path
        The session's folder, where the mark is.
    session : str
        The session's id, with which the chain begins.
    """

    def __init__(self, store: Store, folder: Path, session: str) -> None:
        self._store, self._folder = store, folder
        self._origin = origin(session)
        self._mark = Mark(folder, session)
        self._lock = RLock()
        self._head = self._origin  # the last record that is known and was found whole
        self._is_marked = True
        if store.version < 2:
            store.take()
            self._adopt()
        self._check_mark()
        if self._head.seq <= WHOLE:
            self._refuse(*store.troubles(thorough=True))
            for _ in self.pages():
                pass
        else:
            self._refuse(*store.troubles(thorough=False))
        store.take()
        for _ in self.pages(self._head.seq):  # whoever held it until now may have gone on
            pass
        self._keep_mark()

    def append(self, records: Sequence[Record]) -> None:
        """Write all records durably, or raise :class:`StorageTrouble` and write none."""
        with self._lock:
            self._keep_mark()
            rows = chained(self._head, records)
            self._store.append(rows)
            self._head, self._is_marked = Link(records[-1].seq, rows[-1].hash), False
            self._keep_mark()

    def last(self) -> int:
        """Return the number of the last record, 0 if there is none."""
        return self._head.seq

    def link(self, seq: int) -> Link | None:
        """Return the link of a record as it is stored; None if there is no such record."""
        if seq in (0, self._head.seq):
            return self._origin if seq == 0 else self._head
        found = self._store.read(seq - 1, 1)
        return Link(seq, found[0].hash) if found and found[0].record.seq == seq else None

    def read(self, after: int, limit: int) -> list[Record]:
        """Return up to ``limit`` records that follow record ``after``, in order and as written."""
        return [row.record for row in self._rows(after, limit)]

    def by_key(self, keys: Collection[str]) -> dict[str, Record]:
        """Return the records that were written with these keys."""
        if not keys:
            return {}
        with self._lock:
            found = self._store.by_key(keys)
            if found:
                self._keep_mark()  # who asks again is told of them, so they must be safe
        records = {}
        for row in found:
            (record,) = self.read(row.record.seq - 1, 1) or (None,)
            if record is None or record.key != row.record.key:
                raise JournalDamaged(self._damage(f"event {row.record.seq} is missing"))
            records[str(record.key)] = record
        return records

    def pages(self, after: int = 0) -> Iterator[list[Record]]:
        """Yield all records that follow record ``after``, in pages."""
        for rows in self.row_pages(after):
            yield [row.record for row in rows]

    def row_pages(self, after: int = 0) -> Iterator[list[Row]]:
        """Yield all records that follow record ``after`` with their hashes, in pages."""
        while page := self._rows(after, PAGE):
            yield page
            after = page[-1].record.seq

    @property
    def trouble(self) -> str | None:
        """What the store last failed with; None while it works."""
        return self._store.trouble

    def settle(self) -> None:
        """Bring everything to its place; called when nobody waits."""
        with self._lock:
            self._mark.sync()
            self._store.settle()

    def close(self) -> None:
        """Let go of files and connections."""
        with self._lock:
            self._mark.close()
            self._store.close()

    def _rows(self, after: int, limit: int) -> list[Row]:
        with self._lock:
            head = self._head
        if after > head.seq or limit <= 0:
            return []
        before = self.link(after)
        try:
            if before is None:
                raise Broken(after, f"event {after} is missing")
            rows = self._store.read(after, limit)
            end = follow(before, rows)
            if end.seq < min(head.seq, after + limit):
                raise Broken(end.seq + 1, f"event {end.seq + 1} is missing")
            if after < head.seq == end.seq and end != head:
                raise Broken(end.seq, f"event {end.seq} is not the one that was recorded")
        except Broken as broken:
            raise JournalDamaged(self._damage(broken.found)) from None
        with self._lock:
            if after == self._head.seq and end != self._head:
                self._head, self._is_marked = end, False
        return rows

    def _keep_mark(self) -> None:
        """Set the mark, if that failed before or has not been done."""
        if not self._is_marked:
            self._mark.write(self._head)
            self._is_marked = True

    def _check_mark(self) -> None:
        """Refuse a journal that does not reach, or contradicts, what was acknowledged."""
        mark = self._mark.read()
        if mark is None:
            state = "cannot be read" if self._mark.is_there() else "is missing"
            self._refuse(f"{self._mark.path.name}, which tells how far it went, {state}")
            return
        last = self._store.last()
        if last < mark.seq:
            self._refuse(
                f"it ends at event {last}, but {mark.seq} were acknowledged, so {mark.seq - last} "
                f"{'is' if mark.seq - last == 1 else 'are'} missing"
            )
        if self.link(mark.seq) != mark:
            self._refuse(f"event {mark.seq} is not the one that was acknowledged")
        self._head = mark
        for _ in self.pages(mark.seq):  # committed, but not acknowledged when the process ended
            pass

    def _adopt(self) -> None:
        """Chain the records of a journal that had no hashes; the mark first, so that none lacks."""
        logger.info("%s is given hashes", self._store.where)

        def hashed(pages: Iterator[list[Record]]) -> Iterator[list[Row]]:
            link = self._origin
            for page in pages:
                rows = chained(link, page)
                try:
                    link = follow(link, rows)
                except Broken as broken:
                    raise JournalDamaged(self._damage(broken.found)) from None
                yield rows
            if self._mark.read() is None:
                self._mark.write(link)
                self._mark.sync()

        self._store.adopt(hashed)

    def _refuse(self, *found: str) -> None:
        if found:
            raise JournalDamaged(self._damage(found[0]))

    def _damage(self, found: str) -> str:
        return (
            f"{self._store.where} is damaged: {found}. It was left as it is. "
            f"`linkwise session verify {self._folder}` tells what is whole, and "
            f"`linkwise session repair {self._folder}` puts it together again, from a backup where "
            f"it must."
        )


def create_journal(folder: Path, url: str | None, session: str) -> None:
    """Make an empty journal for the session with this id."""
    mark = Mark(folder, session)
    mark.write(origin(session))
    mark.close()
    if url is None:
        from linkwise.session.journal.sqlite import SqliteStore

        SqliteStore.create(folder / SQLITE_FILE, session).close()
    else:
        from linkwise.session.journal.postgres import PostgresStore

        PostgresStore.create(url, session).close()


def open_store(folder: Path, url: str | None, session: str) -> Store:
    """Open what holds the records, to look at it."""
    if url is None:
        from linkwise.session.journal.sqlite import SqliteStore

        return SqliteStore(folder / SQLITE_FILE, session)
    from linkwise.session.journal.postgres import PostgresStore

    return PostgresStore(url, session)


def open_journal(folder: Path, url: str | None, session: str) -> Journal:
    """Open the journal of the session with this id; refuses one that is damaged or newer."""
    if url is not None:
        without_secrets(url)  # one that cannot be read is refused here, without being repeated
    store = open_store(folder, url, session)
    try:
        return Journal(store, folder, session)
    except BaseException:
        store.close()
        raise


def pages_of(store: Store, after: int = 0) -> Iterator[list[Row]]:
    """Yield the rows of a store as they are, in pages."""
    while page := store.read(after, PAGE):
        yield page
        after = page[-1].record.seq
