"""Turns: who asks for a lot waits for himself."""

import asyncio
import threading

import pytest

from linkwise.server.live import turns as module
from linkwise.server.live.turns import Turns
from linkwise.server.refusals import Busy


class Work:
    """Work that says when it began and lasts until it is let go."""

    def __init__(self):
        self.began, self.go = [], threading.Event()

    def __call__(self, name):
        def work():
            self.began.append(name)
            assert self.go.wait(30)
            return name

        return work


async def until(condition):
    for _ in range(3000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not happen")


def test_one_session_does_not_take_all_threads():
    async def play():
        turns, work = Turns(3, for_one=2), Work()
        greedy = [asyncio.create_task(turns.run("a", work("a"))) for _ in range(45)]
        await until(lambda: len(work.began) == 2)
        other = asyncio.create_task(turns.run("b", work("b")))
        await until(lambda: "b" in work.began)
        assert work.began.count("a") == 2
        work.go.set()
        assert await other == "b"
        assert await asyncio.gather(*greedy) == ["a"] * 45

    asyncio.run(play())


def test_sessions_take_turns():
    async def play():
        turns, order = Turns(1, for_one=1), []
        asked = [turns.run(name, lambda name=name: order.append(name)) for name in "aaaabbc"]
        await asyncio.gather(*asked)
        return order

    assert asyncio.run(play()) == ["a", "a", "b", "c", "a", "b", "a"]


def test_who_leaves_the_line_or_fails_gives_the_turn_on():
    async def play():
        turns, work = Turns(1, for_one=1), Work()
        first = asyncio.create_task(turns.run("a", work("first")))
        await until(lambda: work.began == ["first"])
        leaving = asyncio.create_task(turns.run("a", work("leaving")))
        last = asyncio.create_task(turns.run("b", work("last")))
        await asyncio.sleep(0)
        leaving.cancel()
        work.go.set()
        assert await last == "last"
        await first
        with pytest.raises(ZeroDivisionError):
            await turns.run("a", lambda: 1 // 0)
        assert await turns.run("a", work("again")) == "again"
        assert "leaving" not in work.began

    asyncio.run(play())


def test_a_line_has_an_end(monkeypatch):
    monkeypatch.setattr(module, "MOST_WAITING", 3)

    async def play():
        turns, work = Turns(1, for_one=1), Work()
        waiting = [asyncio.create_task(turns.run("a", work("a"))) for _ in range(4)]
        await until(lambda: work.began == ["a"])
        with pytest.raises(Busy, match="3 requests to this session are waiting"):
            await turns.run("a", work("a"))
        work.go.set()
        await asyncio.gather(*waiting)

    asyncio.run(play())
