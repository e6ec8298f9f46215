"""A glance at a session without opening it."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from linkwise.session.data.description import read_description
from linkwise.session.journal.journal import SQLITE_FILE


@dataclass(frozen=True)
class Summary:
    """What a list of sessions shows; ``seq`` is None where the journal cannot be looked at."""

    name: str
    n_rows: int
    n_clusters: int
    seq: int | None
    created: str


def describe(folder: str | Path) -> Summary:
    """Return what a session is about; takes no lock and changes nothing."""
    folder = Path(folder).resolve()
    about = read_description(folder)
    seq = _count(folder / SQLITE_FILE) if about.journal is None else None
    n_rows = about.n_rows + (_joined(folder / SQLITE_FILE) if seq else 0)
    return Summary(about.name, n_rows, about.n_clusters, seq, about.created)


def _joined(path: Path) -> int:
    """Return how many rows joined since the session was made."""
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=1.0)
        try:
            told = connection.execute("SELECT payload FROM events WHERE kind = 'extend'").fetchall()
        finally:
            connection.close()
        return sum(int(json.loads(payload)["n_rows"]) for (payload,) in told)
    except (sqlite3.Error, ValueError, KeyError, TypeError):
        return 0


def _count(path: Path) -> int | None:
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=1.0)
        try:
            row = connection.execute("SELECT max(seq) FROM events").fetchone()
        finally:
            connection.close()
        return int(row[0] or 0)
    except (sqlite3.Error, ValueError, TypeError):
        return None
