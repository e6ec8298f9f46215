"""The journal in a SQLite file: write-ahead log, every commit synced to the disk.

One connection does everything, under one lock. That is enough for thousands of answers a second,
because they are committed in groups, and it stays clear of a defect of SQLite (up to 3.51.2) that
could damage a write-ahead log shared by several writing connections.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from linkwise.session.errors import SessionError, StorageTrouble
from linkwise.session.journal.journal import VERSION, Journal, Record

_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    key TEXT
);
CREATE UNIQUE INDEX events_by_key ON events (key) WHERE key IS NOT NULL;
"""
_MAGIC = b"SQLite format 3\x00"
_COLUMNS = "seq, kind, payload, who, at, key"
_KEYS_AT_ONCE = 500
#: Bytes before the first page of a write-ahead log, and before each page.
_LOG_HEADER, _FRAME_HEADER = 32, 24


class SqliteJournal(Journal):
    """Records in the table ``events`` of one file."""

    def __init__(self, path: Path, session: str) -> None:
        self.path = path
        self._lock = RLock()
        if not path.is_file():
            raise SessionError(f"the journal is missing: there is no {path}.")
        _check_whole(path)
        self._connection = self._connect()
        with self._speaking("opened"):
            self._check(session)

    @classmethod
    def create(cls, path: Path, session: str) -> SqliteJournal:
        """Make the file, which must not exist, and open it."""
        connection = sqlite3.connect(path)
        connection.executescript(_SCHEMA)
        about = [("version", str(VERSION)), ("session", session)]
        connection.executemany("INSERT INTO about VALUES (?, ?)", about)
        connection.commit()
        connection.close()
        return cls(path, session)

    def append(self, records: Sequence[Record]) -> None:
        """Write all records in one transaction; returns when they are on the disk."""
        with self._lock, self._speaking("written"):
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany(
                    "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", records
                )
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def last(self) -> int:
        """Return the number of the last record."""
        with self._lock, self._speaking("read"):
            row = self._connection.execute("SELECT max(seq) FROM events").fetchone()
        return int(row[0] or 0)

    def read(self, after: int, limit: int) -> list[Record]:
        """Return up to ``limit`` records that follow record ``after``."""
        query = f"SELECT {_COLUMNS} FROM events WHERE seq > ? ORDER BY seq LIMIT ?"
        with self._lock, self._speaking("read"):
            rows = self._connection.execute(query, (after, limit)).fetchall()
        return [Record(*row) for row in rows]

    def by_key(self, keys: Collection[str]) -> dict[str, Record]:
        """Return the records that were written with these keys."""
        wanted, found = list(keys), {}
        with self._lock, self._speaking("read"):
            for start in range(0, len(wanted), _KEYS_AT_ONCE):
                some = wanted[start : start + _KEYS_AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT {_COLUMNS} FROM events WHERE key IN ({marks})"
                for row in self._connection.execute(query, some):
                    found[row[5]] = Record(*row)
        return found

    def close(self) -> None:
        """Fold the write-ahead log into the file and close it."""
        with self._lock:
            self._connection.close()

    def _connect(self) -> sqlite3.Connection:
        with self._speaking("opened"):
            connection = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, timeout=5.0
            )
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        return connection

    def _check(self, session: str) -> None:
        about = dict(self._connection.execute("SELECT name, value FROM about").fetchall())
        version = int(about.get("version", 0))
        if version > VERSION:
            raise SessionError(
                f"{self.path} was written by a newer linkwise (journal version {version}, this "
                f"one reads up to {VERSION}). It was left alone; use the newer linkwise."
            )
        if about.get("session") != session:
            raise SessionError(
                f"{self.path} is the journal of another session. Put the right one back."
            )

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
            f"{path} cannot be opened: the file is damaged (it is not whole). It was left as it "
            f"is; put a copy back."
        )


def _pages_in_log(path: Path, page_size: int) -> set[int]:
    """Return the numbers of the pages that the write-ahead log holds."""
    log = path.with_name(f"{path.name}-wal")
    content = log.read_bytes() if log.is_file() else b""
    frames = range(_LOG_HEADER, len(content), _FRAME_HEADER + page_size)
    return {int.from_bytes(content[at : at + 4]) for at in frames}


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
        return (
            f"{path} cannot be {done}: the file is damaged ({error}). It was left as it is; "
            f"put a copy back."
        )
    if name.startswith("SQLITE_IOERR"):
        return (
            f"{path} cannot be {done}: the disk reports an error ({error}). "
            f"Nothing of this call was recorded."
        )
    return f"{path} cannot be {done}: {error}."
