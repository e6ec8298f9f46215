"""The feed of a session: every listener hears every event once and in order.

A listener is a cursor that walks along the journal. The latest frames are in memory; one who is
further behind, or resumes from long ago, reads the journal. So nobody has a queue that could
overflow, and a slow listener holds up nobody.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence

import anyio.to_thread

from linkwise.server.schemas.events import encode_event
from linkwise.session import Event

HEARTBEAT = 15.0
#: Frames kept in memory: those of the last thousand answers or so.
RECENT_BYTES = 2**18
#: Events read from the journal at once; short, as a listener may leave at any time.
PAGE = 200

Frames = list[bytes]


class Feed:
    """What listeners are told; used in the event loop only.

    Parameters
    ----------
    published : int
        The last event that is known.
    read : callable
        ``read(after, limit)`` returns events from the journal; called in a thread.
    """

    def __init__(self, published: int, read: Callable[[int, int], Sequence[Event]]) -> None:
        self._published, self._read = published, read
        self._frames: deque[bytes] = deque()
        self._n_bytes = 0
        self._view_seq, self._view_frame = 0, b""
        self._news = asyncio.Event()
        self.over = False
        self.n_listeners = 0

    def publish(self, seq: int, frames: Sequence[bytes]) -> None:
        """Tell events, of which ``seq`` is the last."""
        self._published = seq
        self._frames.extend(frames)
        self._n_bytes += sum(map(len, frames))
        while self._n_bytes > RECENT_BYTES:
            self._n_bytes -= len(self._frames.popleft())
        self.wake()

    def show(self, seq: int, frame: bytes) -> None:
        """Tell that the labels after event ``seq`` are ready."""
        self._view_seq, self._view_frame = seq, frame
        self.wake()

    def end(self) -> None:
        """Let all listeners go; they resume with the last id they heard."""
        self.over = True
        self.wake()

    def wake(self) -> None:
        """Wake everybody who waits for news."""
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def wait(self) -> None:
        """Wait for the next news of any kind."""
        await self._news.wait()

    async def stream(self, after: int | None) -> AsyncIterator[bytes]:
        """Yield the news after event ``after`` (None: from now on) as server-sent events."""
        self.n_listeners += 1
        try:
            async for part in self._news_after(after):
                yield part
        finally:
            self.n_listeners -= 1

    async def _news_after(self, after: int | None) -> AsyncIterator[bytes]:
        cursor = self._published if after is None else min(after, self._published)
        told = b""
        yield b"retry: 1000\nid: %d\n\n" % cursor
        while not self.over:
            news = self._news
            frames = await self._frames_after(cursor)
            cursor += len(frames)
            if self._view_frame is not told and self._view_seq <= cursor:
                told = self._view_frame
                frames.append(told)
            if frames:
                yield b"".join(frames)
                await asyncio.sleep(0)  # others get their turn, and a listener who left is noticed
            elif not await happens(news, HEARTBEAT):
                yield b": still here\n\n"

    async def _frames_after(self, cursor: int) -> Frames:
        """Return the frames that follow event ``cursor``, a page at most."""
        behind = self._published - cursor
        known = len(self._frames)
        if behind <= known:
            return [
                self._frames[k] for k in range(known - behind, min(known, known - behind + PAGE))
            ]
        events = await anyio.to_thread.run_sync(self._read, cursor, min(behind, PAGE))
        return [journal_frame(event) for event in events]


def journal_frame(event: Event) -> bytes:
    """Return the frame that tells an event."""
    return f"id: {event.seq}\nevent: journal\ndata: {encode_event(event)}\n\n".encode()


def view_frame(data: str) -> bytes:
    """Return the frame that tells of new labels; ``data`` is JSON in one line."""
    return f"event: view\ndata: {data}\n\n".encode()


async def happens(news: asyncio.Event, seconds: float) -> bool:
    """Wait for an event so long at most; returns whether it came."""
    try:
        async with asyncio.timeout(seconds):
            return await news.wait()
    except TimeoutError:
        return False
