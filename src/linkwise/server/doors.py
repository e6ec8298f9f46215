"""Connections: how many there may be, how long they may say nothing, and who goes first.

A connection is a *stranger* until a request with a token has come through it. Strangers are few
and in a hurry: when there are too many from one address, those that have been here longest are sent
away, so that there is always room for the next, who may be the owner. But nobody is before there
was time to read their token: many who come in one moment all get in. Only when there are too many
strangers in all, the oldest goes at once. Those who showed a token stay as long as they have
something to say, and the token is good.

With HTTPS the handshake is part of this: who has connected is a stranger, greeted or not.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import OrderedDict
from ssl import SSLContext
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import get_remote_addr

from linkwise.server.keys import Holder, Keys
from linkwise.server.limits import Limits

LOOK_EVERY = 1.0
#: Seconds that a stranger has for sending a token, and that we have for reading it.
GRACE = 1.0
#: Seconds that a guest's connection may rest between two requests.
GUEST_REST = 65
#: Bytes up to which it is cheaper to copy than to send apart.
MOST_JOINED = 2**16
#: File descriptors left for sessions, files and the rest of the process.
RESERVED = 200


class Doors:
    """All connections of a service; used in the event loop only."""

    def __init__(self, limits: Limits) -> None:
        self._limits, self._most = limits, limits.strangers
        self._strangers: OrderedDict[Connection, None] = OrderedDict()
        self._guests: set[Connection] = set()
        self._by_client: dict[Any, Connection] = {}

    def make_room(self) -> None:
        """Ask the system for the descriptors that all connections need; strangers get half."""
        given = _allow_descriptors(self._limits.connections + self._limits.strangers + RESERVED)
        if given is not None:
            self._most = min(self._limits.strangers, max((given - RESERVED) // 2, 1))

    def enter(self, connection: Connection) -> None:
        """Let a new connection in, and those out for which there is no room any more."""
        self._by_client[connection.client] = connection
        self._strangers[connection] = None
        if len(self._strangers) > self._most:
            next(iter(self._strangers)).cut()
        if len(self._from(connection.address)) > self._limits.strangers_per_address:
            # a timer runs after what had come by then was read
            connection.loop.call_later(GRACE, self._make_room, connection.address)

    def leave(self, connection: Connection) -> None:
        """Forget a connection that is over."""
        self._strangers.pop(connection, None)
        self._guests.discard(connection)
        if self._by_client.get(connection.client) is connection:
            del self._by_client[connection.client]

    def welcome(self, client: object, holder: Holder) -> bool:
        """Note whose token came with a request from ``client``; returns whether there is room."""
        connection = self._by_client.get(client)
        if connection is None:
            return True
        connection.holder = holder
        if connection in self._guests:
            return True
        if len(self._guests) >= self._limits.connections:
            return False
        self._strangers.pop(connection, None)
        self._guests.add(connection)
        return True

    def _from(self, address: str) -> list[Connection]:
        """Return the strangers from one address, the oldest first."""
        return [one for one in self._strangers if one.address == address]

    def _make_room(self, address: str) -> None:
        """Let those go who are too many from one address and had their time."""
        here, now = self._from(address), time.monotonic()
        for one in here[: max(len(here) - self._limits.strangers_per_address, 0)]:
            if one.had_time(now):
                one.cut()

    async def watch(self, ending: asyncio.Event, keys: Keys) -> None:
        """Cut connections now and then, until the service ends: late ones, and void tokens'."""
        while not ending.is_set():
            now, holders = time.monotonic(), keys.holders()
            for connection in [*self._strangers, *self._guests]:
                is_guest = connection in self._guests
                rest = GUEST_REST if is_guest else self._limits.head_seconds
                is_void = is_guest and connection.holder not in holders
                if is_void or connection.is_late(now, rest, self._limits.body_seconds):
                    connection.cut()
            for address in {one.address for one in self._strangers}:
                self._make_room(address)
            try:
                async with asyncio.timeout(LOOK_EVERY):
                    await ending.wait()
            except TimeoutError:
                continue


class Connection(H11Protocol):
    """One connection: uvicorn's, and when it was last heard of."""

    address: str
    holder: Holder | None = None

    def __init__(self, *, doors: Doors, https: SSLContext | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._doors, self._https = doors, https
        self._rests_since = self._heard = self._came = time.monotonic()
        self._asked: float | None = None
        self._greeting: asyncio.Task[None] | None = None
        self._early = bytearray()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the place that the doors have, then begin; with HTTPS, by shaking hands."""
        self.transport, self.client = transport, get_remote_addr(transport)
        self.address = self.client[0] if self.client else ""
        self._doors.enter(self)
        if self._https is None:
            self._begin(transport)
        else:
            transport.pause_reading()  # what comes now is for the one who shakes hands
            self._greeting = self.loop.create_task(self._greet(transport, self._https))

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        self._doors.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Note that something came."""
        self._heard = time.monotonic()
        if self.flow is None:  # hands were shaken just now, and we have not begun
            self._early += data
            return
        super().data_received(data)
        if self._asked is None and self.cycle is not None:
            self._asked = self._heard

    def _begin(self, transport: asyncio.Transport) -> None:
        super().connection_made(_Joined(transport, self.loop))  # type: ignore[arg-type]

    async def _greet(self, transport: asyncio.Transport, https: SSLContext) -> None:
        """Shake hands; whoever takes too long for it is late, as with a head."""
        try:
            secure = await self.loop.start_tls(transport, self, https, server_side=True)
        except OSError:  # they left, were cut, or speak something else
            self._doors.leave(self)
            return
        if secure is None or secure.is_closing():
            return
        self._begin(secure)
        if self._early:
            early, self._early = bytes(self._early), bytearray()
            self.data_received(early)

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        self._rests_since = self._heard = time.monotonic()
        super().on_response_complete()

    def is_late(self, now: float, rest: float, body: float) -> bool:
        """Tell whether a request did not come in time: its head as a whole, its body in steps."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            return now - self._rests_since > rest
        return cycle.more_body and not self.flow.read_paused and now - self._heard > body

    def had_time(self, now: float) -> bool:
        """Tell whether there was time to ask for something, and to be answered once."""
        return now - (self._asked or self._came) >= GRACE

    def cut(self) -> None:
        """End it at once."""
        self._doors.leave(self)
        self.transport.abort()


class _Joined:
    """A transport that sends what is written in one go: the head of an answer and its body."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send this with what else is written before the event loop goes on."""
        if not self._parts:
            self._loop.call_soon(self._send)
        self._parts.append(data)
        if len(data) > MOST_JOINED:
            self._send()

    def close(self) -> None:
        """Close it when all is sent."""
        self._send()
        self._transport.close()

    def _send(self) -> None:
        parts, self._parts = self._parts, []
        if sum(map(len, parts)) <= MOST_JOINED:
            parts = [b"".join(parts)]
        for part in filter(None, parts):
            self._transport.write(part)


def _allow_descriptors(wanted: int) -> int | None:
    """Allow this process so many descriptors, as far as the system lets; returns how many it has.

    None where that is not known, or where there is no limit.
    """
    if os.name != "posix":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return None if soft == resource.RLIM_INFINITY else soft
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most
