"""Sessions: listed, begun as jobs, described, put away."""

import errno
import time

import pytest
from service_client import FLOWERS, answer, tell, wait_for

from linkwise.server import creation
from linkwise.server.security import FAULT, POLICY


def begin(client, source, **more):
    wanted = {"name": "a new one", "n_clusters": 2, "source": source, **more}
    return client.post("/api/sessions", json=wanted)


def test_sessions_are_listed(client):
    (found,) = client.get("/api/sessions").json()
    assert found.pop("created").startswith("20")
    about = {"id": "flowers", "name": "flowers", "n_rows": 150, "n_clusters": 3}
    assert found == about | {"seq": 0, "damage": None}
    tell(client, answer(0, 1))
    assert client.get("/api/sessions").json()[0]["seq"] == 1


def test_a_session_says_what_can_be_asked(client):
    found = client.get(FLOWERS).json()
    assert [column["type"] for column in found["columns"]] == ["number"] * 4
    assert (found["has_images"], found["has_text"]) == (False, False)
    assert found["layouts"] == ["pca"]
    assert "auto" in found["strategies"]
    assert "random" in found["strategies"]


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        (
            {"n_clusters": 0},
            "n_clusters: input should be greater than or equal to 1, or input should be 'auto'.",
        ),
        (
            {"source": {"upload": "u1"}},
            "source.upload: string should match pattern '^u[0-9a-f]{32}$'.",
        ),
        ({"source": {}}, "source.upload: field required. There are 2 more faults."),
        (
            {"columns": {"roles": {"a.b": "thing"}}},
            "columns.roles.a.b: input should be 'number', 'category', 'date', 'text', 'picture', "
            "'vector', 'id' or 'ignored'.",
        ),
    ],
    ids=str,
)
def test_of_what_might_be_meant_the_likeliest_is_refused(client, sent, sentence):
    refused = begin(client, **{"source": {"bundled": "iris"}, **sent})
    assert (refused.status_code, refused.json()) == (422, {"error": sentence})


def test_a_session_of_a_data_file_is_made_by_a_job(client):
    begun = begin(client, {"file": "people.csv"}, columns={"id": "name", "features": ["height"]})
    assert begun.status_code == 202
    over = wait_for(client, begun.json()["job"])
    assert (over["state"], over["error"]) == ("done", None)
    made = client.get(f"/api/sessions/{over['result']['session']}").json()
    assert (made["name"], made["n_rows"], made["n_clusters"]) == ("a new one", 4, 2)
    assert over["result"]["session"].startswith("a-new-one-")


def test_files_below_the_data_folder_are_listed(client):
    assert client.get("/api/files").json() == ["people.csv", "way-out.csv", "more/points.npy"]


@pytest.mark.parametrize(
    "name",
    ["way-out.csv", "../secret.csv", "/etc/passwd", "notes.doc", ".hidden.csv", "gone.csv", "more"],
)
def test_what_is_not_a_data_file_below_the_folder_is_not_found(client, name, tmp_path):
    for told in (name, str(tmp_path / name)):
        refused = begin(client, {"file": told})
        assert refused.status_code == 404
        assert refused.json() == {
            "error": f"there is no data file {told!r}. See the list of files."
        }


def test_a_url_is_no_data_file(client):
    assert begin(client, {"file": "http://127.0.0.1/people.csv"}).status_code == 404


def test_a_session_that_cannot_be_made_says_why_and_leaves_nothing(client, root):
    begun = begin(client, {"file": "people.csv"}, n_clusters=9)
    over = wait_for(client, begun.json()["job"])
    assert over["state"] == "failed"
    assert over["result"] is None
    assert "9" in over["error"]
    assert len(client.get("/api/sessions").json()) == 1
    assert not [place for place in root.iterdir() if place.name.startswith("a-new-one")]


def test_a_job_is_stopped_and_leaves_nothing(client, monkeypatch):
    def slow(folder, data, n_clusters, *, progress, cancel, **options):  # noqa: ARG001
        while not cancel():
            progress(1, 10, "working")
            time.sleep(0.01)
        progress(2, 10, "working")

    monkeypatch.setattr(creation, "create_session", slow)
    job = begin(client, {"bundled": "iris"}).json()["job"]
    while client.get(f"/api/jobs/{job}").json()["detail"] != "working":
        time.sleep(0.01)
    running = client.get(f"/api/jobs/{job}").json()
    assert (running["state"], running["done"], running["total"]) == ("running", 1, 10)
    assert client.delete(f"/api/jobs/{job}").status_code == 200
    over = wait_for(client, job)
    assert (over["state"], over["result"], over["error"]) == ("cancelled", None, None)
    assert client.delete(f"/api/jobs/{job}").json()["state"] == "cancelled"
    assert len(client.get("/api/sessions").json()) == 1


def test_the_number_of_clusters_may_be_left_to_the_rows(client):
    job = begin(client, {"bundled": "iris"}, n_clusters="auto").json()["job"]
    made = wait_for(client, job)["result"]["session"]
    about = client.get(f"/api/sessions/{made}").json()
    assert 2 <= about["n_clusters"] <= 6
    number = client.get(f"/api/sessions/{made}/number").json()
    assert (number["n_clusters"], number["follows"]) == (about["n_clusters"], True)


def test_building_an_ensemble_is_stopped_on_request(client, root):
    job = begin(client, {"bundled": "digits"}, n_clusters=10).json()["job"]
    client.delete(f"/api/jobs/{job}")
    assert wait_for(client, job)["state"] == "cancelled"
    made = {place.name for place in root.iterdir()}
    assert made <= {"flowers", ".uploads", ".exports", ".audit.jsonl"}


def test_a_session_put_away_is_gone_from_the_list_and_kept_on_the_disk(client, root):
    tell(client, answer(0, 1))
    assert client.delete(FLOWERS).status_code == 204
    assert client.get("/api/sessions").json() == []
    assert client.get(FLOWERS).status_code == 404
    assert client.delete(FLOWERS).status_code == 404
    (kept,) = (root / ".removed").iterdir()
    kept.rename(root / "flowers")
    assert client.get(FLOWERS).json()["seq"] == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_clusters": 0},
        {"n_clusters": 257},
        {"n_clusters": "3"},
        {"name": ""},
        {"name": "x" * 201},
        {"source": {"url": "http://example.com/x.csv"}},
        {"source": {"bundled": "mnist"}},
        {"source": {"upload": "../../etc"}},
        {"source": {"bundled": "iris", "file": "people.csv"}},
        {"standardise": 1},
    ],
    ids=str,
)
def test_a_session_wanted_wrongly_is_refused(client, wrong):
    wanted = {"name": "x", "n_clusters": 2, "source": {"bundled": "iris"}, **wrong}
    refused = client.post("/api/sessions", json=wanted)
    assert refused.status_code == 422
    assert set(refused.json()) == {"error"}


def test_a_session_held_by_another_process_is_refused(client, root):
    from linkwise.session import Session

    with Session.open(root / "flowers"):
        refused = client.get(FLOWERS)
        assert refused.status_code == 409
        assert "process" in refused.json()["error"]
    assert client.get(FLOWERS).status_code == 200


def test_a_damaged_session_does_not_hide_the_others(client, root):
    (root / "broken").mkdir()
    (root / "broken" / "session.json").write_text("{")
    flowers, broken = client.get("/api/sessions").json()
    assert (flowers["id"], broken["id"]) == ("flowers", "broken")
    refused = client.get("/api/sessions/broken")
    assert refused.status_code == 409
    assert "session.json line 1: not valid JSON" in refused.json()["error"]
    assert broken["damage"] == refused.json()["error"]


def test_a_full_disk_is_told_and_the_answer_is_not_acknowledged(client, monkeypatch):
    client.get(FLOWERS)

    def full(entries):  # noqa: ARG001
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(client.flowers, "submit", full)
        refusal = tell(client, answer(0, 1), code=503)
    assert refusal == "The disk is full. Nothing was stored; nothing was lost."
    assert tell(client, answer(0, 1))[0]["seq"] == 1


def test_a_bug_is_a_sentence_that_tells_no_data(client, monkeypatch):
    client.get(FLOWERS)
    monkeypatch.setattr(client.flowers, "recipe", lambda: 1 / 0)
    failed = client.get(f"{FLOWERS}/recipe")
    assert failed.status_code == 500
    assert failed.json() == {"error": FAULT}
    assert failed.headers["content-security-policy"] == POLICY


def test_a_job_that_is_not_there_is_not_found(client):
    refused = client.get("/api/jobs/j0123456789abcdef")
    assert refused.status_code == 404
    assert refused.json() == {"error": "there is no job j0123456789abcdef."}
