"""Repair: a damaged journal put together again from everything that holds a part of it.

The hashes tell of every record whether it is the one that was written, so records may be taken
from anywhere: from the journal, from its write-ahead log even where SQLite gives that up, and from
backups.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from linkwise.errors import MissingData
from linkwise.session.data.description import Description, read_description
from linkwise.session.errors import SessionError
from linkwise.session.journal.chain import Link, Row, hash_of, origin
from linkwise.session.journal.journal import SQLITE_FILE, open_store
from linkwise.session.journal.lock import FolderLock
from linkwise.session.journal.mark import Mark
from linkwise.session.journal.salvage import FileRows, Source, StoreRows, with_log
from linkwise.session.journal.sqlite import SqliteStore
from linkwise.session.journal.store import PAGE


@dataclass(frozen=True)
class Part:
    """Events that follow each other, and where they are whole."""

    first: int
    last: int
    source: str


@dataclass
class Repair:
    """What a repair found and did.

    Attributes
    ----------
    parts : list of Part
        Events from the first on that are whole, without a gap.
    missing : list of Part
        Events that are whole nowhere; the source is empty.
    later : list of Part
        Events that are whole but follow a missing one.
    n_acknowledged : int or None
        So many were acknowledged; None where the mark cannot be read.
    kept : Path or None
        Where the damaged files went; None if nothing was changed.
    """

    parts: list[Part] = field(default_factory=list)
    missing: list[Part] = field(default_factory=list)
    later: list[Part] = field(default_factory=list)
    n_acknowledged: int | None = None
    kept: Path | None = None

    @property
    def n_whole(self) -> int:
        """How many events, from the first on, are whole."""
        return self.parts[-1].last if self.parts else 0


def repair_session(
    folder: str | Path,
    copies: Sequence[str | Path] = (),
    *,
    accept_loss: bool = False,
    journal: str | None = None,
) -> Repair:
    """Put the journal of a closed session together again; the damaged files are kept.

    Nothing is changed where events are missing, unless that is accepted: then the journal ends
    before the first missing one, and the whole ones after it are written to a file.

    Parameters
    ----------
    folder : path-like
        The session.
    copies : sequence of path-like
        Backups, or SQLite files of journals, to take events from.
    accept_loss : bool, default=False
        Whether to go on without what is whole nowhere.
    journal : str or None
        The address of the database, if it has changed.

    See Also
    --------
    verify_session : What is missing.
    back_up : Makes the copies.
    """
    folder = Path(folder).resolve()
    about = read_description(folder)
    address = journal or about.journal
    lock = FolderLock(folder)
    try:
        with TemporaryDirectory(prefix="linkwise-") as home:
            sources = _sources(folder, address, about, copies, Path(home))
            try:
                return _repair(folder, address, about, sources, accept_loss)
            finally:
                for source in sources:
                    source.close()
    finally:
        lock.close()


def _sources(
    folder: Path,
    address: str | None,
    about: Description,
    copies: Sequence[str | Path],
    home: Path,
) -> list[Source]:
    """Return everything that may hold events; files are copied, so that nothing is touched."""
    found: list[Source] = []
    if address is not None:
        store = open_store(folder, address, about.id)
        found.append(StoreRows("the database", store))
    elif (folder / SQLITE_FILE).is_file():
        found.append(FileRows(SQLITE_FILE, folder / SQLITE_FILE, home / "as-it-is"))
        ways = ("read without its checksums", "read without its damaged page")
        for k, content in enumerate(with_log(folder / SQLITE_FILE)):
            found.append(FileRows(f"{SQLITE_FILE}-wal, {ways[k]}", content, home / f"log-{k}"))
        alone = (folder / SQLITE_FILE).read_bytes()
        found.append(FileRows(f"{SQLITE_FILE} without its log", alone, home / "alone"))
    for k, copy in enumerate(copies):
        path = Path(copy).resolve()
        file = path / SQLITE_FILE if path.is_dir() else path
        if not file.is_file():
            raise MissingData(f"there is no journal to take events from in {path}.")
        found.append(FileRows(str(path), file, home / f"copy-{k}"))
    return found


def _repair(
    folder: Path,
    address: str | None,
    about: Description,
    sources: Sequence[Source],
    accept_loss: bool,
) -> Repair:
    mark = Mark(folder, about.id).read()
    report = Repair(n_acknowledged=None if mark is None else mark.seq)
    if not any(source.has_hashes for source in sources):
        raise SessionError(
            f"no journal of {folder} with hashes was found, so nothing tells what is whole. Give "
            f"a backup to take the events from."
        )
    end = _survey(report, origin(about.id), mark, sources)
    short = bool(report.missing)
    if short and not accept_loss:
        return report
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    report.kept = folder / f"damaged-{stamp}"
    report.kept.mkdir(mode=0o700)
    for name in (SQLITE_FILE, f"{SQLITE_FILE}-wal", f"{SQLITE_FILE}-shm", "journal.mark"):
        if (folder / name).is_file():
            shutil.copy2(folder / name, report.kept / name)
    if report.later:
        _write_later(report, sources, report.kept / "later.jsonl")
    _write(folder, address, about.id, _chosen(report.parts, sources), end)
    return report


def _survey(report: Repair, start: Link, mark: Link | None, sources: Sequence[Source]) -> Link:
    """Say of every event where it is whole; returns the end of those without a gap before them."""
    last = max([source.last() for source in sources] + [0 if mark is None else mark.seq])
    link, broken = start, False
    before: set[bytes] = {start.hash}
    for first in range(1, last + 1, PAGE):
        found = [source.rows(first, min(first + PAGE, last)) for source in sources]
        for seq in range(first, min(first + PAGE - 1, last) + 1):
            stored = {rows[seq].hash for rows in found if seq in rows}
            if not broken:
                chosen = _next(seq, link, stored, mark, found)
                if chosen is not None:
                    k, link = chosen
                    _note(report.parts, seq, sources[k].name)
                    before = {link.hash}
                    continue
                broken = True
            whole = _fitting(seq, before, found)
            if whole is None:
                _note(report.missing, seq, "")
            else:
                _note(report.later, seq, sources[whole].name)
            before = stored
    if mark is None and report.missing and not report.later:
        report.missing.clear()  # nothing tells that there was more
    return link


def _next(
    seq: int, link: Link, stored: set[bytes], mark: Link | None, found: Sequence[dict[int, Row]]
) -> tuple[int, Link] | None:
    """Return a source whose record follows ``link``, and the link it leads to.

    Its hash must be one that somebody stored, or the mark's, or one that the next record builds on.
    """
    for k, rows in enumerate(found):
        if seq not in rows:
            continue
        digest = hash_of(link.hash, rows[seq].record)
        known = digest in stored or Link(seq, digest) == mark
        if mark is not None and mark.seq == seq:
            known = digest == mark.hash
        if known or _fitting(seq + 1, {digest}, found) is not None:
            return k, Link(seq, digest)
    return None


def _fitting(seq: int, before: set[bytes], found: Sequence[dict[int, Row]]) -> int | None:
    """Return a source whose record fits its own hash and one of those before it."""
    for k, rows in enumerate(found):
        row = rows.get(seq)
        if row and row.hash and any(hash_of(one, row.record) == row.hash for one in before if one):
            return k
    return None


def _note(parts: list[Part], seq: int, source: str) -> None:
    """Add an event to the last part, if it follows and comes from the same source."""
    if parts and parts[-1].last == seq - 1 and parts[-1].source == source:
        parts[-1] = Part(parts[-1].first, seq, source)
    else:
        parts.append(Part(seq, seq, source))


def _chosen(parts: Sequence[Part], sources: Sequence[Source]) -> Iterator[list[Row]]:
    """Yield the rows of some parts, in pages."""
    by_name = {source.name: source for source in sources}
    for part in parts:
        for first in range(part.first, part.last + 1, PAGE):
            rows = by_name[part.source].rows(first, min(first + PAGE - 1, part.last))
            yield [rows[seq] for seq in sorted(rows)]


def _write(
    folder: Path, address: str | None, session: str, pages: Iterator[list[Row]], end: Link
) -> None:
    """Make the rows, chained anew, the journal."""
    rows = _chained(origin(session), pages)
    if address is None:
        draft = folder / f"{SQLITE_FILE}.new"
        draft.unlink(missing_ok=True)
        store = SqliteStore.create(draft, session)
        store.replace(rows)
        store.settle()
        store.close()
        for name in (f"{SQLITE_FILE}-wal", f"{SQLITE_FILE}-shm"):
            (folder / name).unlink(missing_ok=True)
        draft.replace(folder / SQLITE_FILE)
        for name in (f"{draft.name}-wal", f"{draft.name}-shm"):
            (folder / name).unlink(missing_ok=True)
    else:
        held = open_store(folder, address, session)
        try:
            held.take()
            held.replace(rows)
        finally:
            held.close()
    mark = Mark(folder, session)
    mark.path.unlink(missing_ok=True)
    mark.write(end)
    mark.close()


def _chained(link: Link, pages: Iterator[list[Row]]) -> Iterator[list[Row]]:
    """Yield the rows with the hashes they must have; a stored one may be what was damaged."""
    last = link.hash
    for page in pages:
        rows = []
        for row in page:
            last = hash_of(last, row.record)
            rows.append(Row(row.record, last))
        yield rows


def _write_later(report: Repair, sources: Sequence[Source], path: Path) -> None:
    """Write the events that cannot be kept in order, a JSON object a line."""
    with path.open("w", encoding="utf-8") as file:
        path.chmod(0o600)
        for rows in _chosen(report.later, sources):
            for row in rows:
                said = row.record._asdict() | {"payload": json.loads(row.record.payload)}
                file.write(json.dumps(said, ensure_ascii=False) + "\n")
