"""Salvage: what a damaged journal still holds, record by record."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from abc import ABC, abstractmethod
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from linkwise.errors import LinkwiseError
from linkwise.session.journal.chain import Row
from linkwise.session.journal.record import Record
from linkwise.session.journal.sqlite import FRAME_HEADER, LOG_HEADER
from linkwise.session.journal.store import Store


class Source(ABC):
    """Something that holds rows of a journal, maybe not all and maybe not whole ones."""

    name: str
    has_hashes: bool

    @abstractmethod
    def last(self) -> int:
        """Return the largest number of a row that can be seen."""

    @abstractmethod
    def read(self, first: int, last: int) -> list[Row]:
        """Return the rows of these numbers, or raise what the damage makes of it."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""

    def rows(self, first: int, last: int) -> dict[int, Row]:
        """Return those of the rows that can be read; what cannot be is searched by halves."""
        try:
            return {row.record.seq: row for row in self.read(first, last)}
        except (sqlite3.Error, LinkwiseError):
            if first == last:
                return {}
            middle = (first + last) // 2
            return self.rows(first, middle) | self.rows(middle + 1, last)


class FileRows(Source):
    """Rows in a SQLite file, of which a copy is made in the folder ``home``."""

    def __init__(self, name: str, content: Path | bytes, home: Path) -> None:
        self.name = name
        home.mkdir()
        copy = home / "journal.sqlite"
        if isinstance(content, bytes):
            copy.write_bytes(content)
        else:
            shutil.copy(content, copy)
            log = content.with_name(f"{content.name}-wal")
            if log.is_file():
                shutil.copy(log, copy.with_name(f"{copy.name}-wal"))
        self._connection = sqlite3.connect(copy)
        self._connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        self.has_hashes = self._has_hashes()

    def last(self) -> int:
        """Return the largest number of a row that can be seen."""
        try:
            found = self._connection.execute("SELECT max(seq) FROM events").fetchone()[0]
        except (sqlite3.Error, OverflowError):
            return 0
        return found if isinstance(found, int) and 0 < found < 2**40 else 0

    def read(self, first: int, last: int) -> list[Row]:
        """Return the rows of these numbers."""
        digest = "hash" if self.has_hashes else "NULL"
        query = (
            f"SELECT seq, kind, payload, who, at, key, {digest} FROM events "
            f"WHERE seq BETWEEN ? AND ? ORDER BY seq"
        )
        rows = self._connection.execute(query, (first, last)).fetchall()
        return [Row(Record(*row[:6]), row[6] if isinstance(row[6], bytes) else b"") for row in rows]

    def close(self) -> None:
        """Close the copy."""
        self._connection.close()

    def _has_hashes(self) -> bool:
        try:
            columns = self._connection.execute("PRAGMA table_info(events)").fetchall()
        except sqlite3.Error:
            return False
        return any(column[1] == "hash" for column in columns)


class StoreRows(Source):
    """Rows in a store that works."""

    def __init__(self, name: str, store: Store) -> None:
        self.name, self._store = name, store
        self.has_hashes = store.version > 1

    def last(self) -> int:
        """Return the number of the last row."""
        return self._store.last()

    def read(self, first: int, last: int) -> list[Row]:
        """Return the rows of these numbers."""
        found = self._store.read(first - 1, last - first + 1)
        return [Row(r.record, bytes(r.hash or b"")) for r in found if r.record.seq <= last]

    def close(self) -> None:
        """Close the store."""
        self._store.close()


def with_log(path: Path) -> list[bytes]:
    """Return a SQLite file with the pages of its write-ahead log in it; nothing without a log.

    SQLite reads the log up to the first page whose checksum is wrong. Here all pages count that
    were written since the log was begun: a page that is damaged may be followed by a newer version
    of it. The second file returned leaves the damaged page out, for where it was the newest. Which
    rows are whole, their hashes tell.
    """
    log = path.with_name(f"{path.name}-wal")
    content = log.read_bytes() if log.is_file() else b""
    file = path.read_bytes()
    page_size = int.from_bytes(file[16:18])
    page_size = 65_536 if page_size == 1 else page_size
    if page_size < 512 or page_size & (page_size - 1):
        page_size = 4096
    length = FRAME_HEADER + page_size
    starts = range(LOG_HEADER, len(content) - length + 1, length)
    frames = [content[at : at + length] for at in starts]
    if not frames:
        return []
    salt = content[16:24]
    if not any(frame[8:16] == salt for frame in frames):
        salt = frames[0][8:16]
    frames = [frame for frame in frames if frame[8:16] == salt]
    damaged = _first_damaged(content[:LOG_HEADER], frames)
    rest = [frame for k, frame in enumerate(frames) if k != damaged]
    return [_put_together(file, some, page_size) for some in (frames, rest)]


def _put_together(file: bytes, frames: Sequence[bytes], page_size: int) -> bytes:
    """Return a file with pages written over it, the last version of each."""
    whole = bytearray(file)
    most = len(file) // page_size + len(frames)
    for frame in frames:
        number = int.from_bytes(frame[:4])
        start = (number - 1) * page_size
        if 0 < number <= most:
            whole.extend(bytes(max(0, start + page_size - len(whole))))
            whole[start : start + page_size] = frame[FRAME_HEADER:]
    whole[18:20] = b"\x01\x01"  # no log belongs to it any more
    whole[28:32] = (len(whole) // page_size).to_bytes(4)
    return bytes(whole)


def _first_damaged(header: bytes, frames: Sequence[bytes]) -> int | None:
    """Return the first page of a write-ahead log whose checksum is wrong.

    A checksum goes on from the one before, so those after it say nothing.
    """
    order: Literal["big", "little"] = "big" if header[3] & 1 else "little"
    sums = _checksum(header[:24], (0, 0), order)
    for k, frame in enumerate(frames):
        sums = _checksum(frame[:8] + frame[FRAME_HEADER:], sums, order)
        if b"".join(part.to_bytes(4) for part in sums) != frame[16:24]:
            return k
    return None


def _checksum(
    content: bytes, sums: tuple[int, int], order: Literal["big", "little"]
) -> tuple[int, int]:
    """Go on with the checksum of a write-ahead log, which is that of SQLite's file format."""
    first, second = sums
    words = array("I", content)
    if order != sys.byteorder:
        words.byteswap()
    for at in range(0, len(words), 2):
        first = (first + words[at] + second) & 0xFFFFFFFF
        second = (second + words[at + 1] + first) & 0xFFFFFFFF
    return first, second
