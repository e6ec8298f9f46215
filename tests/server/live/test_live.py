"""Live sessions: the labels follow, whatever happens meanwhile."""

import asyncio
import json
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from service_client import FLOWERS, TOKEN, answer, calling, tell
from threadpoolctl import ThreadpoolController

from linkwise import SequentialClustering
from linkwise.cluster.sequential.follow import Proposal
from linkwise.errors import InvalidInput
from linkwise.server.app import create_app
from linkwise.server.live import session as session_module
from linkwise.session import Entry, Weighed

ANSWER = {"i": 0, "j": 1, "verdict": "same"}


def test_answers_are_stored_while_labels_are_computed_and_share_the_next_computation(
    client, monkeypatch
):
    client.get(f"{FLOWERS}/labels")
    compute, begun, go, computed = client.flowers.view, threading.Event(), threading.Event(), []

    def slow(at=None):
        begun.set()
        assert go.wait(20)
        view = compute(at)
        computed.append(view.seq)
        return view

    monkeypatch.setattr(client.flowers, "view", slow)
    tell(client, answer(0, 1))
    assert begun.wait(10)
    for j in range(2, 12):
        tell(client, answer(0, j))  # none of them waits for the labels
    go.set()
    assert client.get(f"{FLOWERS}/labels").headers["x-linkwise-seq"] == "11"
    assert len(computed) <= 2


def blas_threads():
    libraries = ThreadpoolController().select(user_api="blas").info()
    return {library["num_threads"] for library in libraries}


def test_threads_of_blas_do_not_spin_between_computations(root):
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        if blas_threads() != {2}:
            pytest.skip("this BLAS does not take two threads")
        with calling(create_app(root, token=TOKEN)) as client:
            tell(client, answer(0, 1))
            assert client.get(f"{FLOWERS}/labels").headers["x-linkwise-seq"] == "1"
            assert blas_threads() == {1}
        assert blas_threads() == {2}


def flood(client, monkeypatch):
    """Store more answers during a computation than a person could; returns what was computed."""
    client.get(f"{FLOWERS}/labels")
    compute, computed = client.flowers.view, []

    def meanwhile(at=None):
        view = compute(at)
        if not computed:
            said = [Entry("answer", {"i": 0, "j": j, "verdict": "same"}) for j in range(1, 31)]
            client.flowers.append(said)
        computed.append(view.seq)
        return view

    monkeypatch.setattr(client.flowers, "view", meanwhile)
    tell(client, answer(40, 41))
    return computed


def become(found, wanted, seconds=10):
    end = time.monotonic() + seconds
    while found != wanted and time.monotonic() < end:
        time.sleep(0.02)
    return found == wanted


def test_in_a_flood_of_answers_labels_wait_until_somebody_looks(client, monkeypatch):
    computed = flood(client, monkeypatch)
    assert not become(computed, [1, 31], seconds=2)
    assert client.get(f"{FLOWERS}/labels").headers["x-linkwise-seq"] == "31"
    assert computed == [1, 31]


def test_in_a_flood_of_answers_labels_that_nobody_looks_at_are_computed_after_a_while(
    client, monkeypatch
):
    monkeypatch.setattr(session_module, "UNSEEN_REST", 0.5)
    assert become(flood(client, monkeypatch), [1, 31])


def test_in_a_flood_of_answers_listeners_hear_of_labels_soon(client, monkeypatch):
    client.get(f"{FLOWERS}/labels")
    live = client.app.state.service.shelf._open["flowers"]
    monkeypatch.setattr(live._feed, "n_listeners", 1)
    assert become(flood(client, monkeypatch), [1, 31])


def test_the_number_of_clusters_follows_the_answers_by_itself(root):
    about = root / "flowers" / "session.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | {"follows": True}))
    said = [answer(0, k) for k in range(1, 8)]
    with calling(create_app(root, token=TOKEN)) as client:
        assert client.get(f"{FLOWERS}/number").json()["follows"]
        client.flowers.weigh = lambda: Weighed(7, Proposal(2, "two kinds", 9.0))
        tell(client, *said)
        deadline = time.monotonic() + 60
        while client.flowers.seq == len(said) and time.monotonic() < deadline:
            time.sleep(0.02)
        history = client.get(f"{FLOWERS}/history").json()["events"]
        (event,) = [event for event in history if event["kind"] != "answer"]  # among them, or after
        assert (event["who"], event["payload"]) == ("linkwise", {"n_clusters": 2, "new": []})
        assert client.get(FLOWERS).json()["n_clusters"] == 2
        tell(client, {"kind": "undo", "payload": {"event": event["seq"]}})
        assert client.get(f"{FLOWERS}/number").json()["follows"] is False


def test_nobody_waits_for_a_look_and_a_look_waits_for_labels(client, monkeypatch):
    begun, go, looks = threading.Event(), threading.Event(), []
    weigh_k = SequentialClustering.weigh_k

    def slow(model, links, labels):
        begun.set()
        assert go.wait(20)
        looks.append(links.n_links)
        return weigh_k(model, links, labels)

    monkeypatch.setattr(SequentialClustering, "weigh_k", slow)
    tell(client, *(answer(0, k) for k in range(1, 26)))
    first = client.get(f"{FLOWERS}/number").json()
    assert (first["pending"], first["proposal"], first["fits"]) == (True, None, True)
    assert begun.wait(20)
    tell(client, answer(30, 31))
    assert client.get(f"{FLOWERS}/labels").headers["x-linkwise-seq"] == "26"  # not held up
    assert client.get(f"{FLOWERS}/number").json()["pending"]
    go.set()
    deadline = time.monotonic() + 60
    while client.get(f"{FLOWERS}/number").json()["pending"] and time.monotonic() < deadline:
        time.sleep(0.02)
    assert looks == [20, 25]  # by the answers there were then


def test_nothing_is_looked_at_where_nobody_asks(client, monkeypatch):
    looked = threading.Event()
    client.get(f"{FLOWERS}/labels")
    monkeypatch.setattr(client.flowers, "weigh", looked.set)
    tell(client, *(answer(0, k) for k in range(1, 26)))
    client.get(f"{FLOWERS}/labels")
    assert not looked.wait(0.3)


def test_labels_that_could_not_be_computed_are_tried_again(client, monkeypatch):
    client.get(f"{FLOWERS}/labels")

    def fail(at=None):  # noqa: ARG001
        raise MemoryError("not enough")

    with monkeypatch.context() as patch:
        patch.setattr(client.flowers, "view", fail)
        tell(client, answer(0, 1))
        assert client.get(f"{FLOWERS}/labels").status_code == 500
        assert client.get(f"{FLOWERS}/labels?at_least=0").status_code == 200
    found = client.get(f"{FLOWERS}/labels")
    if found.status_code == 500:  # the second try may have begun before the cure
        found = client.get(f"{FLOWERS}/labels")
    assert found.headers["x-linkwise-seq"] == "1"


def test_old_labels_are_computed_again_when_they_are_not_at_hand(client):
    first = client.get(f"{FLOWERS}/labels").content
    for event in ({"kind": "merge", "payload": {"clusters": [0, 1]}}, answer(0, 149)):
        tell(client, event)
        client.get(f"{FLOWERS}/labels")
    live = client.app.state.service.shelf._open["flowers"]
    live._shown.clear()
    found = client.get(f"{FLOWERS}/labels?since=0")
    n = int(found.headers["x-linkwise-rows"])
    now = np.frombuffer(client.get(f"{FLOWERS}/labels").content, np.uint8)
    changed = np.flatnonzero(np.frombuffer(first, np.uint8) != now)
    np.testing.assert_array_equal(np.frombuffer(found.content[: 4 * n], "<u4"), changed)


def test_many_who_look_back_hold_up_nobody_else(client, monkeypatch):
    tell(client, *[answer(0, k) for k in range(1, 51)])
    assert client.get(f"{FLOWERS}/labels").status_code == 200
    view, go = client.flowers.view, threading.Event()

    def slowly(at=None):
        assert at is None or go.wait(60)
        return view(at)

    monkeypatch.setattr(client.flowers, "view", slowly)
    found = []

    def look_back(seq):
        found.append(client.get(f"{FLOWERS}/labels", params={"since": seq}).status_code)

    lookers = [threading.Thread(target=look_back, args=(seq,)) for seq in range(1, 46)]
    for looker in lookers:
        looker.start()
    try:
        for path in ("history", "questions", "rows?rows=1", "labels", "progress"):
            assert client.get(f"{FLOWERS}/{path}").status_code == 200
        assert found == []
    finally:
        go.set()
        for looker in lookers:
            looker.join()
    assert found == [200] * 45


@pytest.mark.parametrize(("way", "taken_by"), [("import", "import_"), ("rows", "extend")])
def test_many_who_send_files_to_a_session_hold_up_nobody_else(client, monkeypatch, way, taken_by):
    sent = client.post("/api/uploads", params={"name": "x.csv"}, content=b"i,j\n1,2\n").json()
    client.get(f"{FLOWERS}/labels")
    go, found = threading.Event(), []

    def slowly(path, **options):  # noqa: ARG001
        assert go.wait(60)
        raise InvalidInput("it was slow.")

    monkeypatch.setattr(client.flowers, taken_by, slowly)

    def send():
        wanted = {"upload": sent["upload"]}
        found.append(client.post(f"{FLOWERS}/{way}", json=wanted).status_code)

    senders = [threading.Thread(target=send) for _ in range(45)]
    for sender in senders:
        sender.start()
    try:
        for path in ("history", "questions", "rows?rows=1", "labels", "progress"):
            assert client.get(f"{FLOWERS}/{path}").status_code == 200
        assert found == []
    finally:
        go.set()
        for sender in senders:
            sender.join()
    assert found == [422] * 45


def test_answers_that_are_stored_together_wake_the_loop_once(client, monkeypatch):
    client.get(f"{FLOWERS}/labels")
    live = client.app.state.service.shelf._open["flowers"]
    rings, heard = [], []
    monkeypatch.setattr(live, "_loop", SimpleNamespace(call_soon_threadsafe=rings.append))
    for number in range(5):
        live._tell(heard.append, number)
    assert len(rings) == 1
    rings[0]()
    assert heard == [0, 1, 2, 3, 4]
    live._tell(heard.append, 5)
    assert len(rings) == 2
    rings[1]()


def test_who_leaves_before_the_answer_is_stored_takes_nothing_back(client):
    client.get(f"{FLOWERS}/labels")
    live = client.app.state.service.shelf._open["flowers"]

    async def leave():
        waiting = asyncio.ensure_future(live.append([Entry("answer", ANSWER)]))
        await asyncio.sleep(0)
        waiting.cancel()

    client._portal.call(leave)
    tell(client, answer(2, 3))
    said = client.get(f"{FLOWERS}/history").json()["events"]
    assert [event["payload"]["i"] for event in said] == [0, 2]
