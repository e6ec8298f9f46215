"""The journal in a PostgreSQL database, for those who have one and its backups.

Many sessions share two tables. A session is held by an advisory lock of its connection, so that two
copies of a folder on two machines cannot write into the same history.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import RLock
from typing import Any

from linkwise.errors import missing_extra
from linkwise.session.errors import SessionError, SessionLocked, StorageTrouble
from linkwise.session.journal.journal import VERSION, Journal, Record

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
    PRIMARY KEY (session, seq),
    UNIQUE (session, key)
);
"""
#: Serialises the making of the tables, which PostgreSQL does not do by itself.
_SCHEMA_LOCK = 0x6C696E6B
#: One statement is one transaction; the columns travel as arrays.
_INSERT = """
INSERT INTO linkwise_events SELECT %s, * FROM unnest(
    %s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[]
)
"""
#: The number of the lock that whoever has a session open holds.
_HOLD = "hashtextextended(%s, 0)"
_COLUMNS = "seq, kind, payload, who, at, key"


class PostgresJournal(Journal):
    """Records in the table ``linkwise_events`` of a database."""

    def __init__(self, url: str, session: str) -> None:
        self._url, self._session = url, session
        self._lock = RLock()
        self._connection: Any = None
        with self._speaking("opened"):
            self._connect()

    @classmethod
    def create(cls, url: str, session: str) -> PostgresJournal:
        """Make the tables if they are not there, announce the session, and open its journal."""
        psycopg = _psycopg()
        try:
            with psycopg.connect(url) as connection:
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SCHEMA_LOCK,))
                connection.execute(_SCHEMA)
                connection.execute(
                    "INSERT INTO linkwise_sessions VALUES (%s, %s)", (session, VERSION)
                )
        except psycopg.Error as error:
            raise StorageTrouble(_sentence("made", error)) from error
        return cls(url, session)

    def append(self, records: Sequence[Record]) -> None:
        """Write all records in one transaction; returns when the server has them on its disk."""
        columns = [list(column) for column in zip(*records, strict=True)]
        with self._lock, self._speaking("written"):
            self._connected().execute(_INSERT, (self._session, *columns))

    def last(self) -> int:
        """Return the number of the last record."""
        query = "SELECT max(seq) FROM linkwise_events WHERE session = %s"
        with self._lock, self._speaking("read"):
            row = self._connected().execute(query, (self._session,)).fetchone()
        return int(row[0] or 0)

    def read(self, after: int, limit: int) -> list[Record]:
        """Return up to ``limit`` records that follow record ``after``."""
        query = (
            f"SELECT {_COLUMNS} FROM linkwise_events "
            f"WHERE session = %s AND seq > %s ORDER BY seq LIMIT %s"
        )
        with self._lock, self._speaking("read"):
            rows = self._connected().execute(query, (self._session, after, limit)).fetchall()
        return [Record(*row) for row in rows]

    def by_key(self, keys: Collection[str]) -> dict[str, Record]:
        """Return the records that were written with these keys."""
        if not keys:
            return {}
        query = f"SELECT {_COLUMNS} FROM linkwise_events WHERE session = %s AND key = ANY(%s)"
        with self._lock, self._speaking("read"):
            rows = self._connected().execute(query, (self._session, list(keys))).fetchall()
        return {row[5]: Record(*row) for row in rows}

    def close(self) -> None:
        """Let go of the session and close the connection.

        The server hears of a closed connection a moment later: whoever opened the journal at once
        would find it held.
        """
        with self._lock:
            with suppress(_psycopg().Error):  # a lost connection holds nothing
                self._connection.execute(f"SELECT pg_advisory_unlock({_HOLD})", (self._session,))
            self._connection.close()

    def _connected(self) -> Any:
        """Return the connection, made anew if it was lost."""
        if self._connection.closed or self._connection.broken:
            logger.warning("the connection to the database was lost and is made anew")
            self._connect()
        return self._connection

    def _connect(self) -> None:
        connection = _psycopg().connect(self._url, autocommit=True)
        try:
            connection.execute("SET synchronous_commit = on")
            self._check(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection

    def _check(self, connection: Any) -> None:
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
        lock = f"SELECT pg_try_advisory_lock({_HOLD})"
        if not connection.execute(lock, (self._session,)).fetchone()[0]:
            raise SessionLocked(
                "the journal in the database is held by another process, maybe on another machine."
            )

    @contextmanager
    def _speaking(self, done: str) -> Iterator[None]:
        """Turn the database's errors into sentences."""
        try:
            yield
        except _psycopg().Error as error:
            raise StorageTrouble(_sentence(done, error)) from error


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
