"""The stream: every event once and in order, wherever a listener resumes."""

import asyncio
import json
import threading
from itertools import islice

import pytest
from service_client import FLOWERS, answer, frames, serving, tell

from linkwise.server.live import feed


def listen(client, n, headers=None, kind="journal", **params):
    """Return the first ``n`` frames of one kind."""
    with client.stream("GET", f"{FLOWERS}/stream", params=params, headers=headers) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        wanted = (f for f in frames(response.iter_lines()) if f.get("event") == kind)
        return list(islice(wanted, n))


def seqs(found):
    return [int(frame["id"]) for frame in found]


def test_a_listener_hears_events_as_they_were_stored(served):
    with served.client() as client:
        stored = tell(client, answer(0, 1), answer(0, 2, "different"), who="Ada")
        heard = listen(client, 2, after=0)
    assert [json.loads(frame["data"]) for frame in heard] == stored
    assert seqs(heard) == [1, 2]


def test_listeners_are_counted_while_they_listen():
    async def listen_twice():
        news = feed.Feed(0, lambda after, limit: [])  # noqa: ARG005
        listeners = [news.stream(None), news.stream(None)]
        for listener in listeners:
            await anext(listener)
        counts = [news.n_listeners]
        for listener in listeners:
            await listener.aclose()
            counts.append(news.n_listeners)
        return counts

    assert asyncio.run(listen_twice()) == [2, 1, 0]


def test_a_listener_resumes_after_the_last_id_it_heard(served):
    with served.client() as client:
        tell(client, *[answer(0, j) for j in range(1, 9)])
        assert seqs(listen(client, 5, after=3)) == [4, 5, 6, 7, 8]
        assert seqs(listen(client, 2, headers={"Last-Event-ID": "6"})) == [7, 8]
        assert seqs(listen(client, 2, headers={"Last-Event-ID": "6"}, after=1)) == [7, 8]


def test_a_listener_far_behind_reads_the_journal(served, monkeypatch):
    monkeypatch.setattr(feed, "RECENT_BYTES", 1000)
    monkeypatch.setattr(feed, "PAGE", 7)
    with served.client() as client:
        for first in range(1, 41, 4):
            tell(client, *[answer(0, first + k) for k in range(4)])
        assert seqs(listen(client, 40, after=0)) == list(range(1, 41))
        assert seqs(listen(client, 3, after=37)) == [38, 39, 40]


def test_a_new_listener_is_told_where_it_starts_and_hears_what_comes(served):
    with served.client() as client:
        tell(client, answer(0, 1))
        with client.stream("GET", f"{FLOWERS}/stream") as response:
            heard = frames(response.iter_lines())
            assert next(heard) == {"retry": "1000", "id": "1"}
            with served.client() as other:
                tell(other, answer(0, 2))
            assert next(f["id"] for f in heard if f.get("event") == "journal") == "2"


def test_a_listener_who_heard_more_than_there_is_does_not_resume_in_silence(served):
    with served.client() as client:
        refused = client.get(f"{FLOWERS}/stream", headers={"Last-Event-ID": "7"})
        assert refused.status_code == 409
        assert refused.json()["error"] == (
            "there is no event 7 in this session, the last one is 0. Read its history anew."
        )


def test_new_labels_are_announced_after_the_events_they_know(served):
    with served.client() as client, client.stream("GET", f"{FLOWERS}/stream?after=0") as response:
        with served.client() as other:
            tell(other, {"kind": "merge", "payload": {"clusters": [0, 1]}})
        heard_seq = 0
        for frame in frames(response.iter_lines()):
            if frame.get("event") == "journal":
                heard_seq = int(frame["id"])
            elif frame.get("event") == "view":
                news = json.loads(frame["data"])
                assert "id" not in frame
                assert news["seq"] <= heard_seq
                if news["seq"] == 1:
                    break
        assert len(news["clusters"]) == 2
        assert news["moved"] > 0


def test_listeners_hear_everything_once_while_many_write(served):
    heard, n_clients, n_each = {}, 4, 10

    def follow(name):
        with served.client() as client:
            heard[name] = seqs(listen(client, n_clients * n_each, after=0))

    def write(k):
        with served.client() as client:
            for j in range(n_each):
                tell(client, answer(k, 10 + j, key=f"{k}-{j}"))

    with served.client() as client:
        client.get(FLOWERS)
    threads = [threading.Thread(target=follow, args=(name,)) for name in range(5)]
    threads += [threading.Thread(target=write, args=(k,)) for k in range(n_clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert heard == {name: list(range(1, n_clients * n_each + 1)) for name in range(5)}


def test_a_quiet_stream_shows_that_it_is_alive(served, monkeypatch):
    monkeypatch.setattr(feed, "HEARTBEAT", 0.05)
    with served.client() as client, client.stream("GET", f"{FLOWERS}/stream") as response:
        assert (
            next(line for line in response.iter_lines() if line.startswith(":")) == ": still here"
        )


def test_streams_end_when_the_service_stops_and_go_on_when_it_is_back(root):
    with serving(root) as served, served.client() as client:
        tell(client, answer(0, 1))
        with client.stream("GET", f"{FLOWERS}/stream?after=0") as response:
            lines = frames(response.iter_lines())
            last = next(f["id"] for f in lines if f.get("event") == "journal")
            served.server.should_exit = True
            assert [f for f in lines if f.get("event") == "journal"] == []
    with serving(root) as served, served.client() as client:
        tell(client, answer(0, 2))
        assert seqs(listen(client, 1, headers={"Last-Event-ID": last})) == [2]


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "9" * 21])
def test_an_id_that_is_none_is_refused(served, last):
    with served.client() as client:
        refused = client.get(f"{FLOWERS}/stream", headers={"Last-Event-ID": last})
    assert refused.status_code == 422
