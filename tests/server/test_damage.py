"""What is damaged harms itself alone, and what is somebody else's is left alone."""

import json
import os
import shutil
import signal
import socket
import sys
import time
from contextlib import suppress
from threading import Thread

import numpy as np
import pytest
from service_client import BEARER, FLOWERS, TOKEN, answer, calling, tell

from linkwise.server.app import create_app
from linkwise.session import Session, repair_session
from linkwise.session.folders import draft_of
from linkwise.session.journal.lock import FolderLock

DEEP = '{"format": "linkwise session", "version": 1, "id": ' + "[" * 100_000 + "]" * 100_000 + "}"


def spoil(root):
    """Put damaged sessions beside the good one; returns their names."""
    good = json.loads((root / "flowers" / "session.json").read_text())
    texts = {
        "deep": DEEP,
        "created": json.dumps(good | {"created": 7}),
        "rows": json.dumps(good | {"n_rows": "many"}),
        "columns": json.dumps(good | {"columns": [1, 2]}),
        "elsewhere": json.dumps(good | {"data": good["data"] | {"path": "../flowers/data.npy"}}),
        "cut": json.dumps(good)[:50],
        "digits": json.dumps(good).replace("150", "9" * 5000),
    }
    for name, text in texts.items():
        (root / name).mkdir()
        (root / name / "session.json").write_text(text)
    (root / "linked").mkdir()
    (root / "linked" / "session.json").symlink_to(root / "flowers" / "session.json")
    (root / "looped").mkdir()
    (root / "looped" / "session.json").symlink_to(root / "looped" / "session.json")
    (root / "folder" / "session.json").mkdir(parents=True)
    pipes = {"pipe": "session.json", "piped": "journal.mark", "piper": "model/model.json"}
    for name, pipe in pipes.items():  # who opens one waits until somebody writes
        (root / name / "model").mkdir(parents=True)
        (root / name / "session.json").write_text(json.dumps(good))
        (root / name / pipe).unlink(missing_ok=True)
        os.mkfifo(root / name / pipe)
    return sorted([*texts, "linked", "looped", "folder", *pipes])


def test_one_service_goes_on_beside_damage_and_beside_another(start, root):
    """One process for all of this: a start takes seconds."""
    damaged = spoil(root)
    process, client = start()
    with client:
        tell(client, *[answer(k, k + 100, "different") for k in range(5)])
        check_list(client, damaged)
        check_cut_files(root, client)
        assert client.delete("/api/sessions/deep").status_code == 204
        assert client.get("/health").status_code == 200
        assert process.poll() is None


def check_list(client, damaged):
    flowers, *others = client.get("/api/sessions").json()
    assert (flowers["id"], flowers["seq"], flowers["damage"]) == ("flowers", 5, None)
    assert sorted(other["id"] for other in others) == damaged
    for other in others:
        assert other["damage"].endswith(".")
        refused = client.get(f"/api/sessions/{other['id']}")
        assert (refused.status_code, refused.json()) == (409, {"error": other["damage"]})


def check_cut_files(root, client):
    """Cut the data and then the labels of the model while both are in use."""
    assert client.get(f"{FLOWERS}/rows", params={"rows": "0,149"}).status_code == 200
    data = root / "flowers" / "data.npy"
    os.truncate(data, 200)
    refused = client.get(f"{FLOWERS}/rows", params={"rows": "0,149"})
    assert refused.status_code == 409
    assert refused.json()["error"].startswith(f"{data} has changed since the session was made")
    labels = root / "flowers" / "model" / "ensemble" / "labels.npy"
    votes = Thread(target=tell_many, args=(client,))
    votes.start()
    for size in (3000, 200, 0):  # while labels are voted on
        os.truncate(labels, size)
    votes.join()
    found = client.get(f"{FLOWERS}/labels")
    assert (found.status_code, len(found.content)) == (200, 150)


def tell_many(client):
    """Tell answers one by one, and wait for the labels after each."""
    for k in range(5):
        tell(client, answer(k, 120 + k, "different"))
        client.get(f"{FLOWERS}/labels")


#: The command line, with the labels of small sessions mapped too.
MAPPING = """
from linkwise.session import create
create.MOST_IN_MEMORY = 0
from linkwise.cli import main
main()
"""


def test_mapped_labels_that_are_cut_stop_their_own_session_alone(start, root):
    shutil.copytree(root / "flowers", root / "others")
    process, client = start(program=(sys.executable, "-c", MAPPING))
    with client:
        tell(client, answer(0, 100, "different"))
        assert client.get(f"{FLOWERS}/labels").status_code == 200
        votes = Thread(target=tell_many, args=(client,))
        votes.start()
        os.truncate(root / "flowers" / "model" / "ensemble" / "labels.npy", 0)
        votes.join()
        refused = client.get(f"{FLOWERS}/labels")
        assert refused.status_code in (409, 422)
        assert "labels.npy was cut short while it was in use" in refused.json()["error"]
        tell(client, answer(1, 101, "different"))  # what is said is stored all the same
        assert client.get("/api/sessions/others/labels").status_code == 200
        assert process.poll() is None


def test_a_flipped_bit_in_the_log_of_a_killed_service_is_told_and_repaired(start, root):
    process, client = start()
    with client:
        for k in range(12):
            tell(client, answer(k, k + 100, "different", key=f"k{k}"))
        process.send_signal(signal.SIGKILL)
        process.wait()
    log = root / "flowers" / "journal.sqlite-wal"
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 4
    log.write_bytes(content)
    process, client = start()
    with client:
        refused = client.get(f"{FLOWERS}/history")
        assert refused.status_code == 409
        assert "but 12 were acknowledged" in refused.json()["error"]
        found = repair_session(root / "flowers")
        assert (found.n_whole, found.missing) == (12, [])
        history = client.get(f"{FLOWERS}/history").json()["events"]
        assert [event["key"] for event in history] == [f"k{k}" for k in range(12)]


def test_two_services_on_one_folder_leave_alone_what_the_other_holds(start, root):
    shutil.copytree(root / "flowers", root / "others")
    _, first = start()
    with first:
        tell(first, answer(0, 100, "different"))
        assert first.get(f"{FLOWERS}/export").status_code == 200
        (place,) = (root / ".exports").iterdir()
        (place / "on-its-way.csv").write_text("a")
        _, second = start()
        with second:
            said = {"events": [answer(1, 101)], "who": ""}
            tries = [
                second.delete(FLOWERS),
                second.post(f"{FLOWERS}/events", json=said),
                second.get(f"{FLOWERS}/labels"),
                second.get(f"{FLOWERS}/export"),
            ]
            held = f"the session in {root / 'flowers'} is held by"
            for refused in tries:
                assert refused.status_code == 409
                assert refused.json()["error"].startswith(held)
            assert second.get("/api/sessions/others/export").status_code == 200
            assert (place / "on-its-way.csv").exists()
            assert first.delete("/api/sessions/others").status_code == 409
        tell(first, answer(1, 101, "different"))
        assert first.get(f"{FLOWERS}/history").json()["seq"] == 2


@pytest.fixture
def second(root):
    """The service in this process, of which there is already one."""
    with calling(create_app(root, token=TOKEN)) as client:
        yield client


def test_the_files_of_another_services_exports_are_left_alone(client, second):
    exports = client.app.state.service.exports
    (exports.path / "on-its-way.csv").write_text("a")
    assert second.app.state.service.exports.path != exports.path
    assert (exports.path / "on-its-way.csv").exists()


def test_exports_of_a_killed_service_are_removed(root, client):
    left = root / ".exports" / "0123456789abcdef"
    left.mkdir(parents=True)
    (left / "labels.csv").write_text("a")
    assert client.app.state.service.exports.path.exists()
    assert not left.exists()


def test_what_a_killed_service_had_begun_is_removed_when_it_is_back(start, root):
    process, client = start()
    with client, socket.create_connection((client.base_url.host, client.base_url.port)) as upload:
        head = "POST /api/uploads?name=x.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n"
        head += f"Authorization: {BEARER['Authorization']}\r\n\r\na,b\n1,"
        upload.sendall(head.encode())
        wanted = {"name": "digits", "n_clusters": 10, "source": {"bundled": "digits"}}
        assert client.post("/api/sessions", json=wanted).status_code == 202
        end = time.monotonic() + 60
        while not all(halves(root)) and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert all(halves(root))
    _, client = start()
    with client:
        assert [one["id"] for one in client.get("/api/sessions").json()] == ["flowers"]
    assert halves(root) == ([], [])


def halves(root):
    """Return the uploads and the sessions that were begun."""
    return list(root.glob(".uploads/u*")), list(root.glob(".digits-*.draft-*"))


def test_left_overs_of_killed_creations_and_uploads_are_removed_at_the_start(root):
    killed = root / ".people-1234.draft-abcdefgh"
    (killed / "model").mkdir(parents=True)
    half = root / ".uploads" / f"u{'0' * 32}"
    half.mkdir(parents=True)
    (half / "data.csv").write_text("a,b\n1,")
    whole = root / ".uploads" / f"u{'1' * 32}"
    whole.mkdir()
    (whole / "about.json").write_text('{"name": "a.csv", "suffix": ".csv"}')
    underway = root / ".uploads" / f"u{'2' * 32}"
    underway.mkdir()
    held = FolderLock(underway)
    with draft_of(root / "being-made") as draft, calling(create_app(root, token=TOKEN)):
        assert draft.exists()
        assert not killed.exists()
        assert not half.exists()
        assert whole.exists()
        assert underway.exists()
        shutil.copytree(root / "flowers", draft, dirs_exist_ok=True)
    held.close()
    Session.open(root / "being-made").close()


def test_a_layout_that_was_cut_is_made_again(root, client):
    places = client.get(f"{FLOWERS}/layout/pca").content
    os.truncate(root / "flowers" / "layout-pca.npy", 300)
    assert client.get(f"{FLOWERS}/layout/pca").content == places


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".feather"])
def test_a_data_file_cut_while_open_is_told(tmp_path, suffix):
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet

    rng = np.random.default_rng(0)
    table = pa.table({"a": rng.normal(size=3000), "b": rng.normal(size=3000)})
    path = tmp_path / f"data{suffix}"
    if suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    elif suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        pyarrow.feather.write_feather(table, path, compression="uncompressed")
    root = tmp_path / "root"
    Session.create(root / "flowers", path, 2, n_partitions=5).close()
    with calling(create_app(root, token=TOKEN)) as client:
        assert client.get(f"{FLOWERS}/rows", params={"rows": "2999"}).status_code == 200
        os.truncate(path, path.stat().st_size // 2)
        refused = client.get(f"{FLOWERS}/rows", params={"rows": "2999"})
        assert (refused.status_code, "has changed since" in refused.text) == (409, True)


def stop_backends(postgres):
    """Stop all processes that serve a database, but for our own; returns their numbers."""
    import psycopg

    with psycopg.connect(postgres) as connection:
        pids = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid()"
        ).fetchall()
    for (pid,) in pids:
        os.kill(pid, signal.SIGSTOP)
    return pids


def test_a_database_that_stops_answering_holds_up_nobody(root, start, postgres):
    X = np.random.default_rng(0).normal(size=(60, 3))
    Session.create(root / "kept", X, 2, n_partitions=5, journal=postgres).close()
    process, client = start("--database", postgres)
    said = {"events": [answer(1, 2, key="k")], "who": ""}
    with client:
        assert client.post("/api/sessions/kept/events", json=said).status_code == 200
        pids = stop_backends(postgres)
        try:
            began = time.monotonic()
            said["events"][0] = answer(1, 3, key="l")
            refused = client.post("/api/sessions/kept/events", json=said)
            assert (refused.status_code, "did not answer within" in refused.text) == (503, True)
            assert time.monotonic() - began < 15
            assert client.get("/health").status_code == 503
            tell(client, answer(3, 103, "different"))  # the other session goes on
            for (pid,) in pids:
                os.kill(pid, signal.SIGCONT)
            end = time.monotonic() + 60
            while client.get("/health").status_code == 503 and time.monotonic() < end:
                time.sleep(0.2)
            assert client.get("/health").status_code == 200  # found out by itself
            pids = stop_backends(postgres)
            client.post("/api/sessions/kept/events", json=said)
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            process.wait(30)
            assert time.monotonic() - began < 15
        finally:
            for (pid,) in pids:
                with suppress(ProcessLookupError):  # one that went meanwhile
                    os.kill(pid, signal.SIGCONT)
    with Session.open(root / "kept") as session:
        assert session.seq in (1, 2)  # what was refused may have been stored
