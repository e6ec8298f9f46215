"""Doors: what goes out through a connection."""

import asyncio

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
