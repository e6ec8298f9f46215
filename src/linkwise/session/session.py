"""A clustering that lives: people and programs feed answers, all is kept, all can be undone.

The journal is the truth. Everything else, labels included, is a function of its first ``k`` events
and can be computed again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwise import running
from linkwise.cluster.sequential.model_file import load
from linkwise.errors import InvalidInput
from linkwise.query import STRATEGIES
from linkwise.running import run_options
from linkwise.session.advice.progress import Progress, measure_progress
from linkwise.session.advice.questions import Question, ask, pairs_since
from linkwise.session.advice.troubles import (
    Suspicion,
    Trouble,
    find_suspects,
    find_troubles,
    find_vain_joins,
)
from linkwise.session.completion import CurrentClustering
from linkwise.session.create import MODEL_FOLDER, create_session
from linkwise.session.data.description import read_description
from linkwise.session.data.display import Display, Row
from linkwise.session.data.features_file import read_features
from linkwise.session.data.file import Columns, TableLike
from linkwise.session.data.layout import Places
from linkwise.session.data.layout_file import LayoutFiles
from linkwise.session.events.event import Entry, Event
from linkwise.session.events.kinds import check_entry, complete_entry
from linkwise.session.events.speaking import Speaking
from linkwise.session.export import WHAT, export_answers, export_labels
from linkwise.session.journal.journal import open_journal
from linkwise.session.journal.lock import FolderLock
from linkwise.session.state.history import History, Listener
from linkwise.session.state.labelling import Labels
from linkwise.session.state.view import View
from linkwise.session.state.views import Views
from linkwise.session.summary import Summary

if TYPE_CHECKING:
    from linkwise.features import TableFeatures


class Session(Speaking):
    """A clustering with a memory, in a folder.

    Made by :meth:`create`, opened by :meth:`open`, one process at a time. All methods may be called
    from several threads.

    Attributes
    ----------
    folder : Path
        Where it lives.
    name, created : str
        What people call it; when it was made, ISO 8601 in UTC.
    n_rows, n_clusters : int
        Rows of the data, and clusters of the model; splits add to them.
    seq : int
        Number of the last event, 0 for a fresh session.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from linkwise.session import Session
    >>> X = np.repeat([[0.0], [5.0], [9.0]], 8, axis=0) + np.linspace(0, 1, 24)[:, None]
    >>> folder = tempfile.mkdtemp() + "/three"
    >>> session = Session.create(folder, X, n_clusters=3, n_partitions=20)
    >>> before = session.labels()
    >>> event = session.answer(0, 23, "same", who="ann")
    >>> session.labels()[0] == session.labels()[23]
    np.True_
    >>> _ = session.undo(event.seq)
    >>> bool((session.labels() == before).all())
    True
    >>> [e.kind for e in session.history()]
    ['answer', 'undo']
    >>> session.close()
    """

    def __init__(self, folder: str | os.PathLike[str], journal: str | None = None) -> None:
        self.folder = Path(folder).resolve()
        self._about = read_description(self.folder)
        with ExitStack() as undo:
            self._lock = FolderLock(self.folder)
            undo.callback(self._lock.close)
            self._about.data.check()
            self._model = load(self.folder / MODEL_FOLDER, mmap=True)
            address = journal or self._about.journal
            self._journal = open_journal(self.folder, address, self._about.id)
            undo.callback(self._journal.close)
            self._history = History(self.folder, self._about, self._journal)
            undo.callback(self._history.stop)
            self._views = Views(self._history, self._model)
            undo.pop_all()
        about = self._about
        self._display = Display(
            about.data, about.columns, about.n_rows, about.image_shape, about.pictures
        )
        self._layouts = LayoutFiles(self.folder, about, self._model)
        self._open = True

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        data: TableLike,
        n_clusters: int,
        *,
        name: str | None = None,
        columns: Columns | None = None,
        standardise: bool | None = None,
        n_partitions: int = 200,
        journal: str | None = None,
        random_state: int = 0,
        progress: running.Progress | None = None,
        cancel: running.Cancel | None = None,
    ) -> Session:
        """Make a session and open it; when anything fails, nothing is left behind.

        Parameters
        ----------
        folder : path-like
            Where the session will live; must not exist, or be empty.
        data : path-like, array, sparse matrix or DataFrame
            A file of a table (``.csv``, ``.xlsx``, ``.parquet``, ``.jsonl`` and others), of texts
            (``.txt``) or of an array (``.npy``, ``.npz``) is referred to by its path and content;
            so are the pictures of a folder. Anything else is copied into the folder.
        n_clusters : int
            Number of clusters.
        name : str or None
            What people call the session; None is the name of the folder.
        columns : Columns or None
            What the columns are; None: that is guessed, and all that can be used are grouped by.
        standardise : bool or None
            Whether columns of numbers get mean 0 and spread 1; None: those of tables do, arrays do
            not. Rows made of other columns are balanced in another way.
        n_partitions : int
            Partitions in the ensemble.
        journal : str or None
            ``postgresql://...`` to keep the journal in a PostgreSQL database. A password in it is
            not written down: leave it to ``PGPASSWORD`` or ``~/.pgpass``.
        random_state : int
            Seed of the ensemble.
        progress : callable or None
            Called as ``progress(done, total, what)``.
        cancel : callable, threading.Event or None
            Asked now and then; ends the work with :class:`~linkwise.errors.Cancelled`.
        """
        with run_options(progress=progress, cancel=cancel):
            create_session(
                Path(folder).resolve(),
                data,
                n_clusters,
                name=name,
                columns=columns or Columns(),
                standardise=standardise,
                n_partitions=n_partitions,
                journal=journal,
                random_state=random_state,
            )
        return cls(folder, journal)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], journal: str | None = None) -> Session:
        """Open a session; ``journal`` is the database if its address has changed."""
        return cls(folder, journal)

    def close(self) -> None:
        """Finish what was asked for, write a checkpoint, and let other processes in."""
        if self._open:
            self._open = False
            self._history.stop()
            self._history.checkpoint()
            try:
                self._history.close()
            finally:
                self._lock.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # What it is about

    @property
    def name(self) -> str:
        return self._about.name

    @property
    def created(self) -> str:
        return self._about.created

    @property
    def n_rows(self) -> int:
        return self._about.n_rows

    @property
    def n_clusters(self) -> int:
        return self._about.n_clusters

    @property
    def columns(self) -> list[dict[str, str]]:
        """Name and type ("number", "text", "image" or "id") of every column."""
        return [dict(column) for column in self._about.shown]

    @property
    def grouped_by(self) -> str:
        """What rows are grouped by, in words: "age (number) and message (text)"."""
        return self._about.grouped_by

    @property
    def left_out(self) -> dict[str, str]:
        """Columns that rows are not grouped by although they might, and why."""
        used, roles = self._about.features, self._about.roles
        return {name: why for name, (_, why) in roles.items() if name not in used}

    @property
    def unusable(self) -> list[int]:
        """Rows in which there is nothing to group by; they lie in the middle of everything."""
        return list(self._about.unusable)

    @property
    def notes(self) -> list[str]:
        """What else people should know about the data: gaps, pictures that cannot be read."""
        return list(self._about.notes)

    @cached_property
    def features(self) -> TableFeatures | None:
        """What makes rows of numbers of a table like this one; None where it holds numbers alone.

        ``session.features.transform(frame)`` does it with new rows.
        """
        return read_features(self.folder)

    @property
    def ids(self) -> Sequence[Any]:
        """What the data calls its rows; their numbers where it has no names for them."""
        ids = self._display.ids
        return range(self.n_rows) if ids is None else ids

    @property
    def has_images(self) -> bool:
        return self._display.has_images

    @property
    def has_text(self) -> bool:
        return self._display.has_text

    def summary(self) -> Summary:
        """Return what a list of sessions shows."""
        return Summary(self.name, self.n_rows, self.n_clusters, self.seq, self.created)

    @property
    def strategies(self) -> list[str]:
        return list(STRATEGIES)

    # What people say

    @property
    def seq(self) -> int:
        return self._history.seq

    def append(self, entries: Sequence[Entry]) -> list[Event]:
        """Record entries in one transaction; returns when they are durable.

        All entries are checked before anything is written: one that is wrong refuses them all.
        """
        return self.submit(entries).result()

    def submit(self, entries: Sequence[Entry]) -> Future[list[Event]]:
        """Record entries as :meth:`append` does, without waiting.

        Wrong entries are refused at once. Splits, and merges where rows have names, wait for a
        view of the clusters.
        """
        checked = [check_entry(entry, self.n_rows) for entry in entries]
        now = CurrentClustering(
            self.latest(), self.view, self._clustered_names, self._model.ensemble_.labels
        )
        return self._history.submit([complete_entry(entry, now) for entry in checked])

    def history(self, after: int = 0, limit: int | None = None) -> list[Event]:
        """Return up to ``limit`` events that follow event ``after``."""
        return self._history.read(after, limit)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with the new events after each commit; returns how to stop it.

        It runs in the thread that writes, so it must be quick.
        """
        return self._history.listen(listener)

    # What follows from it

    def view(self, at: int | None = None) -> View:
        """Return the clustering after ``at`` events, after all of them by default."""
        return self._views.view(at)

    def latest(self) -> View | None:
        """Return the last view that was computed, without computing anything."""
        return self._views.latest()

    def labels(self) -> Labels:
        """Return the cluster of each row."""
        return self.view().labels

    def delta(self, since: int) -> tuple[NDArray[np.uint32], Labels]:
        """Return the rows whose label differs from the one after ``since`` events, and theirs."""
        before, now = self.view(since).labels, self.labels()
        rows = np.flatnonzero(before != now).astype(np.uint32)
        return rows, now[rows]

    def query(
        self,
        n: int = 1,
        strategy: str = "auto",
        skip: Iterable[tuple[int, int]] = (),
        fresh: bool = True,
    ) -> list[Question]:
        """Return up to ``n`` pairs worth asking about, the most useful first.

        Parameters
        ----------
        n : int
            How many questions.
        strategy : str
            One of ``session.strategies``.
        skip : iterable of (int, int)
            Pairs not to ask about now.
        fresh : bool
            Whether to wait for a view of all answers. False asks by the last view that was
            computed, leaving out the pairs answered since.
        """
        view, labelling, model = self._views.current(fresh)
        unwanted = {*((int(i), int(j)) for i, j in skip)}
        unwanted |= pairs_since(self.history(view.seq) if view.seq < self.seq else [])
        return ask(model, view, labelling.state, n, strategy, unwanted, self._called)

    def conflicts(self) -> list[Trouble]:
        """Return the contradictions among what was said, in words."""
        state = self._history.state()
        troubles = find_troubles(state.statements, state.n_clusters, self._called)
        if state.statements.names and any(change.effect.joins for change in state.changes):
            _, labelling, _ = self._views.current()
            troubles += find_vain_joins(labelling)
        return troubles

    def suspects(self) -> list[Suspicion]:
        """Return the answers that are probably wrong, the most suspicious first."""
        _, labelling, model = self._views.current()
        return find_suspects(labelling.state.statements, model, self._called)

    def progress(self) -> Progress:
        """Return what the answers so far have done."""
        with self._history.lock:
            log = self._history.log
            return measure_progress(log, log.n, self.n_rows, list(self._views.moved))

    # What there is to see

    def rows(self, rows: Sequence[int], fresh: bool = True) -> list[Row]:
        """Return rows for showing; ``fresh=False`` does not wait for a view of all events."""
        view = (None if fresh else self.latest()) or self.view()
        return self._display.read(rows, view.labels, view.margins)

    def row_of(self, name: str | int) -> int:
        """Return the row that the data calls ``name``."""
        return self._display.row_of(name)

    def image(self, row: int) -> tuple[bytes, str]:
        """Return the picture of a row and its media type."""
        return self._display.image(row)

    @property
    def layouts(self) -> list[str]:
        """The layouts that are there."""
        return self._layouts.ready()

    def has_layout(self, kind: str) -> bool:
        """Tell whether a layout is there already."""
        return kind in self._layouts.ready()

    def layout(
        self,
        kind: str = "pca",
        progress: running.Progress | None = None,
        cancel: running.Cancel | None = None,
    ) -> Places:
        """Return a place in [-1, 1] x [-1, 1] for every row; made when it is not there yet.

        "pca" are the two leading principal components; "neighbours" keeps rows together that
        often share a block of the ensemble, and takes longer.
        """
        with run_options(progress=progress, cancel=cancel):
            return self._layouts.get(kind)

    def export(
        self, path: str | os.PathLike[str], what: str = "labels", *, raw: bool = False
    ) -> None:
        """Write "labels" (id, cluster, name, margin) or "answers" to a CSV or Parquet file.

        In CSV, text that a spreadsheet would run gets an apostrophe in front; not with ``raw``,
        which is for programs.
        """
        if what not in WHAT:
            raise InvalidInput(f"what is {what!r}, expected one of {', '.join(WHAT)}.")
        if what == "labels":
            export_labels(Path(path), self.view(), self._display.ids, raw=raw)
        else:
            export_answers(Path(path), self.history(), self._display.ids, raw=raw)

    def recipe(self) -> str:
        """Return three lines of Python that give these labels again."""
        return (
            f"from linkwise.session import Session\n"
            f"with Session.open({str(self.folder)!r}) as session:\n"
            f"    labels = session.view(at={self.seq}).labels\n"
        )

    def _clustered_names(self) -> dict[str, NDArray[np.int64]]:
        return self._history.state().clustered_names

    def _called(self, row: int) -> str:
        ids = self._display.ids
        return f"row {row}" if ids is None else str(ids[row])
