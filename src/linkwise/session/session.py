"""A clustering that lives: people and programs feed answers, all is kept, all can be undone.

The journal is the truth. Everything else, labels included, is a function of its first ``k`` events
and can be computed again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linkwise import running
from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.constraints import Links, PartialLabels
from linkwise.engines.base import Engine
from linkwise.errors import InvalidInput
from linkwise.markup import html_table
from linkwise.query import STRATEGIES
from linkwise.running import run_options
from linkwise.session.advice.clicks import Clicks
from linkwise.session.advice.dealing import Desk
from linkwise.session.advice.looks import Looks
from linkwise.session.advising import Advising
from linkwise.session.backup import back_up
from linkwise.session.completion import CurrentClustering
from linkwise.session.create import create_session, open_model
from linkwise.session.data.description import is_session, read_description
from linkwise.session.data.display import Display
from linkwise.session.data.display_parts import DisplayParts
from linkwise.session.data.features_file import read_features
from linkwise.session.data.file import Columns, TableLike
from linkwise.session.data.joining import Joining, Part
from linkwise.session.data.layout_file import LayoutFiles
from linkwise.session.data.newcomers import Newcomers
from linkwise.session.errors import InvalidEvent
from linkwise.session.events.event import Entry, Event
from linkwise.session.events.kinds import by_number, check_entry, complete_entry, names_in
from linkwise.session.events.speaking import Speaking
from linkwise.session.export import (
    WHAT,
    export_answers,
    export_history,
    export_labels,
    export_links,
    export_names,
    export_parts,
    export_table,
)
from linkwise.session.importing import (
    Here,
    entries_of_events,
    entries_of_file,
    entries_of_history,
    entries_of_labels,
    entries_of_links,
)
from linkwise.session.journal.journal import open_journal
from linkwise.session.journal.lock import FolderLock
from linkwise.session.looking import Looking
from linkwise.session.recipe import write_recipe
from linkwise.session.state.history import History, Listener
from linkwise.session.state.labelling import Labels, cluster_shares, nowhere
from linkwise.session.state.view import View, changed_rows
from linkwise.session.state.views import Views
from linkwise.session.summary import Summary
from linkwise.typing import Matrix

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

    from linkwise.features import TableFeatures


class Session(Speaking, Looking, Advising):
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

    def __init__(
        self,
        folder: str | os.PathLike[str],
        journal: str | None = None,
        engine: str | Engine | None = None,
    ) -> None:
        self.folder = Path(folder).resolve()
        self._about = read_description(self.folder)
        with ExitStack() as undo:
            self._lock = FolderLock(self.folder)
            undo.callback(self._lock.close)
            self._about.data.check()
            self._model = open_model(self.folder, self._about, engine)
            self._address = journal or self._about.journal
            self._journal = open_journal(self.folder, self._address, self._about.id)
            undo.callback(self._journal.close)
            self._history = History(self.folder, self._about, self._journal)
            undo.callback(self._history.stop)
            self._views = Views(self._history, self._model)
            about = self._about
            shown = Display(
                about.data, about.columns, about.n_rows, about.image_shape, about.pictures
            )
            self._display, self._desk = DisplayParts(shown), Desk()
            self._newcomers = Newcomers(about, self.folder)
            self._joining = Joining(self.folder, about, self._newcomers)
            self._joining.tidy()
            self._growing = Lock()
            self._weighing = Lock()
            self._clicks = Clicks(self._history)
            self._looks = Looks(self._clicks.ends, self._number_after, self._look)
            self._grown: SequentialClustering = self._model
            for _, _, payload in self._history.log.joins():
                part = self._joining.read(payload)
                self._grow(self._grown.twin().extend(part.X))
                self._display.append(part.display)
            undo.pop_all()
        self._layouts = LayoutFiles(self.folder, about, self._model)
        self._open = True

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        data: TableLike,
        n_clusters: int | str,
        *,
        name: str | None = None,
        columns: Columns | None = None,
        standardise: bool | None = None,
        n_partitions: int = 200,
        journal: str | None = None,
        random_state: int = 0,
        engine: str | Engine | None = None,
        progress: running.Progress | bool | None = None,
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
        n_clusters : int or "auto"
            Number of clusters; "auto" begins with the one that :func:`~linkwise.choose_k` finds
            and then goes by the answers, see :meth:`follow`.
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
        engine : {"cpu", "cuda"}, engine or None
            Where the work over all rows is done, see :mod:`linkwise.engines`. With one, and for a
            folder of Parquet files, rows stay in their files and are read a block at a time; they
            are grouped by columns of numbers, as these are, and the map shows 100,000 of them.
            None is this process.
        progress : bool, callable or None
            True shows how far it is; a callable is called as ``progress(done, total, what)``.
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
                engine=engine,
            )
            return cls(folder, journal, engine)

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str],
        journal: str | None = None,
        *,
        engine: str | Engine | None = None,
    ) -> Session:
        """Open a session.

        Parameters
        ----------
        folder : path-like
            Where it lives.
        journal : str or None
            The database, if its address has changed.
        engine : engine or None
            The cluster that a session lives on which was made with one; it finds its labels there,
            or makes them again from the rows. Others need none.
        """
        return cls(folder, journal, engine)

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

    def _repr_html_(self) -> str:
        about = [
            ("rows", f"{self.n_rows:,}"),
            ("clusters", f"{self.n_clusters:,}"),
            ("events", f"{self.seq:,}"),
            ("grouped by", self.grouped_by),
            ("folder", self.folder),
            ("made", self.created),
        ]
        return html_table(self.name, about)

    # What it is about

    @property
    def name(self) -> str:
        return self._about.name

    @property
    def created(self) -> str:
        return self._about.created

    @property
    def n_rows(self) -> int:
        return self._history.n_rows

    @property
    def n_clusters(self) -> int:
        """Clusters that the model has now; splits add to them."""
        with self._history.lock:
            log = self._history.log
            return log.number(log.n, log.standing(log.n)) or self._about.n_clusters

    @property
    def n_cluster_numbers(self) -> int:
        """Clusters that ever had a number, undone or merged ones too: no number is given twice."""
        return self._about.n_clusters + self._history.log.n_added

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
        """Rows in which there is nothing to group by; nowhere, until somebody speaks about them."""
        return self._history.unusable()

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
        return self._submit(entries)

    def _submit(self, entries: Sequence[Entry], waiting: Part | None = None) -> Future[list[Event]]:
        self._display.check_names([name for entry in entries for name in names_in(entry)])
        numbered = [by_number(entry, self.row_of) for entry in entries]
        checked = [check_entry(entry, self.n_rows) for entry in numbered]
        matrix = self._grown.ensemble_.labels
        now = CurrentClustering(
            self.latest(), self.view, self._clustered_names, matrix, self._desk.was_drawn, waiting
        )
        return self._history.submit([self._completed(entry, now) for entry in checked])

    def _completed(self, entry: Entry, now: CurrentClustering) -> Entry:
        """Fill in what the clustering tells; what is refused now may have been recorded before."""
        try:
            return complete_entry(entry, now)
        except InvalidEvent:
            if entry.key is None or not self._history.has(entry.key):
                raise
            return entry

    def import_(
        self,
        source: str | os.PathLike[str] | Links | PartialLabels | Session | IntoDataFrame,
        *,
        who: str = "",
        skip_unknown: bool = False,
        keep_names: bool = True,
    ) -> list[Event]:
        """Take in what is known elsewhere; importing the same again adds nothing.

        All of it is recorded, or nothing. What was imported and then undone stays undone.

        Parameters
        ----------
        source : path-like, Links, data frame, PartialLabels or Session
            Links and labels as :meth:`Links.read` and :meth:`PartialLabels.read` read them, with
            the ids of the data where it has any; links in a data frame with the columns i, j and
            kind, as :meth:`Links.from_frame` reads it; answers that a session exported; a session,
            or the folder of one, whose standing answers, names and sets of rows are taken.
        who : str
            Who said it, where the source does not tell.
        skip_unknown : bool, default=False
            Whether links and labels in files that name no row here are skipped, with a warning,
            instead of refused.
        keep_names : bool, default=True
            Whether answers of another session stay those of the people who gave them there; else
            all are ``who``'s.

        Returns
        -------
        events : list of Event
            One for each thing the source says; ``repeated`` where it had been imported before.
        """
        here = Here(self.n_rows, self._display.ids, self.row_of, self.history)
        if not isinstance(source, str | os.PathLike | Links | PartialLabels | Session):
            source = Links.from_frame(
                source, here.ids, n_samples=here.n_rows, skip_unknown=skip_unknown
            )
        if isinstance(source, Links):
            entries = entries_of_links(source, self.n_rows, who)
        elif isinstance(source, PartialLabels):
            entries = entries_of_labels(source, self.n_rows, who)
        elif isinstance(source, Session):
            entries = entries_of_history(source.history(), source.name_of, here, who)
        elif is_session(Path(source)):
            with Session.open(source) as other:
                entries = entries_of_history(other.history(), other.name_of, here, who)
        else:
            entries = entries_of_file(Path(source), here, who, skip_unknown=skip_unknown)
        if not keep_names:
            entries = [replace(entry, who=who) for entry in entries]
        return self.append(entries) if entries else []

    def extend(self, X: TableLike, *, who: str = "", key: str | None = None) -> Event:
        """Let rows join: they get labels, can be asked about and spoken about. They stay.

        Parameters
        ----------
        X : path-like, array, sparse matrix or DataFrame
            Rows with the features of the session and, where its rows have ids, texts or pictures,
            these columns too. They are copied into the folder, and follow the rows there are.
        who, key : str
            Who says it; with the same key and rows it happens once.
        """
        with self._growing:
            part = self._joining.write(X)
            n_rows = self.n_rows
            entry = Entry("extend", {"data": part.sha256}, who, key)
            if key is not None and self._history.has(key):  # sent again: they are here
                return self._submit([entry], part).result()[0]
            self._check_new_ids(part)
            self._grow(self._grown.of_first(n_rows).extend(part.X))
            event = self._submit([entry], part).result()[0]
            self._display.append(part.display)
            return event

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
        rows = changed_rows(before, now).astype(np.uint32)
        return rows, now[rows]

    def predict(self, X: TableLike) -> Labels:
        """Return the clusters that other rows would be in, after all events.

        Parameters
        ----------
        X : path-like, array, sparse matrix or DataFrame
            Rows with the features of the session, as they come: they are standardised as the rows
            of the session were. A row with nothing to group by gets the largest label there can
            be, which is -1, as in the session.
        """
        new = self._newcomers.read(X)
        labels = self._views.predict(new.X)
        labels[list(new.unusable)] = nowhere(labels)
        return labels

    def prepare(self, X: TableLike) -> Matrix:
        """Return the features of rows as :attr:`model` wants them."""
        return self._newcomers.read(X).X

    @property
    def model(self) -> SequentialClustering:
        """The model with all answers and names that stand: a copy, to be used and saved alone.

        Merges, splits and renames are not part of it; :meth:`predict` knows them. It wants rows as
        :meth:`prepare` returns them.
        """
        _, _, model = self._views.current()
        twin: SequentialClustering = model.twin()
        return twin

    def export(
        self,
        path: str | os.PathLike[str],
        what: str = "labels",
        *,
        raw: bool = False,
        at: int | None = None,
    ) -> None:
        """Write what came out, or what was said, to a CSV or Parquet file.

        Parameters
        ----------
        path : path-like
            Where to write; links and names may be a ``.json`` file too, a history is a
            ``.jsonl`` file. Labels may go to a new folder, whose name has no ending: as Parquet
            files of a million rows each, in order.
        what : {"labels", "table", "answers", "links", "names", "history"}
            "labels": id, cluster, name and margin of every row. "table": all columns of the data,
            then these, and the share of each row in each cluster. "answers": who said what, and
            when. "links": all that stands, as :meth:`Links.read` and ``linkwise check`` read it.
            "names": the names that rows were given, as :meth:`PartialLabels.read` reads them.
            "history": every event, as :meth:`replay` reads it.
        raw : bool, default=False
            In CSV, text that a spreadsheet would run gets an apostrophe in front; not if raw, which
            is for programs.
        at : int or None, default=None
            After how many events, of labels; None is after all of them.
        """
        if what not in WHAT:
            raise InvalidInput(f"what is {what!r}, expected one of {', '.join(WHAT)}.")
        if at is not None and what != "labels":
            raise InvalidInput(f"at is for labels; {what} are exported as they stand.")
        path, ids = Path(path), self._display.ids
        if what == "labels":
            view = self.view(at)
            there = None if ids is None else ids[: len(view.labels)]  # others joined later
            if path.suffix:
                export_labels(path, view, there, raw=raw)
            else:
                export_parts(path, view, there)
        elif what == "table":
            view, labelling, model = self._views.current()
            columns = self._display.table(len(view.labels))
            shares = cluster_shares(labelling, model.memberships_)
            export_table(path, view, columns, shares, raw=raw)
        elif what == "answers":
            export_answers(path, self.history(), ids, raw=raw)
        elif what == "history":
            export_history(path, self.history())
        elif what == "links":
            export_links(path, self._history.state().statements, ids)
        else:
            export_names(path, self._history.state().statements, ids)

    def backup(self, target: str | os.PathLike[str]) -> int:
        """Copy the session to a folder, where it opens by itself; returns the number of events.

        Others may go on working: the copy holds all that was acknowledged when it began.
        """
        return back_up(self.folder, Path(target), self._address)

    @property
    def trouble(self) -> str | None:
        """What the journal's database last failed with; None while all is well."""
        return self._journal.trouble

    def replay(self, path: str | os.PathLike[str]) -> list[Event]:
        """Record in a fresh session all that another one of the same data recorded.

        Parameters
        ----------
        path : path-like
            What ``export(path, "history")`` wrote. Rows that joined are not part of it.
        """
        if self.seq:
            raise InvalidInput(f"replay: {self.seq} events are here already; begin a new session.")
        entries = entries_of_events(Path(path))
        checked = [check_entry(entry, self.n_rows) for entry in entries]
        said = [
            replace(c, payload=e.payload | c.payload) for c, e in zip(checked, entries, strict=True)
        ]
        return self._history.submit(said).result() if said else []

    def recipe(self) -> str:
        """Return the lines of Python that give these labels again, from data and history alone.

        They need the data and the file that ``export(path, "history")`` writes, not the session.
        """
        made = self._model.get_params()
        return write_recipe(self._about, made, self.features is not None)

    def _grow(self, model: SequentialClustering) -> None:
        """Go on with more rows; those beyond what the journal tells are left out everywhere."""
        self._grown = model
        self._views.grow(model)

    def _check_new_ids(self, part: Part) -> None:
        known = {str(name) for name in self._display.ids or ()}
        for name in part.display.ids or ():
            if str(name) in known:
                raise InvalidInput(
                    f"a row called {name!r} is part of the session already. Every row needs an id "
                    f"of its own."
                )

    def _clustered_names(self) -> dict[str, NDArray[np.int64]]:
        return self._history.state().clustered_names
