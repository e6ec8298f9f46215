"""Hostile strings are stored and given back as they are, and nothing else happens."""

import csv
import io
import json

import pyarrow.parquet as pq
import pytest
from hostile import FORMULAS, STRINGS
from service_client import FLOWERS, answer, frames, serving, tell

from linkwise.files.csv_writer import FORMULA


def rename(name, key=None):
    return {"kind": "rename", "payload": {"cluster": 0, "name": name}, "key": key}


def test_there_are_a_hundred_different_ones():
    assert len(set(STRINGS)) == len(STRINGS) >= 100


@pytest.fixture(scope="module")
def told(template, tmp_path_factory):
    """Tell every string as a name, a person and a key, and look again after a restart."""
    import shutil

    root = tmp_path_factory.mktemp("hostile") / "root"
    shutil.copytree(template, root)
    with serving(root) as served, served.client() as client:
        for string in STRINGS:
            tell(client, rename(string, key=string), answer(0, 1, "unsure"), who=string)
        tell(client, {"kind": "label", "payload": {"rows": [0, 1], "name": FORMULAS[0]}})
    with serving(root) as served, served.client() as client:
        yield root, client


def history(client):
    return client.get(f"{FLOWERS}/history", params={"limit": 5000}).json()["events"]


def test_names_persons_and_keys_come_back_unchanged(told):
    _, client = told
    renames = [event for event in history(client) if event["kind"] == "rename"]
    assert [event["payload"]["name"] for event in renames] == STRINGS
    assert [event["who"] for event in renames] == STRINGS
    assert [event["key"] for event in renames] == STRINGS


def test_a_key_is_found_again(told):
    _, client = told
    again = tell(client, *[rename(string, key=string) for string in STRINGS])
    assert all(event["repeated"] for event in again)
    assert [event["who"] for event in again] == STRINGS


def test_the_stream_holds_one_frame_per_event(told):
    _, client = told
    events = history(client)
    with client.stream("GET", f"{FLOWERS}/stream", params={"after": 0}) as response:
        heard = []
        for frame in frames(response.iter_lines()):
            if frame.get("event") == "journal":
                heard.append(frame)
            if len(heard) == len(events):
                break
    assert [json.loads(frame["data"]) for frame in heard] == events
    assert [frame["id"] for frame in heard] == [str(event["seq"]) for event in events]


def test_a_cluster_bears_the_name(told):
    _, client = told
    clusters = client.get(f"{FLOWERS}/clusters").json()
    assert {cluster["number"]: cluster["name"] for cluster in clusters}[0] == STRINGS[-1]


def test_nothing_but_the_session_changed(told):
    root, _ = told
    names = {path.name for path in root.iterdir()}
    assert names <= {"flowers", ".uploads", ".exports", ".audit.jsonl"}
    assert list(root.parent.iterdir()) == [root]


def test_a_spreadsheet_runs_nothing_of_an_exported_table(told):
    _, client = told
    seen = set()
    for what in ("answers", "labels"):
        text = client.get(f"{FLOWERS}/export", params={"what": what}).content.decode()
        for cells in csv.reader(io.StringIO(text, newline="")):
            for cell in cells:
                seen.add(cell)
                if cell.startswith(FORMULA):
                    float(cell)  # a plain number is all that may begin so
    assert {f"'{formula}" for formula in FORMULAS} <= seen


def test_parquet_holds_everything_as_it_was_said(told):
    _, client = told
    found = client.get(f"{FLOWERS}/export", params={"what": "answers", "format": "parquet"})
    who = pq.read_table(io.BytesIO(found.content)).column("who").to_pylist()
    assert [name for name in who if name] == STRINGS


def test_no_answer_invites_a_browser_to_guess_its_type(told):
    _, client = told
    for path in ("history", "clusters", "labels", "export", "recipe"):
        found = client.get(f"{FLOWERS}/{path}")
        assert found.headers["x-content-type-options"] == "nosniff"
        assert "html" not in found.headers["content-type"]


@pytest.mark.parametrize("string", ["a\x00b", "\ud800"])
def test_what_is_not_text_is_refused(client, string):
    body = json.dumps({"events": [rename(string)]})
    headers = {"Content-Type": "application/json"}
    refused = client.post(f"{FLOWERS}/events", content=body, headers=headers)
    assert refused.status_code == 422
    assert set(refused.json()) == {"error"}


def test_hostile_paths_and_queries_are_refused_or_not_found(client):
    for string in STRINGS:
        for url, params in [
            (f"{FLOWERS}/rows", {"rows": string}),
            (f"{FLOWERS}/questions", {"strategy": string}),
            (f"{FLOWERS}/questions", {"skip": string}),
            (f"{FLOWERS}/export", {"what": string}),
            (f"{FLOWERS}/labels", {"since": string}),
        ]:
            status = client.get(url, params=params).status_code
            assert status in (404, 422) or string in ("0", "-0"), (url, string)
