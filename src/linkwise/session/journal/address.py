"""Addresses of databases: what may be written down of them, and whether two are the same place."""

from __future__ import annotations

from typing import Any

from linkwise.errors import InvalidInput, missing_extra

#: What must never reach a disk, a log or an error.
SECRETS = ("password", "sslpassword", "oauth_client_secret")
#: What says which database it is.
PLACE = ("host", "hostaddr", "port", "dbname", "service")


def without_secrets(address: str) -> str:
    """Return an address that may be written down; one that cannot be read is refused unrepeated.

    Examples
    --------
    >>> without_secrets("postgresql://ann:secret@db.example/work?sslmode=require")
    'user=ann dbname=work host=db.example sslmode=require'
    """
    parts = _parts(address)
    return str(_conninfo().make_conninfo(**{k: v for k, v in parts.items() if k not in SECRETS}))


def place(address: str) -> tuple[str | None, ...]:
    """Return what tells databases apart: where they are and what they are called."""
    parts = _parts(address)
    return tuple(parts.get(name) for name in PLACE)


def _parts(address: str) -> dict[str, Any]:
    """Read an address of either form; the words of the reader may repeat it, so ours do not."""
    _, slashes, rest = address.partition("://")
    if slashes and rest.partition("/")[0].count("@") > 1:
        raise InvalidInput(
            "the address of the database has two @ before its name. In a user's name or password "
            "write %40 for @ and %2F for /, or leave the password to PGPASSWORD or ~/.pgpass."
        )
    try:
        parts: dict[str, Any] = _conninfo().conninfo_to_dict(address)
    except Exception:  # psycopg's own, of which it has several
        raise InvalidInput(
            "the address of the database cannot be read. It looks like "
            "postgresql://user@host:5432/name; it is not repeated here, as it may hold a password."
        ) from None
    return parts


def _conninfo() -> Any:
    try:
        from psycopg import conninfo
    except ImportError:
        raise missing_extra("A journal in PostgreSQL", "psycopg", "postgres") from None
    return conninfo
