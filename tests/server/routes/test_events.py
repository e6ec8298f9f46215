"""Events: told in batches, stored once, read in order."""

import json
import re

import numpy as np
import pytest
from service_client import FLOWERS, TOKEN, answer, calling, tell

from linkwise.server.app import create_app
from linkwise.server.limits import Limits
from linkwise.session import Columns, Session


def test_an_event_comes_back_as_it_was_stored(client):
    client.get(f"{FLOWERS}/labels")  # an answer is compared with the labels that are ready
    (event,) = tell(client, answer(0, 60, "different", key="k1"), who="Ada")
    assert event["seq"] == 1
    assert event["kind"] == "answer"
    assert event["payload"] == {"i": 0, "j": 60, "verdict": "different", "guess": "different"}
    assert (event["who"], event["key"]) == ("Ada", "k1")
    assert (event["undone_by"], event["repeated"]) == (None, False)
    assert event["when"].startswith("20")


@pytest.mark.parametrize("sent", ["same", None])
def test_a_guess_that_is_sent_is_taken_and_not_believed(client, sent):
    client.get(f"{FLOWERS}/labels")
    told = answer(0, 60, "different")
    told["payload"]["guess"] = sent
    (event,) = tell(client, told)
    assert event["payload"]["guess"] == "different"


def test_all_kinds_of_events_are_stored(client):
    told = [
        answer(0, 1),
        {"kind": "label", "payload": {"rows": [2, 3], "name": "setosa"}},
        {"kind": "together", "payload": {"rows": [4, 5, 6]}},
        {"kind": "undo", "payload": {"event": 1}},
        {"kind": "rename", "payload": {"cluster": 0, "name": "first"}},
        {"kind": "merge", "payload": {"clusters": [0, 1]}},
        {"kind": "split", "payload": {"cluster": 2, "rows": None}},
        {"kind": "recluster", "payload": {"n_clusters": 4}},
        {"kind": "nowhere", "payload": {"rows": [5]}},
    ]
    stored = [tell(client, event)[0] for event in told]
    assert [event["kind"] for event in stored] == [event["kind"] for event in told]
    assert [event["seq"] for event in stored] == list(range(1, 10))
    history = client.get(f"{FLOWERS}/history").json()
    assert history["seq"] == 9
    assert history["events"][0]["undone_by"] == 4


def test_the_number_of_clusters_and_rows_in_none_are_told(client):
    found = client.get(f"{FLOWERS}/number").json()
    assert found == {
        "n_clusters": 3,
        "follows": False,
        "proposal": None,
        "reason": None,
        "fits": True,
        "pending": False,
    }
    far = client.get(f"{FLOWERS}/outliers", params={"share": 0.02}).json()
    assert len(far) == 3
    tell(client, {"kind": "nowhere", "payload": {"rows": far}})
    tell(client, {"kind": "recluster", "payload": {"n_clusters": 4}})
    assert client.get(f"{FLOWERS}/number").json()["n_clusters"] == 4
    labels = np.frombuffer(client.get(f"{FLOWERS}/labels").content, dtype=np.uint8)
    assert np.flatnonzero(labels == 255).tolist() == sorted(far)
    last = client.get(f"{FLOWERS}/clusters").json()[-1]
    assert (last["number"], last["name"], last["size"]) == (255, "nowhere", 3)


def test_a_retry_with_the_same_key_is_one_event(client):
    (first,) = tell(client, answer(0, 1, key="once"))
    (again,) = tell(client, answer(0, 1, key="once"))
    assert again == {**first, "repeated": True}
    assert client.get(f"{FLOWERS}/history").json()["seq"] == 1


def test_a_batch_may_repeat_some_events_and_add_others(client):
    tell(client, answer(0, 1, key="a"))
    events = tell(client, answer(0, 1, key="a"), answer(0, 2, key="b"))
    assert [(event["seq"], event["repeated"]) for event in events] == [(1, True), (2, False)]


def test_a_key_used_for_something_else_is_a_conflict_and_nothing_is_stored(client):
    tell(client, answer(0, 1, key="a"))
    refusal = tell(client, answer(0, 2, key="b"), answer(5, 6, key="a"), code=409)
    assert "'a'" in refusal
    assert client.get(f"{FLOWERS}/history").json()["seq"] == 1


def test_a_batch_with_one_wrong_event_stores_nothing(client):
    refusal = tell(client, answer(0, 1), answer(0, 150), code=422)
    assert refusal == "answer: j is 150, outside the 150 rows (0 to 149)."
    assert client.get(f"{FLOWERS}/history").json() == {"events": [], "seq": 0}


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"events": []}, "events: list should have at least 1 item after validation, not 0."),
        ({}, "events: field required."),
        (
            {"events": [answer(0, 1)] * 1001},
            "at most 1,000 events are taken at once, got 1,001.",
        ),
        (
            {"events": [answer(0, "x")]},
            "'x' is not a row: rows go by their number, 0 to 149.",
        ),
        (
            {"events": [answer(0, 1, "maybe")]},
            "events.0.payload.verdict: input should be 'same', 'different' or 'unsure'.",
        ),
        (
            {"events": [{**answer(0, 1), "extra": 1}]},
            "events.0.extra: extra inputs are not permitted.",
        ),
        (
            {"events": [{"kind": "together", "payload": {"rows": [0] * 100_001}}]},
            "at most 100,000 rows are taken at once, got 100,001.",
        ),
        (
            {"events": [answer(0, 1)], "who": "x" * 201},
            "who: string should have at most 200 characters.",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_message_of_the_wrong_shape_is_refused_with_a_sentence(client, body, sentence):
    refused = client.post(f"{FLOWERS}/events", json=body)
    assert refused.status_code == 422
    assert refused.json() == {"error": sentence}


def test_what_is_not_json_is_refused(client):
    headers = {"Content-Type": "application/json"}
    for body in (b"", b"{", b"\xff\xfe", b'{"events": NaN}', b"[" * 100_000):
        refused = client.post(f"{FLOWERS}/events", content=body, headers=headers)
        assert refused.status_code in (400, 422), body[:20]
        assert set(refused.json()) == {"error"}
    assert refused.json() == {"error": "the body is not JSON that can be read."}


def test_history_is_read_in_pages(client):
    tell(client, *[answer(0, j) for j in range(1, 11)])
    page = client.get(f"{FLOWERS}/history", params={"after": 3, "limit": 4}).json()
    assert [event["seq"] for event in page["events"]] == [4, 5, 6, 7]
    assert page["seq"] == 10
    rest = client.get(f"{FLOWERS}/history", params={"after": 10}).json()
    assert rest["events"] == []


def test_a_session_that_is_not_there_is_not_found(client):
    for name in ("nothing", "a" * 80):
        refused = client.get(f"/api/sessions/{name}/history")
        assert refused.status_code == 404
        assert refused.json() == {"error": f"there is no session {name}."}


@pytest.mark.parametrize("name", ["..", "%2e%2e", ".uploads", "a%2fb", "A", "a%00", "a" * 81])
def test_a_name_that_could_be_a_path_is_no_session(client, name):
    assert client.get(f"/api/sessions/{name}/history").status_code in (404, 422)


def test_rows_go_by_id_and_people_are_compared(tmp_path):
    lines = [f"{name},{k // 6 * 9 + k % 6 * 0.1}" for k, name in enumerate("abcdefghijkl")]
    (tmp_path / "people.csv").write_text("name,height\n" + "\n".join(lines) + "\n")
    root, columns = tmp_path / "root", Columns(id="name")
    Session.create(
        root / "people", tmp_path / "people.csv", 2, columns=columns, n_partitions=10
    ).close()
    with calling(create_app(root, token=TOKEN)) as client:
        here = "/api/sessions/people"
        for who in ("ann", "bob"):
            body = {"who": who, "events": [answer("a", "c"), answer(1, "l", "different")]}
            told = client.post(f"{here}/events", json=body).json()["events"]
            assert [(e["payload"]["i"], e["payload"]["j"]) for e in told] == [(0, 2), (1, 11)]
        people = client.get(f"{here}/people").json()
        agreement = {"first": "ann", "second": "bob", "compared": 2, "agreed": 2}
        assert people["agreements"] == [agreement]
        shown = client.get(f"{here}/rows?rows=3&id=l&id=a").json()
        assert [row["id"] for row in shown] == ["d", "l", "a"]
        unknown = client.post(f"{here}/events", json={"events": [answer("a", "nobody")]})
        assert unknown.json() == {"error": "no row is called 'nobody'."}
        asked = [
            {(q["i"], q["j"]) for q in client.get(f"{here}/questions?n=3&who={who}").json()}
            for who in ("ann", "bob")
        ]
        assert not asked[0] & asked[1]
        links = client.get(f"{here}/export?what=links").text
        assert links == "i,j,kind,weight\r\na,c,must,2.0\r\nb,l,cannot,2.0\r\n"


def test_clusters_cannot_be_split_without_end(client, monkeypatch):
    split = {"kind": "split", "payload": {"cluster": 0, "rows": None}}
    service = client.app.state.service
    monkeypatch.setitem(service.__dict__, "limits", Limits(clusters=4))
    tell(client, split)
    refused = tell(client, split, code=422)
    assert refused == (
        "there were 4 clusters so far, undone and merged ones counted, and this service takes 4 at "
        "most. Start it with --limit clusters=N for more."
    )
    tell(client, answer(0, 1))


SAID = {"i": 0, "j": 1, "verdict": "same"}


@pytest.mark.parametrize(
    "events",
    [
        [{"kind": "answer", "payload": SAID}],
        [{"kind": "answer", "payload": {"i": 3.0, "j": 4, "verdict": "unsure"}, "key": "é"}],
        [{"kind": "answer", "payload": SAID | {"guess": "same"}}, {"kind": "undo"}],
        [{"kind": "answer", "payload": SAID | {"i": True}}],
        [{"kind": "answer", "payload": SAID | {"i": "0"}}],
        [{"kind": "answer", "payload": SAID | {"i": 0.5}}],
        [{"kind": "answer", "payload": SAID | {f"x{k}": k for k in range(20)}}],
        [{"kind": "label", "payload": {"rows": [2, 1.0, 2], "name": "a"}}],
        [{"kind": "nonsense", "payload": {}}],
        [],
        None,
        7,
    ],
    ids=str,
)
def test_the_short_way_of_answers_ends_where_the_long_one_does(client, events):
    sent, told = json.dumps({"events": events, "who": "ann"}).encode(), []
    for kind in ("application/json", "application/json; charset=utf-8"):
        reply = client.post(f"{FLOWERS}/events", content=sent, headers={"Content-Type": kind})
        same = re.sub(r'"(seq|when|guess)":("[^"]*"|\d+),?|,"guess":"[^"]*"', "", reply.text)
        told.append((reply.status_code, same.replace(',"repeated":true', ',"repeated":false')))
    assert told[0] == told[1]


def take_in(client, text, name="said.csv", **wanted):
    """Send a file and let the session hear it; returns the status and what came back."""
    sent = client.post("/api/uploads", params={"name": name}, content=text.encode()).json()
    told = client.post(f"{FLOWERS}/import", json={"upload": sent["upload"], **wanted})
    return told.status_code, told.json()


def test_a_file_of_links_is_taken_in_once(client):
    status, first = take_in(client, "i,j,kind\n0,1,must\n2,100,cannot\n", who="ann")
    assert status == 200
    said = [(one["payload"]["verdict"], one["who"]) for one in first["events"]]
    assert said == [("same", "ann"), ("different", "ann")]
    _, again = take_in(client, "i,j,kind\n0,1,must\n2,100,cannot\n", who="ann")
    assert [one["repeated"] for one in again["events"]] == [True, True]
    assert client.get(f"{FLOWERS}/history").json()["seq"] == 2


@pytest.mark.parametrize(
    "text",
    [
        "i,j,kind\n" + "".join(f"{k % 149},149,must\n" for k in range(151)),
        "event,when,who,kind,verdict,ids,name,undone\n"
        f'9,then,ann,together,same,"[{",".join(["1"] * 151)}]",,false\n',
    ],
    ids=["links", "answers"],
)
def test_a_file_that_says_too_much_at_once_is_refused(root, text):
    with calling(create_app(root, token=TOKEN, limits=Limits(told=20))) as client:
        status, refusal = take_in(client, text)
        assert (status, refusal["error"]) == (
            422,
            "the file speaks of 151 pairs or rows, more than the 20 this service takes at once. "
            "Send it in parts.",
        )
        labels = "row,label\n" + "".join(f"{k},{'abc'[k // 50]}\n" for k in range(150))
        assert take_in(client, labels)[0] == 200  # of every row one


def test_a_file_that_says_nothing_known_is_refused_by_the_name_it_was_sent_with(client):
    status, refusal = take_in(client, "colour,size\nred,1\n", name="my clusters.csv")
    assert status == 422
    assert refusal["error"].startswith("my clusters.csv has the columns colour, size. Links have")
    status, refusal = take_in(client, "i,j,kind\n0,1,must\n0,99999,must\n", name="pairs.csv")
    assert (status, refusal["error"].partition(":")[0]) == (422, "pairs.csv line 3")


def test_answers_nested_too_deeply_are_refused_with_their_line(client):
    deep = "[" * 20_000 + "]" * 20_000
    head = "event,when,who,kind,verdict,ids,name,undone\n"
    status, refusal = take_in(client, f'{head}9,then,ann,together,same,"{deep}",,false\n')
    assert status == 422
    assert "line 2: event and ids are not as an export writes them" in refusal["error"]
