"""Verification: whether a session holds all that was acknowledged, as it was said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from linkwise.cluster.sequential.model_file import ENSEMBLE_FOLDER, load
from linkwise.ensemble import LabelMatrix
from linkwise.errors import LinkwiseError
from linkwise.session.create import MODEL_FOLDER
from linkwise.session.data.description import Description, read_description
from linkwise.session.data.joining import joined_file
from linkwise.session.events.event import Payload
from linkwise.session.journal.chain import Broken, follow, origin
from linkwise.session.journal.journal import open_store, pages_of
from linkwise.session.journal.log import joins_in
from linkwise.session.journal.mark import Mark


@dataclass(frozen=True)
class Verification:
    """What was found.

    Attributes
    ----------
    n_whole : int
        So many events, from the first on, are as they were recorded.
    n_acknowledged : int or None
        So many had been acknowledged when the check began; None where the mark cannot be read.
    troubles : list of str
        What is wrong, in sentences; none if all is well.
    """

    n_whole: int
    n_acknowledged: int | None
    troubles: list[str]


def verify_session(folder: str | Path, journal: str | None = None) -> Verification:
    """Check a session, open or not, without changing anything.

    Parameters
    ----------
    folder : path-like
        The session.
    journal : str or None
        The address of the database, if it has changed.

    See Also
    --------
    repair_session : Puts it together again.
    back_up : Copies it.
    """
    folder = Path(folder).resolve()
    about = read_description(folder)
    mark = Mark(folder, about.id).read()  # before the journal, which may grow meanwhile
    joined: list[Payload] = []
    n_whole, troubles = _check_journal(folder, about, journal, joined)
    if mark is None:
        troubles.append(
            "journal.mark cannot be read, so how far the journal went is not known beside it."
        )
    elif n_whole < mark.seq:
        troubles.append(f"{mark.seq} events were acknowledged, {n_whole} are whole.")
    checks: list[Callable[[], object]] = [about.data.check]
    checks.append(partial(_check_model, folder / MODEL_FOLDER))
    checks += [partial(joined_file, folder, payload) for payload in joined]
    for check in checks:
        try:
            check()
        except LinkwiseError as error:
            troubles.append(str(error))
    return Verification(n_whole, None if mark is None else mark.seq, troubles)


def _check_model(folder: Path) -> None:
    """Refuse a model that cannot be read; labels on a cluster can be made again."""
    if not LabelMatrix.is_elsewhere(folder / ENSEMBLE_FOLDER):
        load(folder, mmap=True)


def _check_journal(
    folder: Path, about: Description, url: str | None, joined: list[Payload]
) -> tuple[int, list[str]]:
    """Return how many events are whole, and what is wrong; notes with which of them rows joined."""
    link, mark = origin(about.id), Mark(folder, about.id).read()
    try:
        store = open_store(folder, url or about.journal, about.id)
    except LinkwiseError as error:
        return 0, [str(error)]
    try:
        if store.version < 2:
            return store.last(), [
                f"{store.where} was written by an older linkwise and has no hashes; open the "
                f"session once, and it is given them."
            ]
        found = [f"{store.where}: {line}." for line in store.troubles(thorough=True)]
        for rows in pages_of(store):
            for row in rows:
                link = follow(link, [row])
                if mark is not None and link.seq == mark.seq and link != mark:
                    raise Broken(link.seq, f"event {link.seq} is not the one that was acknowledged")
                joined.extend(joins_in([row.record]))
    except Broken as broken:
        return link.seq, [*found, f"{store.where}: {broken.found}."]
    except LinkwiseError as error:
        return link.seq, [str(error)]
    finally:
        store.close()
    return link.seq, found
