"""The journal in a PostgreSQL database, for those who have one and its backups.

Many sessions share two tables. A session is held by an advisory lock of its connection, so that two
copies of a folder on two machines cannot write into the same history.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from threading import Event, RLock, Timer
from typing import TYPE_CHECKING, Any

from linkwise.errors import missing_extra
from linkwise.session.errors import SessionError, SessionLocked, StorageTrouble
from linkwise.session.journal.chain import Row
from linkwise.session.journal.record import Record
from linkwise.session.journal.store import PAGE, VERSION, Store

if TYPE_CHECKING:
    from _typeshed import HasFileno

logger = logging.getLogger(__name__)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS linkwise_sessions (
    session text PRIMARY KEY,
    version integer NOT NULL
);
CREATE TABLE IF NOT EXISTS linkwise_events (
    session text NOT NULL REFERENCES linkwise_sessions,
    seq bigint NOT NULL,
    kind text NOT NULL,
    payload text NOT NULL,
    who text NOT NULL,
    at text NOT NULL,
    key text,
    hash bytea,
    PRIMARY KEY (session, seq),
    UNIQUE (session, key)
);
ALTER TABLE linkwise_events ADD COLUMN IF NOT EXISTS hash bytea;
"""
#: Serialises the making of the tables, which PostgreSQL does not do by itself.
_SCHEMA_LOCK = 0x6C696E6B
#: One statement is one transaction; the columns travel as arrays.
_INSERT = """
INSERT INTO linkwise_events SELECT %s, * FROM unnest(
    %s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::bytea[]
)
"""
#: The number of the lock that whoever has a session open holds.
_HOLD = "hashtextextended(%s, 0)"
_RECORD = "seq, kind, payload, who, at, key"
#: Seconds to reach the server, for a statement or a lock to be granted by it, and for any answer at
#: all: a server that says nothing for so long is given up.
CONNECT_SECONDS, STATEMENT_SECONDS, ANSWER_SECONDS = 3, 5, 6
#: After a failure that took as long as the first, nobody is made to wait for the next one for as
#: long as the second.
SLOW_SECONDS, REST_SECONDS = 0.5, 2.0
_LIMITS = f"""
SET synchronous_commit = on;
SET statement_timeout = '{STATEMENT_SECONDS}s';
SET lock_timeout = '{STATEMENT_SECONDS}s';
"""


class PostgresStore(Store):
    """Rows in the table ``linkwise_events`` of a database.

    Parameters
    ----------
    url : str
        Address of the database.
    session : str
        The id of the session.
    """

    where = "the journal in the database"

    def __init__(self, url: str, session: str) -> None:
        self._url, self._session, self._is_taken = url, session, False
        self._lock = RLock()
        self._connection: Any = None
        self._failed = -REST_SECONDS
        with self._speaking("opened"):
            self.version = self._connect()

    @classmethod
    def create(cls, url: str, session: str) -> PostgresStore:
        """Make the tables if they are not there, announce the session, and open its journal."""
        psycopg = _psycopg()
        try:
            with _reach(url) as connection, _answering(connection):
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SCHEMA_LOCK,))
                connection.execute(_SCHEMA)
                connection.execute(
                    "INSERT INTO linkwise_sessions VALUES (%s, %s)", (session, VERSION)
                )
        except psycopg.Error as error:
            raise StorageTrouble(_sentence("made", error)) from error
        return cls(url, session)

    def take(self) -> None:
        """Hold the session, as long as the connection lasts and whenever it is made anew."""
        with self._using("opened") as connection:
            self._hold(connection)
        self._is_taken = True

    def append(self, rows: Sequence[Row]) -> None:
        """Write all rows in one transaction; returns when the server has them on its disk."""
        with self._using("written"):
            self._insert(rows)

    def last(self) -> int:
        """Return the number of the last row."""
        query = "SELECT max(seq) FROM linkwise_events WHERE session = %s"
        with self._using("read") as connection:
            row = connection.execute(query, (self._session,)).fetchone()
        return int(row[0] or 0)

    def read(self, after: int, limit: int) -> list[Row]:
        """Return up to ``limit`` rows that follow row ``after``."""
        query = (
            f"SELECT {self._columns} FROM linkwise_events "
            f"WHERE session = %s AND seq > %s ORDER BY seq LIMIT %s"
        )
        with self._using("read") as connection:
            rows = connection.execute(query, (self._session, after, limit)).fetchall()
        return [Row(Record(*row[:6]), row[6]) for row in rows]

    def by_key(self, keys: Collection[str]) -> list[Row]:
        """Return the rows that were written with these keys."""
        query = f"SELECT {self._columns} FROM linkwise_events WHERE session = %s AND key = ANY(%s)"
        with self._using("read") as connection:
            rows = connection.execute(query, (self._session, list(keys))).fetchall()
        return [Row(Record(*row[:6]), row[6]) for row in rows]

    def adopt(self, hashes: Callable[[Iterator[list[Record]]], Iterator[list[Row]]]) -> None:
        """Give hashes to the rows of a journal of version 1, in one transaction."""
        with self._using("written", watched=False) as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SCHEMA_LOCK,))
            connection.execute(_SCHEMA)
            for rows in hashes([row.record for row in page] for page in self._pages()):
                connection.execute(
                    "UPDATE linkwise_events SET hash = given.hash "
                    "FROM unnest(%s::bigint[], %s::bytea[]) AS given (seq, hash) "
                    "WHERE session = %s AND linkwise_events.seq = given.seq",
                    ([row.record.seq for row in rows], [row.hash for row in rows], self._session),
                )
            connection.execute(
                "UPDATE linkwise_sessions SET version = %s WHERE session = %s",
                (VERSION, self._session),
            )
        self.version = VERSION

    def replace(self, rows: Iterator[list[Row]]) -> None:
        """Hold these rows and no others."""
        with self._using("written", watched=False) as connection, connection.transaction():
            connection.execute("DELETE FROM linkwise_events WHERE session = %s", (self._session,))
            for page in rows:
                self._insert(page)

    def troubles(self, *, thorough: bool) -> list[str]:  # noqa: ARG002
        """Return nothing: the database looks after its own files."""
        return []

    def settle(self) -> None:
        """Find out whether a database that did not answer does again."""
        if self.trouble is not None:
            self.last()

    def close(self) -> None:
        """Let go of the session and close the connection.

        The server hears of a closed connection a moment later: whoever opened the journal at once
        would find it held.
        """
        with self._lock:
            if self._is_taken and self.trouble is None:
                query = f"SELECT pg_advisory_unlock({_HOLD})"
                with suppress(_psycopg().Error), _answering(self._connection):
                    self._connection.execute(query, (self._session,))
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
        columns = [list(column) for column in zip(*(row.record for row in rows), strict=True)]
        hashes = [row.hash for row in rows]
        self._connection.execute(_INSERT, (self._session, *columns, hashes))

    @contextmanager
    def _using(self, done: str, *, watched: bool = True) -> Iterator[Any]:
        """Lend the connection for the length of a block, made anew if it was lost.

        A block of many statements is not ``watched``: only the server limits each of them.
        """
        with self._lock, self._speaking(done):
            if self._connection.closed or self._connection.broken:
                self._connect_again()
            with _answering(self._connection) if watched else nullcontext():
                yield self._connection

    def _connect_again(self) -> None:
        """Make the connection anew; soon after a failure, fail without making anybody wait."""
        if self.trouble is not None and time.monotonic() - self._failed < REST_SECONDS:
            raise StorageTrouble(self.trouble)
        logger.warning("the connection to the database was lost and is made anew")
        try:
            self._connect()
        except SessionLocked:
            raise _psycopg().OperationalError(
                "the connection that was lost still holds the session there"
            ) from None

    def _connect(self) -> int:
        """Make the connection and hold the session; returns the version of its journal."""
        connection = _reach(self._url)
        try:
            with _answering(connection):
                version = self._check(connection)
                if self._is_taken:
                    self._hold(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return version

    def _check(self, connection: Any) -> int:
        known = connection.execute("SELECT to_regclass('linkwise_sessions')").fetchone()[0]
        row = (
            known
            and connection.execute(
                "SELECT version FROM linkwise_sessions WHERE session = %s", (self._session,)
            ).fetchone()
        )
        if not row:
            raise SessionError(
                "the journal is missing: the database does not know this session. "
                "Is it the right database?"
            )
        if row[0] > VERSION:
            raise SessionError(
                f"the journal in the database was written by a newer linkwise (version {row[0]}, "
                f"this one reads up to {VERSION}). It was left alone; use the newer linkwise."
            )
        return int(row[0])

    def _hold(self, connection: Any) -> None:
        lock = f"SELECT pg_try_advisory_lock({_HOLD})"
        if not connection.execute(lock, (self._session,)).fetchone()[0]:
            raise SessionLocked(
                "the journal in the database is held by another process, maybe on another machine."
            )

    @contextmanager
    def _speaking(self, done: str) -> Iterator[None]:
        """Turn the database's errors into sentences."""
        psycopg, started = _psycopg(), time.monotonic()
        try:
            yield
        except psycopg.Error as error:
            sentence = _sentence(done, error)
            if isinstance(error, psycopg.OperationalError):  # it, and not what it was asked
                self.trouble = sentence
                if time.monotonic() - started > SLOW_SECONDS:
                    self._failed = time.monotonic()
            raise StorageTrouble(sentence) from error
        else:
            self.trouble = None


def _reach(url: str) -> Any:
    """Return a connection to the server, which must answer in time."""
    connection = _psycopg().connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS)
    try:
        with _answering(connection):
            connection.execute(_LIMITS)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _answering(connection: HasFileno) -> Iterator[None]:
    """Cut the connection if a block takes too long: a stopped server keeps no limit of its own."""
    silent = Event()

    def cut() -> None:
        silent.set()
        with suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)

    psycopg = _psycopg()
    timer = Timer(ANSWER_SECONDS, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except psycopg.Error as error:
        if silent.is_set():
            raise psycopg.OperationalError(
                f"the server did not answer within {ANSWER_SECONDS} s"
            ) from error
        raise
    finally:
        timer.cancel()


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise missing_extra("A journal in PostgreSQL", "psycopg", "postgres") from None
    return psycopg


def _sentence(done: str, error: Exception) -> str:
    """Say what failed, in the first line of the driver's words: the others may hold data."""
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    advice = " Send it again with the same keys: it is recorded once." if done == "written" else ""
    return f"the journal in the database cannot be {done}: {reason}.{advice}"
