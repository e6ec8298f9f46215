"""Labels over the wire: typed arrays, deltas, tags."""

import threading

import numpy as np
import pytest
from service_client import FLOWERS, answer, tell, wait_for


def labels(client, **params):
    found = client.get(f"{FLOWERS}/labels", params=params)
    assert found.status_code == 200
    return found, np.frombuffer(found.content, dtype=found.headers["x-linkwise-type"])


def delta(client, since):
    found = client.get(f"{FLOWERS}/labels", params={"since": since})
    n = int(found.headers["x-linkwise-rows"])
    rows = np.frombuffer(found.content[: 4 * n], "<u4")
    return rows, np.frombuffer(found.content[4 * n :], found.headers["x-linkwise-type"])


def test_labels_are_those_of_the_session(client):
    found, values = labels(client)
    assert found.headers["x-linkwise-seq"] == "0"
    assert found.headers["content-type"] == "application/octet-stream"
    np.testing.assert_array_equal(values, client.flowers.labels())


def test_labels_know_the_answer_that_was_just_given(client):
    for k in range(5):
        tell(client, answer(k, 100, "different"))
        found, _ = labels(client)
        assert found.headers["x-linkwise-seq"] == str(k + 1)


def test_at_least_takes_what_is_ready(client, monkeypatch):
    labels(client)
    compute, go = client.flowers.view, threading.Event()
    monkeypatch.setattr(client.flowers, "view", lambda at=None: go.wait(5) and compute(at))
    tell(client, answer(0, 60, "same"))
    found, _ = labels(client, at_least=0)
    go.set()
    assert found.headers["x-linkwise-seq"] == "0"
    assert labels(client, at_least=1)[0].headers["x-linkwise-seq"] == "1"


def test_deltas_add_up_to_the_full_labels(client):
    _, first = labels(client)
    current, seen = first.copy(), 0
    changed = 0
    for event in (
        {"kind": "merge", "payload": {"clusters": [0, 1]}},
        {"kind": "undo", "payload": {"event": 1}},
        {"kind": "label", "payload": {"rows": [50, 51, 52, 53], "name": "one"}},
        {"kind": "split", "payload": {"cluster": int(first[50]), "rows": None}},
        answer(0, 120, "same"),
    ):
        seq = tell(client, event)[0]["seq"]
        rows, values = delta(client, seen)
        current[rows] = values
        changed += len(rows)
        _, full = labels(client)
        np.testing.assert_array_equal(current, full)
        seen = seq
    rows, values = delta(client, 0)
    np.testing.assert_array_equal(rows, np.flatnonzero(first != full))
    np.testing.assert_array_equal(values, full[rows])
    assert changed > 0


def test_a_delta_since_now_is_empty(client):
    rows, values = delta(client, 0)
    assert len(rows) == len(values) == 0


def test_a_delta_since_the_future_is_everything(client):
    found, values = labels(client, since=99)
    assert "x-linkwise-rows" not in found.headers
    assert len(values) == 150


@pytest.mark.parametrize("what", ["labels", "margins"])
def test_what_did_not_change_is_not_sent_again(client, what):
    first = client.get(f"{FLOWERS}/{what}")
    tag = {"If-None-Match": first.headers["etag"]}
    again = client.get(f"{FLOWERS}/{what}", headers=tag)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    tell(client, answer(0, 1))
    changed = client.get(f"{FLOWERS}/{what}", headers=tag)
    assert changed.status_code == 200
    assert changed.headers["etag"] != first.headers["etag"]


def test_margins_are_one_byte_each(client):
    sent = np.frombuffer(client.get(f"{FLOWERS}/margins").content, np.uint8)
    margins = client.flowers.view().margins
    assert sent.shape == (150,)
    assert np.abs(sent / 255 - np.clip(margins, 0, 1)).max() <= 0.5 / 255 + 1e-6


def test_clusters_count_the_labels(client):
    _, values = labels(client)
    clusters = client.get(f"{FLOWERS}/clusters").json()
    assert {c["number"]: c["size"] for c in clusters} == dict(
        zip(*np.unique(values, return_counts=True), strict=True)
    )
    for cluster in clusters:
        assert set(values[cluster["exemplars"]]) == {cluster["number"]}
        members = client.flowers.view().margins[values == cluster["number"]]
        assert cluster["sureness"] == pytest.approx(members.mean(), abs=1e-6)


def test_the_map_is_two_numbers_per_row(client):
    found = client.get(f"{FLOWERS}/layout/pca")
    points = np.frombuffer(found.content, "<f4").reshape(-1, 2)
    assert points.shape == (150, 2)
    assert np.abs(points).max() <= 1


def test_a_layout_is_there_once_its_job_is_done(client):
    refused = client.get(f"{FLOWERS}/layout/neighbours")
    assert refused.status_code == 404
    sentence = "the layout neighbours has not been computed. POST here to begin it."
    assert refused.json() == {"error": sentence}
    begun = client.post(f"{FLOWERS}/layout/neighbours")
    assert begun.status_code == 202
    over = wait_for(client, begun.json()["job"])
    assert over["state"] == "done"
    assert over["result"] == {"session": "flowers"}
    assert len(client.get(f"{FLOWERS}/layout/neighbours").content) == 150 * 8
    assert client.get(f"{FLOWERS}/layout/spiral").status_code == 422
