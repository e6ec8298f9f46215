"""The writer: one thread that turns many callers' entries into few commits.

A caller waits until the transaction that holds its entries is on the disk. While one commit is
being synced, more callers queue up, and the next commit takes them all.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import NamedTuple

from linkwise.errors import LinkwiseError
from linkwise.session.errors import SessionError
from linkwise.session.events.event import Entry, Event
from linkwise.session.journal.draft import Draft
from linkwise.session.journal.journal import Journal, Record
from linkwise.session.journal.log import Log

logger = logging.getLogger(__name__)

MAX_RECORDS = 5_000
#: Seconds without a call after which the journal is put in order.
QUIET_SECONDS = 0.25
#: Seconds at most between two attempts.
LONGEST_PAUSE = 8.0


class _Call(NamedTuple):
    entries: Sequence[Entry]
    answer: Future[list[Event]]


class Writer:
    """Owns the writing side of a journal and of the log that mirrors it.

    Parameters
    ----------
    journal, log
        What is written, and its copy in memory.
    n_clusters : int
        Clusters of the model; splits add to them.
    committed : callable
        Called with the new records after each commit, in this thread, before callers are told.
    event_of : callable
        Makes the event of a record, and of whether it is repeated.
    """

    def __init__(
        self,
        journal: Journal,
        log: Log,
        n_clusters: int,
        committed: Callable[[Sequence[Record]], None],
        event_of: Callable[[Record, bool], Event],
    ) -> None:
        self._journal, self._log, self._n_clusters = journal, log, n_clusters
        self._committed, self._event_of = committed, event_of
        self._queue: SimpleQueue[_Call | None] = SimpleQueue()
        self._closed = False
        self._is_settled = True
        self._door = Lock()
        self._thread = Thread(target=self._run, name="linkwise-journal", daemon=True)
        self._thread.start()

    def submit(self, entries: Sequence[Entry]) -> Future[list[Event]]:
        """Ask for entries to be recorded; the answer comes when they are durable."""
        call = _Call(entries, Future())
        with self._door:
            if self._closed:
                call.answer.set_exception(SessionError("the session is closed."))
            else:
                self._queue.put(call)
        return call.answer

    def close(self) -> None:
        """Finish what was asked for, then stop."""
        with self._door:
            if not self._closed:
                self._closed = True
                self._queue.put(None)  # nothing can come behind it
        self._thread.join()

    def _run(self) -> None:
        open_ = True
        while open_:
            calls, open_ = self._collect()
            if calls:
                self._serve(calls)

    def _collect(self) -> tuple[list[_Call], bool]:
        """Wait for a call, and take those that have queued up behind it."""
        calls: list[_Call] = []
        n_entries = 0
        first = self._wait()
        while first is not None:
            calls.append(first)
            n_entries += len(first.entries)
            if n_entries >= MAX_RECORDS:
                return calls, True
            try:
                first = self._queue.get_nowait()
            except Empty:
                return calls, True
        return calls, False

    def _wait(self) -> _Call | None:
        """Wait for a call; when none has come for a moment, put the journal in order."""
        pause = QUIET_SECONDS
        while not self._is_settled:
            try:
                return self._queue.get(timeout=pause)
            except Empty:
                self._settle()
                pause = min(2 * pause, LONGEST_PAUSE)
        return self._queue.get()

    def _settle(self) -> None:
        try:
            self._journal.settle()
            self._is_settled = True
        except Exception as error:
            logger.warning("the journal cannot be put in order now (%s)", error)

    def _serve(self, calls: list[_Call]) -> None:
        """Commit the entries of these calls together, and answer each."""
        waiting = [call for call in calls if call.answer.set_running_or_notify_cancel()]
        try:
            taken = self._record(waiting)
        except Exception as error:
            for call in waiting:
                if not call.answer.done():
                    call.answer.set_exception(error)
            return
        for call, outcome in taken:
            call.answer.set_result([self._event_of(*known) for known in outcome])

    def _record(self, calls: list[_Call]) -> list[tuple[_Call, list[tuple[Record, bool]]]]:
        """Write what can be written; returns the calls that were taken. Wrong ones are refused."""
        keys = {entry.key for call in calls for entry in call.entries if entry.key is not None}
        when = datetime.now(UTC).isoformat(timespec="milliseconds")
        draft = Draft(self._log, self._journal.by_key(keys), self._n_clusters, when)
        taken = []
        for call in calls:
            try:
                taken.append((call, draft.add(call.entries)))
            except LinkwiseError as error:
                call.answer.set_exception(error)
        if draft.records:
            self._commit(draft.records)
        return taken

    def _commit(self, records: list[Record]) -> None:
        self._is_settled = False
        try:
            self._journal.append(records)
        except Exception:
            self._catch_up()
            raise
        self._committed(records)

    def _catch_up(self) -> None:
        """After a failure, take in what the journal holds all the same.

        A commit whose confirmation was lost may have happened. Its callers are told that it failed
        and ask again with the same keys.
        """
        try:
            for page in self._journal.pages(self._log.n):
                self._committed(page)
        except Exception:
            logger.warning("the journal cannot be read after a failed write", exc_info=True)
