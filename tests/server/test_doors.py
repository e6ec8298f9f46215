"""Doors: what goes out through a connection, and how long it may rest."""

import asyncio
import socket
import time

from service_client import BEARER, FLOWERS, answer, tell

from linkwise.server import doors
from linkwise.server.doors import MOST_JOINED, _Joined


class Recorded:
    """A transport that remembers what it was given."""

    def __init__(self):
        self.sent, self.is_closed = [], False

    def write(self, data):
        self.sent.append(data)

    def close(self):
        self.is_closed = True


def test_a_head_and_its_body_leave_in_one_go():
    transport, large = Recorded(), bytes(MOST_JOINED + 1)

    async def answer():
        joined = _Joined(transport, asyncio.get_running_loop())
        joined.write(b"head ")
        joined.write(b"body")
        assert transport.sent == []
        await asyncio.sleep(0)
        assert transport.sent == [b"head body"]
        joined.write(b"head ")
        joined.write(large)
        assert transport.sent[1:] == [b"head ", large]
        joined.write(b"last")
        joined.close()
        assert transport.sent[3:] == [b"last"]
        assert transport.is_closed
        await asyncio.sleep(0)

    asyncio.run(answer())
    assert transport.sent == [b"head body", b"head ", large, b"last"]


def test_a_guest_who_asks_for_nothing_is_let_go_and_one_who_listens_is_not(served, monkeypatch):
    """Both have shown a token; uvicorn itself would wait for a minute."""
    monkeypatch.setattr(doors, "GUEST_REST", 1)
    host, port = served.url.removeprefix("http://").split(":")
    head = f"Host: {host}\r\nAuthorization: {BEARER['Authorization']}\r\n\r\n"
    with (
        socket.create_connection((host, port), timeout=20) as rests,
        socket.create_connection((host, port), timeout=20) as listens,
    ):
        listens.sendall(f"GET {FLOWERS}/stream HTTP/1.1\r\n{head}".encode())
        rests.sendall(f"GET {FLOWERS} HTTP/1.1\r\n{head}".encode())
        began = time.monotonic()
        try:
            while rests.recv(4096):
                pass
        except ConnectionResetError:
            pass
        assert time.monotonic() - began < 15
        time.sleep(2)
        with served.client() as client:
            tell(client, answer(0, 1))
        heard = b""
        while b"id: 1\n" not in heard:
            piece = listens.recv(4096)
            assert piece
            heard += piece
