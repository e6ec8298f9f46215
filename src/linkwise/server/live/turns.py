"""Turns: threads for work that takes a while, given to the sessions one after the other.

Whoever asks one session for a lot waits behind that session's own requests; the next free thread
goes to the session that has waited longest for one.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from linkwise.server.refusals import Busy

Result = TypeVar("Result")

MOST_WAITING = 200


class Turns:
    """A bounded number of threads; used in the event loop only.

    Parameters
    ----------
    at_once : int
        Threads that work side by side.
    for_one : int
        How many of them one session may have.
    """

    def __init__(self, at_once: int, for_one: int) -> None:
        self._free, self._for_one = at_once, for_one
        self._threads: anyio.CapacityLimiter | None = None
        self._at_once = at_once
        self._working: Counter[object] = Counter()
        self._waiting: OrderedDict[object, deque[asyncio.Future[None]]] = OrderedDict()

    async def run(self, session: object, work: Callable[[], Result]) -> Result:
        """Return what ``work`` returns, done in a thread when it is the session's turn."""
        await self._enter(session)
        try:
            if self._threads is None:
                self._threads = anyio.CapacityLimiter(self._at_once)
            return await anyio.to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._leave(session)

    async def _enter(self, session: object) -> None:
        if self._free and self._working[session] < self._for_one and session not in self._waiting:
            self._take(session)
            return
        line = self._waiting.setdefault(session, deque())
        if len(line) >= MOST_WAITING:
            raise Busy(f"{len(line)} requests to this session are waiting. Try again later.")
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given the turn, and has left
                self._leave(session)
            raise

    def _take(self, session: object) -> None:
        self._free -= 1
        self._working[session] += 1

    def _leave(self, session: object) -> None:
        self._free += 1
        self._working[session] -= 1
        if not self._working[session]:
            del self._working[session]
        self._call_next()

    def _call_next(self) -> None:
        """Give free threads to those who wait; who was called goes to the end of the line."""
        for session in list(self._waiting):
            line = self._waiting[session]
            while line and line[0].done():  # they have left
                line.popleft()
            if not line:
                del self._waiting[session]
            elif self._free and self._working[session] < self._for_one:
                self._take(session)
                line.popleft().set_result(None)
                if line:
                    self._waiting.move_to_end(session)
                else:
                    del self._waiting[session]
