"""History: the journal, its copy in memory, and those who listen."""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import RLock

from linkwise.session.data.description import Description
from linkwise.session.errors import InvalidEvent
from linkwise.session.events.event import Entry, Event
from linkwise.session.journal.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from linkwise.session.journal.journal import Journal, Record
from linkwise.session.journal.log import Log
from linkwise.session.journal.writer import Writer
from linkwise.session.state.labelling import State

logger = logging.getLogger(__name__)

#: Records kept in memory for readers who follow closely.
TAIL = 1_000
CHECKPOINT_EVERY = 50_000

Listener = Callable[[list[Event]], None]


class History:
    """Everything that was said, in order.

    The log is written by the writer's thread only, under ``lock``; readers take the lock too.
    """

    def __init__(self, folder: Path, description: Description, journal: Journal) -> None:
        self.folder, self._description, self._journal = folder, description, journal
        self.lock = RLock()
        self._listeners: list[Listener] = []
        self._tail: deque[Record] = deque(maxlen=TAIL)
        self._made: dict[int, Event] = {}  # of the last commit, for those who wait for them
        #: What a checkpoint should hold; the views add their labels.
        self.snapshot: Callable[[], Checkpoint] = lambda: Checkpoint(self.log)
        self.restored = read_checkpoint(folder, description.id, journal)
        self.log = Log() if self.restored is None else self.restored.log
        self._checkpointed = self.log.n
        for page in journal.pages(self.log.n):
            self.log.extend(page)
            self._tail.extend(page)
        self._writer = Writer(
            journal, self.log, description.n_clusters, self._committed, self._answer
        )

    @property
    def seq(self) -> int:
        """Number of the last event."""
        return self.log.n

    @property
    def n_rows(self) -> int:
        """Rows of the data, those that joined included."""
        return self._description.n_rows + self.log.n_joined

    def submit(self, entries: Sequence[Entry]) -> Future[list[Event]]:
        """Ask for entries to be recorded; the answer comes when they are durable."""
        return self._writer.submit(entries)

    def read(self, after: int = 0, limit: int | None = None) -> list[Event]:
        """Return up to ``limit`` events that follow event ``after``."""
        with self.lock:
            last = self.log.n
            stop = last if limit is None else min(last, after + limit)
            if self._tail and self._tail[0].seq <= after + 1:
                skip = after + 1 - self._tail[0].seq
                records = [self._tail[k] for k in range(skip, skip + stop - after)]
                return [self._event(record) for record in records]
        records = self._journal.read(after, max(stop - after, 0))
        with self.lock:
            return [self._event(record) for record in records]

    def has(self, key: str) -> bool:
        """Tell whether something was recorded with this key."""
        return bool(self._journal.by_key([key]))

    def event(self, seq: int) -> Event:
        """Return one event."""
        if not 1 <= seq <= self.seq:
            raise InvalidEvent(f"there is no event {seq}; the last one is {self.seq}.")
        return self.read(seq - 1, 1)[0]

    def state(self, at: int | None = None) -> State:
        """Fold the first ``at`` events, all of them by default."""
        with self.lock:
            n = self.log.n if at is None else at
            if not 0 <= n <= self.log.n:
                raise InvalidEvent(f"there is no state after {n} events; there are {self.log.n}.")
            about = self._description
            n_rows = about.n_rows + self.log.joined(n)
            return State.of(self.log, n, n_rows, about.n_clusters, self.unusable(n))

    def unusable(self, at: int | None = None) -> list[int]:
        """Return the rows with nothing to group by that are there after so many events."""
        with self.lock:
            n, about = self.log.n if at is None else at, self._description
            return [*about.unusable, *self.log.unusable(n, about.n_rows)]

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with the new events after each commit; returns how to stop it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def checkpoint(self) -> None:
        """Shorten the next start; a failure is logged and harmless."""
        with self.lock:
            if self.log.n == 0:
                return
            try:
                last = self._journal.link(self.log.n)
                assert last is not None
                write_checkpoint(self.folder, self._description.id, last, self.snapshot())
                self._checkpointed = self.log.n
            except Exception as error:
                logger.warning("no checkpoint could be written (%s); nothing is lost", error)

    def stop(self) -> None:
        """Finish what was asked for and refuse the rest."""
        self._writer.close()

    def close(self) -> None:
        """Let go of the journal."""
        self._journal.close()

    def _committed(self, records: Sequence[Record]) -> None:
        """Take in what was committed; runs in the writer's thread."""
        with self.lock:
            self.log.extend(records)
            self._tail.extend(records)
            events = [self._event(record) for record in records] if self._listeners else []
            self._made = {event.seq: event for event in events}
        for listener in list(self._listeners):
            try:
                listener(events)
            except Exception:
                logger.warning("a listener failed", exc_info=True)
        if self.log.n - self._checkpointed >= CHECKPOINT_EVERY:
            self.checkpoint()

    def _answer(self, record: Record, repeated: bool) -> Event:
        """Return the event for the one who asked for it; runs in the writer's thread."""
        made = None if repeated else self._made.get(record.seq)
        return made or self._event(record, repeated)

    def _event(self, record: Record, repeated: bool = False) -> Event:
        return Event(
            seq=record.seq,
            kind=record.kind,
            payload=json.loads(record.payload),
            who=record.who,
            when=record.when,
            key=record.key,
            undone_by=self.log.undone_by(record.seq),
            repeated=repeated,
        )
