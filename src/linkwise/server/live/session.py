"""A session that people are working with: answers go in, labels and news come out.

Nobody waits for anybody. Answers are stored by the thread of the session that commits those which
arrive together in one go. One worker thread computes the labels; what arrives while it computes is
part of the next computation. Another one looks, when somebody wants to know, at what the answers
say about the clustering as a whole; it waits whenever labels are to be computed. Listeners follow
the feed.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import anyio.to_thread
import numpy as np
from numpy.typing import NDArray

from linkwise.errors import Cancelled
from linkwise.running import run_options
from linkwise.server.live.feed import Feed, journal_frame, view_frame
from linkwise.server.live.interrupting import Interrupted, Interruptible
from linkwise.server.live.memory import give_back
from linkwise.server.live.turns import Turns
from linkwise.server.refusals import Stopping
from linkwise.server.schemas.views import Cluster, ViewNews
from linkwise.session import KINDS, Entry, Event
from linkwise.session.events.kinds import names_in

if TYPE_CHECKING:
    from linkwise.session import Session, View, Weighed

logger = logging.getLogger("linkwise.server")

Result = TypeVar("Result")
Labels = NDArray[np.unsignedinteger[Any]]

#: Memory for the labels shown last, from which changes are told.
SHOWN_BYTES = 16 * 2**20
MOST_SHOWN = 64
#: When so many events come during one computation, the worker rests twice as long as it took, so
#: that the processor is left to those who store them.
FLOOD = 20
LONGEST_REST = 3.0
#: And so long at most until somebody looks at the labels.
UNSEEN_REST = 12.0
#: Seconds between two times of giving free memory back.
TIDY_EVERY = 5.0
#: Seconds that a computation may still take when the service ends.
PATIENCE = 2.0


class LiveSession:
    """One open session of the service; made and used in the event loop.

    Parameters
    ----------
    session : Session
        The session; nobody else uses it.
    writers : anyio.CapacityLimiter
        How many threads may store large events at once.
    turns, looking_back : Turns
        Threads for what people wait for, and for what was long ago, shared by all sessions.
    """

    def __init__(
        self,
        session: Session,
        writers: anyio.CapacityLimiter,
        turns: Turns,
        looking_back: Turns,
    ) -> None:
        self.session = session
        self._turns, self._looking_back = turns, looking_back
        self._writers = writers
        #: Held while clusters are added, so that they can be counted before.
        self.adding = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._letters: deque[Callable[[], None]] = deque()
        self._rung = False
        self._feed = Feed(session.seq, session.history)
        self._view: View | None = None
        self._shown: dict[int, Labels] = {}
        self._failure: Exception | None = None
        self._work, self._steps = Condition(), Interruptible()
        self._wanted, self._stopped, self._looked = True, False, False
        self._computing, self._curious = False, session.follows
        self._users, self._left = 0, time.monotonic()
        self._stop_listening = session.listen(self._pass_on)
        self._worker = Thread(target=self._compute_views, name="linkwise-labels", daemon=True)
        self._looker = Thread(target=self._take_looks, name="linkwise-looks", daemon=True)
        self._worker.start()
        self._looker.start()

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Count as a user of the session for the length of a block."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            self._left = time.monotonic()

    def is_idle(self, seconds: float) -> bool:
        """Tell whether nobody uses the session, nor has for so long."""
        return self._users == 0 and time.monotonic() - self._left >= seconds

    async def append(self, entries: list[Entry]) -> list[Event]:
        """Store the entries; returns when they are on the disk."""
        if any(KINDS[entry.kind].is_large or names_in(entry) for entry in entries):
            # too much work for the event loop: ids may have to be read from the data
            append = self._interruptible(self.session.append, entries)
            return await anyio.to_thread.run_sync(append, limiter=self._writers)
        stored: asyncio.Future[list[Event]] = self._loop.create_future()
        future = self.session.submit(entries)
        future.add_done_callback(lambda done: self._tell(_pass_result, done, stored))
        return await stored

    async def work(self, ask: Callable[..., Result], *args: object) -> Result:
        """Return ``ask(*args)``, computed in a thread when it is this session's turn."""
        return await self._turns.run(self, self._interruptible(ask, *args))

    async def look_back(self, ask: Callable[..., Result], *args: object) -> Result:
        """Return ``ask(*args)`` as :meth:`work` does, behind others who look back."""
        return await self._looking_back.run(self, self._interruptible(ask, *args))

    def stream(self, after: int | None) -> AsyncIterator[bytes]:
        """Yield the news after event ``after`` (None: from now on) as server-sent events."""
        self._look()
        return self._feed.stream(after)

    async def view(self, at_least: int | None = None) -> View:
        """Return the newest labels, waiting until they know the first ``at_least`` events.

        None stands for all events stored so far.
        """
        wanted = self.session.seq if at_least is None else min(at_least, self.session.seq)
        self._look()
        while self._view is None or self._view.seq < wanted:
            if self._feed.over:
                raise Stopping
            if self._failure is not None:
                failure, self._failure = self._failure, None
                self._want_labels()  # whoever asks next may be luckier
                raise failure
            await self._feed.wait()
        return self._view

    def weigh(self) -> Weighed | None:
        """Return what the answers said at the last look, and let there be another if one is due."""
        with self._work:
            self._curious = True
            self._work.notify_all()
        return self.session.weighed

    async def labels_at(self, seq: int) -> Labels:
        """Return the labels as they were after event ``seq``; those shown last are at hand."""
        if seq in self._shown:
            return self._shown[seq]
        view = await self.look_back(self.session.view, seq)
        return view.labels

    def end_streams(self) -> None:
        """Let everybody go who listens or waits."""
        self._feed.end()

    def end_work(self) -> None:
        """Begin no computation any more; those which take longer than a moment are interrupted."""
        self._stop_worker()
        self._loop.call_later(PATIENCE, self._steps.interrupt)

    async def close(self) -> None:
        """End the streams, stop the worker and close the session."""
        self.end_streams()
        self._stop_worker()
        await anyio.to_thread.run_sync(self._worker.join)
        await anyio.to_thread.run_sync(self._looker.join)
        self._stop_listening()
        await anyio.to_thread.run_sync(self.session.close)

    def _stop_worker(self) -> None:
        with self._work:
            self._stopped = True
            self._work.notify_all()

    def _interruptible(self, ask: Callable[..., Result], *args: object) -> Callable[[], Result]:
        """Return ``ask(*args)`` as work that ends when the service does."""

        def work() -> Result:
            try:
                return self._steps.run(partial(ask, *args))
            except Interrupted:
                raise Stopping from None

        return work

    def _pass_on(self, events: Sequence[Event]) -> None:
        """Tell the event loop; runs in the thread that stores events, in their order."""
        frames = [journal_frame(event) for event in events]
        self._tell(self._feed.publish, events[-1].seq, frames)
        self._want_labels()

    def _want_labels(self) -> None:
        with self._work:
            self._wanted = True
            self._work.notify_all()

    def _look(self) -> None:
        """Let labels be computed that were left for later because nobody looked."""
        with self._work:
            self._looked = True
            self._work.notify_all()

    def _compute_views(self) -> None:
        """Run in the worker thread: labels of all events so far, again and again.

        A model lets BLAS have its threads back after each step. They then spin for a while, on
        cores that the vote and those who store answers need; so they are never had.
        """
        from linkwise.ensemble.blas import one_blas_thread  # loads what labels need anyway

        with suppress(Interrupted), one_blas_thread():
            self._compute_and_tell()

    def _compute_and_tell(self) -> None:
        tidied = 0.0
        while self._next():
            started, seq = time.perf_counter(), self.session.seq
            try:
                view, frame = self._steps.run(self._newest)
            except Exception as error:
                logger.error("labels could not be computed", exc_info=error)
                self._tell(self._fail, error)
            else:
                self._tell(self._show, view, frame)
            self._rest_begins()
            if started - tidied >= TIDY_EVERY:
                tidied = started
                give_back()
            if self.session.seq - seq >= FLOOD:
                self._rest(2 * (time.perf_counter() - started))

    def _newest(self) -> tuple[View, bytes]:
        """Return the labels of all events so far, and what listeners are told of them."""
        view = self.session.view()
        return view, view_frame(_news(self._view, view))

    def _next(self) -> bool:
        """Wait until labels are wanted; returns whether to go on."""
        with self._work:
            self._work.wait_for(lambda: self._wanted or self._stopped)
            self._wanted, self._computing = False, True
            return not self._stopped

    def _rest_begins(self) -> None:
        """Let others compute while no labels are wanted."""
        with self._work:
            self._computing = False
            self._curious |= self.session.follows
            self._work.notify_all()

    def _take_looks(self) -> None:
        """Run in the thread that looks: what the answers say as a whole, where somebody asks."""
        with suppress(Interrupted):
            self._look_when_asked()

    def _look_when_asked(self) -> None:
        while True:
            with self._work:
                self._work.wait_for(lambda: self._curious or self._stopped)
                self._curious = False
            if self._is_over():
                return
            try:
                with run_options(cancel=self._is_over):
                    self._steps.run(self._weigh_and_follow)
            except Cancelled:
                return
            except Exception as error:  # the next answers bring it up again
                logger.warning("the answers could not be looked at as a whole", exc_info=error)

    def _weigh_and_follow(self) -> None:
        self.session.weigh()
        self.session.follow()

    def _is_over(self) -> bool:
        """Wait until no labels are wanted, and tell whether everything is to end."""
        with self._work:
            self._work.wait_for(lambda: self._stopped or not (self._wanted or self._computing))
            return self._stopped

    def _rest(self, seconds: float) -> None:
        """Leave the processor to those who store answers, longer if nobody looks at labels."""
        with self._work:
            self._looked = False
            self._work.wait_for(lambda: self._stopped, min(seconds, LONGEST_REST))
            if not self._feed.n_listeners:
                self._work.wait_for(lambda: self._stopped or self._looked, UNSEEN_REST)

    def _tell(self, what: Callable[..., None], *values: object) -> None:
        """Let the event loop call ``what``; letters that come together ring once."""
        self._letters.append(partial(what, *values))
        if self._rung:
            return
        self._rung = True
        try:
            self._loop.call_soon_threadsafe(self._read_letters)
        except RuntimeError:  # the loop is gone: nobody is left to be told
            return

    def _read_letters(self) -> None:
        self._rung = False  # before reading: who writes from now on rings again
        while self._letters:
            self._letters.popleft()()

    def _show(self, view: View, frame: bytes) -> None:
        self._view, self._failure = view, None
        self._shown[view.seq] = view.labels
        most = min(MOST_SHOWN, max(4, SHOWN_BYTES // view.labels.nbytes))
        while len(self._shown) > most:
            del self._shown[next(iter(self._shown))]
        self._feed.show(view.seq, frame)

    def _fail(self, error: Exception) -> None:
        self._failure = error
        self._feed.wake()


def _pass_result(done: Future[list[Event]], waiting: asyncio.Future[list[Event]]) -> None:
    """Hand on what came of a call to the one who waits for it, if they still do."""
    if waiting.done():
        return
    error = done.exception()
    if error is None:
        waiting.set_result(done.result())
    else:
        waiting.set_exception(error)


def _news(before: View | None, view: View) -> str:
    """Return what listeners are told of new labels, as JSON."""
    from linkwise.session.state.view import changed_rows  # loads the model, which is loaded by now

    moved = 0 if before is None else len(changed_rows(before.labels, view.labels))
    clusters = [Cluster.model_validate(cluster) for cluster in view.clusters]
    return json.dumps(ViewNews(seq=view.seq, moved=moved, clusters=clusters).model_dump())
