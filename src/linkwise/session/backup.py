"""Backup: a copy of a session that opens by itself, made while others go on working.

A journal only grows, so its first records, read page by page, are a consistent copy whatever is
appended meanwhile. Every record is compared with its hash on the way.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from linkwise.session.create import MODEL_FOLDER
from linkwise.session.data.description import read_description
from linkwise.session.data.joining import joined_file
from linkwise.session.data.layout import KINDS
from linkwise.session.data.layout_file import layout_path
from linkwise.session.errors import JournalDamaged
from linkwise.session.folders import draft_of
from linkwise.session.journal.chain import Broken, Row, follow, origin
from linkwise.session.journal.journal import SQLITE_FILE, open_store, pages_of
from linkwise.session.journal.log import joins_in
from linkwise.session.journal.mark import Mark
from linkwise.session.journal.sqlite import SqliteStore


def back_up(folder: str | Path, target: str | Path, journal: str | None = None) -> int:
    """Copy a session, open or not, to the folder ``target``; returns the number of its events.

    The copy is a session of its own, whose journal is a SQLite file wherever the events came from.
    Data that the session refers to by their path are not copied.

    Parameters
    ----------
    folder : path-like
        The session.
    target : path-like
        Where the copy goes; must not exist, or be empty.
    journal : str or None
        The address of the database, if it has changed.

    See Also
    --------
    verify_session : Whether a session is whole.
    repair_session : Takes from such a copy what a session lacks.
    """
    folder, target = Path(folder).resolve(), Path(target).resolve()
    about = read_description(folder)
    mark = Mark(folder, about.id).read()
    store = open_store(folder, journal or about.journal, about.id)
    try:
        with draft_of(target) as draft:
            data = about.data
            if data.copied:
                shutil.copy2(data.path, draft / data.path.name)
                data = replace(data, path=draft / data.path.name)
            replace(about, data=data, journal=None).write(draft)
            shutil.copytree(folder / MODEL_FOLDER, draft / MODEL_FOLDER)
            for kind in KINDS:
                if layout_path(folder, kind).is_file():
                    shutil.copy2(layout_path(folder, kind), layout_path(draft, kind))
            n_events = _copy_journal(pages_of(store), folder, draft, about.id)
            if mark is not None and n_events < mark.seq:
                raise JournalDamaged(
                    f"{store.where} ends at event {n_events}, but {mark.seq} were acknowledged. No "
                    f"backup was made; `linkwise session repair {folder}` tells what is missing."
                )
    finally:
        store.close()
    return n_events


def _copy_journal(pages: Iterator[list[Row]], folder: Path, draft: Path, session: str) -> int:
    """Write rows that fit their hashes to a new journal, with the files they tell of.

    Returns how many there are.
    """
    link = origin(session)
    copy = SqliteStore.create(draft / SQLITE_FILE, session)
    mark = Mark(draft, session)
    try:
        for rows in pages:
            link = follow(link, rows)
            copy.append(rows)
            for payload in joins_in(row.record for row in rows):
                file = joined_file(folder, payload)
                shutil.copy2(file, draft / file.name)
        mark.write(link)
    except Broken as broken:
        raise JournalDamaged(
            f"the journal is damaged: {broken.found}. No backup was made; `linkwise session "
            f"repair` tells what is whole."
        ) from None
    finally:
        mark.close()
        copy.close()
    return link.seq
