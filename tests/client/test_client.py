"""Everything the service offers can be called, typed, and survives a bad connection."""

import asyncio
import inspect
import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from threading import Event as Flag
from threading import Thread

import httpx
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from service_client import TOKEN
from sklearn.datasets import load_iris

from linkwise import client as package
from linkwise.client import AsyncClient, Client, Event, News, ServiceError, Unreachable
from linkwise.client.sending import Patience
from linkwise.errors import InvalidInput, MissingExtra
from linkwise.session import Session

DOCUMENT = json.loads((Path(__file__).parents[2] / "web" / "openapi.json").read_text("utf-8"))
OPERATIONS = {
    told["operationId"]: told for path in DOCUMENT["paths"].values() for told in path.values()
}
HERE = "http://127.0.0.1:1"


# What it offers


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_every_operation_of_the_document_is_a_method(kind):
    assert set(OPERATIONS) <= set(dir(kind))


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_every_parameter_of_an_operation_can_be_given(name):
    known = {one["name"] for one in OPERATIONS[name].get("parameters", ()) if one["in"] != "header"}
    known -= {"since"} if name == "labels" else set()  # changed_labels has it
    taken = set(inspect.signature(getattr(Client, name)).parameters)
    assert {"row" if one == "i" else one for one in known} <= taken


def test_both_clients_have_the_same_methods():
    def signatures(kind):
        return {
            name: str(inspect.signature(method)).replace("AsyncIterator", "Iterator")
            for name, method in vars(kind).items()
            if inspect.isfunction(method) and not name.startswith("_") and "close" not in name
        }

    assert signatures(Client) == signatures(AsyncClient)


@pytest.mark.parametrize(
    "name", sorted(set(package.__all__) & {*DOCUMENT["components"]["schemas"], "News"})
)
def test_messages_have_the_fields_of_their_schemas(name):
    schema = DOCUMENT["components"]["schemas"]["ViewNews" if name == "News" else name]
    assert {part.name for part in fields(getattr(package, name))} == set(schema["properties"])


# A service at work


def test_a_session_is_begun_answered_and_put_away(client):
    job = client.begin_session("petals", 3, bundled="iris")
    done = client.wait_for(job)
    assert done.state == "done", done.error
    name = done.result.session
    assert {one.id for one in client.list_sessions()} >= {"flowers", name}
    client.remove_session(name)
    with pytest.raises(ServiceError) as caught:
        client.get_session(name)
    assert (str(caught.value), caught.value.status) == (f"there is no session {name}.", 404)
    assert client.health().status == "ok"
    assert client.cancel_job(job).state == "done"
    assert client.list_files() == []


def test_what_is_sent_is_what_the_session_hears(client):
    start = client.get_session("flowers").seq
    before = client.labels("flowers")
    event = client.answer("flowers", 0, "60", "different", who="ann")
    assert (event.payload["i"], event.payload["j"], event.who) == (0, 60, "ann")
    many = client.answer_many("flowers", [(0, 1, "same"), (2, 3, "same")], who="bob")
    assert [e.seq for e in many] == [start + 2, start + 3]
    merged = client.say("flowers", "merge", {"clusters": [0, 1]})
    after = client.labels("flowers")
    change = client.changed_labels("flowers", before.seq)
    assert after.seq == change.seq == merged.seq
    rows = np.flatnonzero(before.values != after.values)
    assert_array_equal(change.rows, rows)
    assert_array_equal(change.labels, after.values[rows])
    client.undo("flowers", merged.seq)
    history = client.history("flowers", after=start, limit=2)
    assert [e.seq for e in history.events] == [start + 1, start + 2]
    assert history.seq == start + 5
    assert {p.who for p in client.people("flowers").people} >= {"ann", "bob"}
    assert client.tell("flowers", []) == []


def test_everything_there_is_to_see_is_read(client):
    detail = client.get_session("flowers")
    assert (detail.n_rows, detail.columns[0].type) == (150, "number")
    assert client.margins("flowers").values.max() <= 1
    assert sum(cluster.size for cluster in client.clusters("flowers")) == 150
    assert client.layout("flowers").shape == (150, 2)
    assert client.on_map("flowers").tolist() == list(range(150))
    assert client.wait_for(client.begin_layout("flowers", "neighbours")).state == "done"
    assert [row.row for row in client.rows("flowers", [7, 3])] == [7, 3]
    asked = client.questions("flowers", 3, who="ann", skip=[(0, 1)])
    others = client.questions("flowers", 3, who="bob", overlap=0.0)
    assert not {(q.i, q.j) for q in asked} & {(q.i, q.j) for q in others}
    assert client.questions("flowers", 3, who="cy", formerly="bob") == others
    assert isinstance(client.conflicts("flowers"), list)
    assert isinstance(client.suspects("flowers"), list)
    assert client.progress("flowers").hint
    assert "session.replay" in client.recipe("flowers")
    exported = client.export("flowers", "labels")
    assert exported.media_type == "text/csv"
    assert exported.content.count(b"\n") == 151
    upload = client.upload_file("a.csv", b"x,y\n1,2\n3,4\n5,9\n")
    assert [column.name for column in upload.columns] == ["x", "y"]
    with pytest.raises(ServiceError, match="have no pictures"):
        client.image("flowers", 0)


def test_the_async_client_does_the_same(served):
    async def work():
        async with AsyncClient(served.url, TOKEN) as client:
            event = await client.answer("flowers", 10, 11, "same", who="eve")
            found = await asyncio.gather(client.labels("flowers"), client.history("flowers"))
            heard = await anext(client.stream("flowers", after=event.seq - 1))
            return event, *found, heard

    event, labels, history, heard = asyncio.run(work())
    assert len(labels.values) == 150
    assert event.seq <= history.seq
    assert heard == event


def test_a_wrong_token_is_refused_in_the_words_of_the_service(served):
    with Client(served.url, "another-token-0123456789") as client:
        with pytest.raises(ServiceError) as caught:
            client.list_sessions()
        assert caught.value.status == 401


# A bad connection


def answering(*answers, tries=5):
    """Return a client whose requests are answered in turn, and the requests it sent."""
    waiting, sent = list(answers), []

    def handle(request):
        sent.append(request)
        answer = waiting.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    client = Client(HERE, TOKEN, tries=tries)
    client._http = httpx.Client(base_url=HERE, transport=httpx.MockTransport(handle))
    return client, sent


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    """Do not wait before trying again; how long it would be is tested by itself."""
    monkeypatch.setattr(Patience, "wait", lambda *_: 0.0)


def stored(request):
    told = json.loads(request.content)["events"]
    return [
        {
            "seq": 1,
            "kind": new["kind"],
            "payload": new["payload"],
            "who": "",
            "when": "",
            "key": new["key"],
            "undone_by": None,
            "repeated": False,
        }
        for new in told
    ]


def test_an_event_is_sent_again_with_the_same_key():
    client, sent = answering()
    answers = [httpx.ReadTimeout("slow"), httpx.Response(503, json={"error": "the disk is full."})]

    def handle(request):
        sent.append(request)
        if answers:
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        return httpx.Response(200, json={"events": stored(request)})

    client._http = httpx.Client(base_url=HERE, transport=httpx.MockTransport(handle))
    client.answer("s", 0, 1, "same")
    keys = [json.loads(request.content)["events"][0]["key"] for request in sent]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert len(keys[0]) >= 16


def test_what_would_happen_twice_is_not_sent_again():
    client, sent = answering(httpx.ReadTimeout("slow"))
    with pytest.raises(Unreachable, match=r"http://127.0.0.1:1 does not answer: slow\."):
        client.begin_session("new", 3, bundled="iris")
    assert len(sent) == 1
    client, sent = answering(httpx.ConnectError("no"), httpx.Response(202, json={"job": "j1"}))
    assert client.begin_session("new", 3, bundled="iris") == "j1"
    assert len(sent) == 2


def test_patience_ends():
    client, sent = answering(*[httpx.ConnectError("refused")] * 3, tries=3)
    with pytest.raises(Unreachable):
        client.health()
    assert len(sent) == 3
    client, _ = answering(*[httpx.Response(503, json={"error": "no room."})] * 2, tries=2)
    with pytest.raises(ServiceError, match="no room"):
        client.health()
    client, _ = answering(httpx.Response(500, text="oops"))
    with pytest.raises(ServiceError, match="the service answered 500 Internal Server Error"):
        client.health()


def test_waits_grow_and_the_service_may_tell_them(monkeypatch):
    monkeypatch.undo()
    patience = Patience()
    assert 0.1 <= patience.wait(1) <= 0.2
    assert patience.wait(20) <= 5.0
    assert patience.wait(1, {"retry-after": "7"}) == 7.0


def frame(seq):
    event = {"seq": seq, "kind": "undo", "payload": {"event": 1}, "who": "", "when": "now"}
    event |= {"key": None, "undone_by": None, "repeated": False}
    return f"id: {seq}\nevent: journal\ndata: {json.dumps(event)}\n\n"


def test_a_stream_resumes_behind_the_last_event_it_heard():
    news = 'event: view\ndata: {"seq": 5, "moved": 0, "clusters": [], "more": 1}\n\n'
    cut = frame(7)[:-20]
    client, sent = answering(
        httpx.Response(200, text="retry: 1000\nid: 4\n\n" + frame(5) + news + ": still here\n\n"),
        httpx.ReadError("gone"),
        httpx.Response(200, text=frame(6) + cut),
        httpx.Response(503, json={"error": "later."}),
        httpx.Response(200, text=frame(7)),
        httpx.Response(404, json={"error": "there is no session s."}),
    )
    stream = client.stream("s")
    heard = [next(stream) for _ in range(4)]
    with pytest.raises(ServiceError, match="there is no session s"):
        next(stream)
    assert [one.seq for one in heard if isinstance(one, Event)] == [5, 6, 7]
    assert [one for one in heard if isinstance(one, News)] == [News(5, 0, [])]
    resumed = [request.headers.get("last-event-id") for request in sent]
    assert resumed == [None, "5", "5", "6", "6", "7"]


def test_a_stream_that_nobody_serves_ends_with_a_sentence():
    client, _ = answering(*[httpx.ConnectError("refused")] * 2, tries=2)
    with pytest.raises(Unreachable, match="does not answer: refused"):
        next(client.stream("s"))


def test_events_are_heard_as_they_are_stored(served, client):
    start, heard, ready = client.get_session("flowers").seq, [], Flag()

    def listen():
        with Client(served.url, TOKEN) as other:
            for one in other.stream("flowers", after=start):
                ready.set()
                if isinstance(one, Event):
                    heard.append(one.seq)
                if len(heard) == 3:
                    return

    listener = Thread(target=listen)
    listener.start()
    client.answer_many("flowers", [(20, 21, "same"), (22, 23, "same"), (24, 25, "same")])
    listener.join(30)
    assert heard == [start + 1, start + 2, start + 3]


# Around it


@pytest.mark.parametrize("url", ["127.0.0.1:8321", "ftp://x", ""])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(InvalidInput, match="expected an address such as"):
        Client(url, TOKEN)


def test_an_empty_token_is_refused():
    with pytest.raises(InvalidInput, match="token is empty"):
        Client(HERE, "")


def test_without_httpx_there_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtra) as caught:
        Client(HERE, TOKEN)
    assert str(caught.value) == 'linkwise.client needs httpx: pip install "linkwise[client]"'


def test_the_client_loads_neither_models_nor_the_service():
    code = (
        "import sys; import linkwise.client; "
        "print([m for m in ('numba', 'sklearn', 'scipy', 'fastapi') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_session_on_disk_holds_what_was_acknowledged(tmp_path):
    from service_client import serving

    X, _ = load_iris(return_X_y=True)
    Session.create(tmp_path / "flowers", X, 3, name="flowers", n_partitions=10).close()
    with serving(tmp_path) as service, Client(service.url, TOKEN) as client:
        seq = client.answer("flowers", 3, 4, "same", who="ann").seq
    with Session.open(tmp_path / "flowers") as session:
        assert session.history()[seq - 1].who == "ann"
