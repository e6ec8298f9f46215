"""The journal in a SQLite file: write-ahead log, every commit synced to the disk.

One connection does everything, under one lock. That is enough for thousands of answers a second,
because they are committed in groups, and it stays clear of a defect of SQLite (up to 3.51.2) that
could damage a write-ahead log shared by several writing connections.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from linkwise.session.errors import SessionError, StorageTrouble
from linkwise.session.journal.chain import Row
from linkwise.session.journal.record import Record
from linkwise.session.journal.store import PAGE, VERSION, Store

_ADVICE = (
    "It was left as it is; `linkwise session repair` puts it together again, or put a copy back."
)

_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    key TEXT,
    hash BLOB
);
CREATE UNIQUE INDEX events_by_key ON events (key) WHERE key IS NOT NULL;
"""
_MAGIC = b"SQLite format 3\x00"
_RECORD = "seq, kind, payload, who, at, key"
_INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)"
_KEYS_AT_ONCE = 500
#: Pages in the write-ahead log, 4 KB each, from which on they are moved into the file.
_PAGES_IN_LOG = 500
#: Seconds to wait for another process that has the file locked.
_PATIENCE = 5.0
#: Bytes before the first page of a write-ahead log, and before each page.
LOG_HEADER, FRAME_HEADER = 32, 24


class SqliteStore(Store):
    """Rows in the table ``events`` of one file.

    Parameters
    ----------
    path : Path
        The file.
    session : str
        The id of the session it must belong to.
    """

    def __init__(self, path: Path, session: str) -> None:
        self.path, self.where = path, str(path)
        self._lock = RLock()
        if not path.is_file():
            raise SessionError(f"the journal is missing: there is no {path}.")
        _check_whole(path)
        self._connection = self._connect("ro")
        try:
            with self._speaking("opened"):
                self.version = self._check(session)
        except BaseException:
            self._connection.close()
            raise

    @classmethod
    def create(cls, path: Path, session: str) -> SqliteStore:
        """Make the file, which must not exist, and open it."""
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        connection = sqlite3.connect(path)
        connection.executescript(_SCHEMA)
        about = [("version", str(VERSION)), ("session", session)]
        connection.executemany("INSERT INTO about VALUES (?, ?)", about)
        connection.commit()
        connection.close()
        store = cls(path, session)
        store.take()
        return store

    def take(self) -> None:
        """Open the file for writing."""
        with self._lock, self._speaking("opened"):
            self._connection.close()
            self._connection = self._connect("rw")
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_IN_LOG}")

    def append(self, rows: Sequence[Row]) -> None:
        """Write all rows in one transaction; returns when they are on the disk."""
        with self._transaction():
            self._insert(rows)

    def last(self) -> int:
        """Return the number of the last row."""
        with self._lock, self._speaking("read"):
            row = self._connection.execute("SELECT max(seq) FROM events").fetchone()
        return int(row[0] or 0)

    def read(self, after: int, limit: int) -> list[Row]:
        """Return up to ``limit`` rows that follow row ``after``."""
        query = f"SELECT {self._columns} FROM events WHERE seq > ? ORDER BY seq LIMIT ?"
        with self._lock, self._speaking("read"):
            rows = self._connection.execute(query, (after, limit)).fetchall()
        return [Row(Record(*row[:6]), row[6]) for row in rows]

    def by_key(self, keys: Collection[str]) -> list[Row]:
        """Return the rows that were written with these keys."""
        wanted, found = list(keys), []
        with self._lock, self._speaking("read"):
            for start in range(0, len(wanted), _KEYS_AT_ONCE):
                some = wanted[start : start + _KEYS_AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT {self._columns} FROM events WHERE key IN ({marks})"
                found += self._connection.execute(query, some).fetchall()
        return [Row(Record(*row[:6]), row[6]) for row in found]

    def adopt(self, hashes: Callable[[Iterator[list[Record]]], Iterator[list[Row]]]) -> None:
        """Give hashes to the rows of a journal of version 1, in one transaction."""
        with self._transaction():
            self._connection.execute("ALTER TABLE events ADD COLUMN hash BLOB")
            pages = ([row.record for row in page] for page in self._pages())
            for rows in hashes(pages):
                self._connection.executemany(
                    "UPDATE events SET hash = ? WHERE seq = ?",
                    [(row.hash, row.record.seq) for row in rows],
                )
            self._connection.execute(
                "UPDATE about SET value = ? WHERE name = 'version'", (str(VERSION),)
            )
        self.version = VERSION

    def replace(self, rows: Iterator[list[Row]]) -> None:
        """Hold these rows and no others."""
        with self._transaction():
            self._connection.execute("DELETE FROM events")
            for page in rows:
                self._insert(page)

    def troubles(self, *, thorough: bool) -> list[str]:
        """Let SQLite check the file; ``thorough`` compares the index of keys with the rows too."""
        query = f"PRAGMA {'integrity_check' if thorough else 'quick_check'}(5)"
        with self._lock, self._speaking("read"):
            self._connection.execute("PRAGMA cache_size = -65536")
            found = [str(row[0]) for row in self._connection.execute(query).fetchall()]
            self._connection.execute("PRAGMA cache_size = -2000")
        return [] if found == ["ok"] else [_one_line(line) for line in found]

    def settle(self) -> None:
        """Move the pages of the write-ahead log into the file, and empty the log.

        Somebody who reads at that moment is not waited for.
        """
        with self._lock, self._speaking("written"):
            self._connection.execute("PRAGMA busy_timeout = 20")
            try:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * _PATIENCE)}")

    def close(self) -> None:
        """Fold the write-ahead log into the file and close it."""
        with self._lock:
            self._connection.close()

    @property
    def _columns(self) -> str:
        return f"{_RECORD}, {'hash' if self.version > 1 else 'NULL'}"

    def _pages(self) -> Iterator[list[Row]]:
        after = 0
        while page := self.read(after, PAGE):
            yield page
            after = page[-1].record.seq

    def _insert(self, rows: Sequence[Row]) -> None:
        self._connection.executemany(_INSERT, [(*row.record, row.hash) for row in rows])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Make all changes of a block durable, or none."""
        with self._lock, self._speaking("written"):
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _connect(self, mode: str) -> sqlite3.Connection:
        with self._speaking("opened"):
            return sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={mode}",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                timeout=_PATIENCE,
            )

    def _check(self, session: str) -> int:
        about = dict(self._connection.execute("SELECT name, value FROM about").fetchall())
        version = about.get("version", "")
        if not isinstance(version, str) or not version.isdecimal() or int(version) < 1:
            raise SessionError(
                f"{self.path} cannot be opened: the file is damaged (its version is "
                f"{version!r}). {_ADVICE}"
            )
        if int(version) > VERSION:
            raise SessionError(
                f"{self.path} was written by a newer linkwise (journal version {version}, this "
                f"one reads up to {VERSION}). It was left alone; use the newer linkwise."
            )
        if about.get("session") != session:
            raise SessionError(
                f"{self.path} is the journal of another session. Put the right one back."
            )
        return int(version)

    @contextmanager
    def _speaking(self, done: str) -> Iterator[None]:
        """Turn SQLite's errors into sentences."""
        try:
            yield
        except sqlite3.Error as error:
            raise StorageTrouble(_sentence(self.path, done, error)) from error


def _check_whole(path: Path) -> None:
    """Refuse a file that was cut off, before SQLite takes it for an empty one.

    Where the process ended while SQLite was moving pages from the write-ahead log into the file,
    the file may announce pages that are only in the log yet; SQLite goes on from there.
    """
    with path.open("rb") as file:
        header = file.read(100)
    page_size, n_pages = (int.from_bytes(header[at]) for at in (slice(16, 18), slice(28, 32)))
    page_size = 65_536 if page_size == 1 else page_size
    whole = header.startswith(_MAGIC)
    if whole and path.stat().st_size < page_size * n_pages:
        missing = range(path.stat().st_size // page_size + 1, n_pages + 1)
        whole = _pages_in_log(path, page_size).issuperset(missing)
    if not whole:
        raise SessionError(
            f"{path} cannot be opened: the file is damaged (it is not whole). {_ADVICE}"
        )


def _pages_in_log(path: Path, page_size: int) -> set[int]:
    """Return the numbers of the pages that the write-ahead log holds."""
    log = path.with_name(f"{path.name}-wal")
    content = log.read_bytes() if log.is_file() else b""
    frames = range(LOG_HEADER, len(content), FRAME_HEADER + page_size)
    return {int.from_bytes(content[at : at + 4]) for at in frames}


def _one_line(text: str) -> str:
    """Return the beginning of what SQLite says, as part of a sentence."""
    return " ".join(text.split())[:200].rstrip(".")


def _sentence(path: Path, done: str, error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_FULL":
        return (
            f"the disk with {path} is full. Nothing of this call was recorded; "
            f"make room and send it again."
        )
    if name.startswith("SQLITE_READONLY") or name == "SQLITE_CANTOPEN":
        return f"{path} cannot be {done}: the file or its folder is read-only."
    if name in ("SQLITE_CORRUPT", "SQLITE_NOTADB"):
        return f"{path} cannot be {done}: the file is damaged ({_one_line(str(error))}). {_ADVICE}"
    if name.startswith("SQLITE_IOERR"):
        return (
            f"{path} cannot be {done}: the disk reports an error ({error}). "
            f"Nothing of this call was recorded."
        )
    return f"{path} cannot be {done}: {_one_line(str(error))}. {_ADVICE}"
