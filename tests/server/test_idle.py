"""Sessions nobody uses are closed, and nobody notices."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from service_client import FLOWERS, answer, serving, tell

from linkwise.server import idle
from linkwise.server.live.jobs import Jobs, Subject
from linkwise.session import Session


@pytest.fixture
def served(root, monkeypatch):
    """Serve the flowers at a real port; nobody looks for idle sessions but the tests."""
    monkeypatch.setattr(idle, "LOOK_EVERY", 3600.0)
    with serving(root) as served, served.client() as client:
        client.get(f"{FLOWERS}/labels")
        served.loop = opened(served)["flowers"]._loop
        yield served


def opened(served):
    """Return the sessions that are open, by name."""
    return served.app.state.service.shelf._open


def close_idle(served, busy=()):
    """Close all sessions that nobody uses at this moment; returns how many."""
    closing = served.app.state.service.shelf.close_idle(0.0, busy)
    return asyncio.run_coroutine_threadsafe(closing, served.loop).result(30)


def close_when_idle(served):
    """Close the flowers as soon as the last request is over."""
    while "flowers" in opened(served):
        close_idle(served)


def state(client):
    labels = client.get(f"{FLOWERS}/labels")
    return labels.content, labels.headers["etag"], client.get(f"{FLOWERS}/history").json()


def test_a_session_that_was_closed_is_found_as_it_was(served, root):
    with served.client() as client:
        tell(client, answer(0, 1, key="k"), {"kind": "merge", "payload": {"clusters": [0, 1]}})
        before = state(client)
        close_when_idle(served)
        Session.open(root / "flowers").close()  # another process may have it now
        assert state(client) == before
        (again,) = tell(client, answer(0, 1, key="k"))
        assert (again["seq"], again["repeated"]) == (1, True)
        assert tell(client, answer(0, 2))[0]["seq"] == 3


def test_a_session_somebody_listens_to_stays_open(served):
    with served.client() as client, client.stream("GET", f"{FLOWERS}/stream") as response:
        lines = response.iter_lines()
        next(lines)
        assert close_idle(served) == 0
        lines.close()
    close_when_idle(served)  # the listener is gone


def test_a_session_a_job_is_about_stays_open(served):
    close = partial(close_idle, served, busy={"flowers"})
    assert [close() for _ in range(20)] == [0] * 20
    close_when_idle(served)


def test_jobs_tell_which_sessions_they_are_about():
    jobs, go = Jobs(), threading.Event()

    def work(progress, cancel):  # noqa: ARG001
        assert go.wait(20)
        return "flowers"

    jobs.start("computing the map", work, about=Subject("flowers", "pca"))
    jobs.start("building the ensemble", work)
    assert jobs.sessions() == {"flowers"}
    go.set()
    jobs.close()
    assert jobs.sessions() == set()


def test_no_answer_is_lost_while_the_session_is_closed_again_and_again(served):
    def write(who):
        with served.client() as client:
            return [
                tell(client, answer(who, 10 + k, key=f"{who}-{k}"))[0]["seq"] for k in range(15)
            ]

    with ThreadPoolExecutor(4) as pool:
        writing = [pool.submit(write, who) for who in range(4)]
        n_closed = 0
        while not all(one.done() for one in writing):
            n_closed += close_idle(served)
    acknowledged = sorted(seq for one in writing for seq in one.result())
    assert acknowledged == list(range(1, 61))
    assert n_closed > 0
    with served.client() as client:
        stored = client.get(f"{FLOWERS}/history").json()["events"]
    assert len({event["key"] for event in stored}) == len(stored) == 60


def test_the_service_closes_idle_sessions_by_itself(root, monkeypatch):
    monkeypatch.setattr(idle, "LOOK_EVERY", 0.05)
    monkeypatch.setattr(idle, "IDLE_SECONDS", 0.1)
    with serving(root) as served, served.client() as client:
        client.get(f"{FLOWERS}/labels")
        assert "flowers" in opened(served)
        end = time.monotonic() + 20
        while "flowers" in opened(served) and time.monotonic() < end:
            time.sleep(0.02)
        assert "flowers" not in opened(served)
        assert client.get(f"{FLOWERS}/labels").status_code == 200
