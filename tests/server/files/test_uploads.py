"""Uploads: a stream becomes a file that is described, or nothing is left of it."""

import errno
import gzip
import io
import os
import socket
import time
from contextlib import suppress

import httpx
import numpy as np
import pandas as pd
import pytest
from service_client import TOKEN, wait_for

from linkwise.server.limits import Limits
from service_fuzz import sessions_of_files

PEOPLE = (
    "id,height,weight,about,photo\n"
    "p1,1.6,60,likes the sea and the wind,a.png\n"
    "p2,1.7,70,likes trees,b.png\n"
    "p3,1.9,90,likes hills and long walks,c.jpg\n"
    "p4,1.8,80,likes rain,d.png\n"
)


def upload(client, name, body):
    return client.post("/api/uploads", params={"name": name}, content=body)


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def left(root):
    return list((root / ".uploads").iterdir())


def test_a_file_of_each_format_becomes_a_session(served):
    with served.client() as client:
        assert sessions_of_files(client) == []
        assert len(client.get("/api/sessions").json()) == 6


def test_a_table_is_described(client):
    taken = upload(client, "people.csv", PEOPLE.encode())
    assert taken.status_code == 201
    found = taken.json()
    assert (found["name"], found["kind"], found["n_rows"]) == ("people.csv", "table", 4)
    assert [(column["name"], column["type"]) for column in found["columns"]] == [
        ("id", "id"),
        ("height", "number"),
        ("weight", "number"),
        ("about", "text"),
        ("photo", "text"),
    ]
    assert [(column["role"], column["reason"]) for column in found["columns"]] == [
        ("id", "no two rows share a value"),
        ("number", "numbers"),
        ("number", "whole numbers"),
        ("text", "text of 4 words on average"),
        ("ignored", "it names pictures that are not here"),
    ]
    assert found["columns"][1]["examples"] == ["1.6", "1.7", "1.9"]
    assert found["guess"] == {
        "id": "id",
        "features": ["height", "weight", "about"],
        "text": "about",
        "image": None,
    }
    assert found["image_shape"] is None


def written(frame, write):
    file = io.BytesIO()
    write(frame, file)
    return file.getvalue()


def test_a_table_of_any_format_is_described_like_a_csv_table(client):
    frame = pd.read_csv(io.StringIO(PEOPLE))
    by_csv = upload(client, "p.csv", PEOPLE.encode()).json()
    bodies = {
        "p.parquet": written(frame, pd.DataFrame.to_parquet),
        "p.feather": written(frame, pd.DataFrame.to_feather),
        "p.jsonl": frame.to_json(orient="records", lines=True).encode(),
        "p.csv.gz": gzip.compress(PEOPLE.encode()),
        "p.tsv": PEOPLE.replace(",", "\t").encode("utf-16"),
    }
    for file, body in bodies.items():
        found = upload(client, file, body).json()
        for name in ("kind", "n_rows", "columns", "guess"):
            assert found[name] == by_csv[name]


def test_a_session_of_a_packed_table_shows_its_rows(client):
    sent = upload(client, "people.csv.gz", gzip.compress(PEOPLE.encode())).json()
    wanted = {"name": "people", "n_clusters": 2, "source": {"upload": sent["upload"]}}
    over = wait_for(client, client.post("/api/sessions", json=wanted).json()["job"])
    place = f"/api/sessions/{over['result']['session']}"
    (row,) = client.get(f"{place}/rows", params={"rows": "1"}).json()
    assert (row["id"], row["text"]) == ("p2", "likes trees")


def test_an_array_is_described(client):
    file = io.BytesIO()
    np.save(file, np.zeros((5, 3)))
    found = upload(client, "x.npy", file.getvalue()).json()
    assert (found["kind"], found["n_rows"], len(found["columns"])) == ("array", 5, 3)


def test_an_array_of_pictures_says_so(client):
    body = npz(X=np.zeros((5, 6)), image_shape=np.array([2, 3]))
    assert upload(client, "x.npz", body).json()["image_shape"] == [2, 3]
    wrong = upload(client, "x.npz", npz(X=np.zeros((5, 6)), image_shape=np.array([2, 2])))
    assert wrong.status_code == 422
    assert wrong.json() == {"error": "image_shape is [2, 2], but a row has 6 values."}


def test_a_refusal_speaks_of_the_file_as_its_sender_does(client):
    refused = upload(client, "flowers.csv", b"a,b\n")
    assert refused.json() == {"error": "flowers.csv has a header and no rows."}


def test_a_job_speaks_of_the_file_as_its_sender_does(client):
    sent = upload(client, "flowers.csv", b"a,b\n1,2\n3,inf\n4,5\n").json()
    source = {"upload": sent["upload"]}
    wanted = {"name": "x", "n_clusters": 2, "source": source}
    over = wait_for(client, client.post("/api/sessions", json=wanted).json()["job"])
    assert over["state"] == "failed"
    assert over["error"] == (
        'flowers.csv row 1: column "b" is inf. '
        "Fill it in, remove the row, or do not compare by this column."
    )


def test_short_texts_that_all_differ_name_the_rows(client):
    body = b"plant,colour,size\nplant-001,red,1\nplant-002,red,9\nplant-003,blue,3\n"
    found = upload(client, "plants.csv", body).json()
    assert [column["type"] for column in found["columns"]] == ["id", "text", "number"]
    assert (found["guess"]["id"], found["guess"]["text"]) == ("plant", None)


def test_a_name_that_comes_twice_far_down_names_no_rows(client):
    rows = [f"plant-{min(k, 299)},{k % 7}\n" for k in range(301)]
    found = upload(client, "plants.csv", ("plant,size\n" + "".join(rows)).encode()).json()
    assert found["guess"]["id"] is None


def test_columns_that_nobody_named_are_guessed(client):
    sent = upload(client, "people.csv", PEOPLE.encode()).json()
    wanted = {"name": "people", "n_clusters": 2, "source": {"upload": sent["upload"]}}
    over = wait_for(client, client.post("/api/sessions", json=wanted).json()["job"])
    place = f"/api/sessions/{over['result']['session']}"
    about = client.get(place).json()
    assert (about["has_images"], about["has_text"]) == (False, True)
    assert about["grouped_by"] == "height and weight (numbers) and about (text)"
    assert about["left_out"] == {"photo": "it names pictures that are not here"}
    assert about["n_unusable"] == 0
    (row,) = client.get(f"{place}/rows", params={"rows": "1"}).json()
    assert (row["id"], row["text"]) == ("p2", "likes trees")


def test_a_session_is_made_of_an_upload(client):
    sent = upload(client, "people.csv", PEOPLE.encode()).json()
    columns = {**sent["guess"], "image": None}
    source = {"upload": sent["upload"]}
    wanted = {"name": "people", "n_clusters": 2, "source": source, "columns": columns}
    over = wait_for(client, client.post("/api/sessions", json=wanted).json()["job"])
    assert (over["state"], over["error"]) == ("done", None)
    place = f"/api/sessions/{over['result']['session']}"
    (row,) = client.get(f"{place}/rows", params={"rows": "2"}).json()
    assert (row["id"], row["text"]) == ("p3", "likes hills and long walks")


def test_an_upload_that_is_not_there_is_not_found(client):
    source = {"upload": "u" + "0" * 32}
    refused = client.post("/api/sessions", json={"name": "x", "n_clusters": 2, "source": source})
    assert refused.status_code == 404


def test_a_file_at_the_limit_is_taken_and_a_longer_one_is_not(client, root):
    header, row = b"a,b\n", b"1,2\n"
    fits = header + row * ((100_000 - len(header)) // len(row))
    assert len(fits) == 100_000
    assert upload(client, "x.csv", fits).status_code == 201
    before = left(root)
    refused = upload(client, "x.csv", fits + b"3")
    assert refused.status_code == 413
    assert refused.json() == {"error": "the file is longer than 100,000 bytes."}
    assert left(root) == before


def test_a_stream_without_an_end_is_cut_off_at_the_limit(served, root, monkeypatch):
    monkeypatch.setattr(served.app.state.service.uploads, "limits", Limits(upload=100_000))
    sent = 0

    def endless():
        nonlocal sent
        while sent < 10**9:
            sent += 10_000
            yield b"1" * 10_000

    # the service may close the connection while we still send
    with served.client() as client, suppress(httpx.TransportError):
        assert upload(client, "x.csv", endless()).status_code == 413
    assert sent < 10**9
    assert left(root) == []


def test_an_upload_that_breaks_off_leaves_nothing(served, root, caplog):
    host, port = served.url.removeprefix("http://").split(":")
    head = "POST /api/uploads?name=x.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999\r\n"
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(f"{head}Authorization: Bearer {TOKEN}\r\n\r\na,b\n1,2\n".encode())
        while not left(root):
            time.sleep(0.01)
    while left(root):
        time.sleep(0.01)
    assert caplog.records == []


@pytest.mark.parametrize(
    "name",
    [
        "../../evil.csv",
        "/etc/cron.d/evil.csv",
        "a\x00b.csv",
        "..\\evil.csv",
        "=cmd().csv",
        "é☃.csv",
    ],
)
def test_the_name_of_a_file_is_kept_for_show_and_is_no_path(client, root, tmp_path, name):
    before = {path for path in tmp_path.rglob("*") if ".uploads" not in path.parts}
    before.add(root / ".audit.jsonl")
    taken = upload(client, name, PEOPLE.encode())
    assert taken.status_code == 201
    assert taken.json()["name"] == name
    (place,) = left(root)
    assert {path.name for path in place.iterdir()} == {"data.csv", "about.json"}
    assert {path for path in tmp_path.rglob("*") if ".uploads" not in path.parts} == before


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("x.exe", b"MZ"),
        ("x.pkl", b"\x80\x04."),
        ("csv", b"a\n1\n"),
        ("x.csv", b""),
        ("x.csv", b"\xff\xfe\x00"),
        ("x.csv", b"a,b\n1\n"),
        ("x.csv", b"a\n"),
        ("x.npy", b"\x93NUMPY\x01\x00"),
        ("x.npy", b"not an array"),
        ("x.npz", b"PK\x03\x04broken"),
        ("x.npz", npz(y=np.zeros(3))),
        ("x.parquet", b"PAR1brokenPAR1"),
        (
            "x.npy",
            b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': "
            b"(999999999999, 99), }" + b" " * 39 + b"\n",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_read_is_refused_and_leaves_nothing(client, root, name, body):
    refused = upload(client, name, body)
    assert refused.status_code == 422
    assert refused.json()["error"].endswith(".")
    assert left(root) == []


def test_an_archive_that_grows_when_unpacked_is_refused(client, root, monkeypatch):
    file = io.BytesIO()
    np.savez_compressed(file, X=np.zeros((1000, 100)))
    assert len(file.getvalue()) < 10_000
    limits = Limits(unpacked=100_000)
    monkeypatch.setattr(client.app.state.service.uploads, "limits", limits)
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 100_000)
    for name, body in (("x.npz", file.getvalue()), ("x.csv.gz", packed)):
        refused = upload(client, name, body)
        assert refused.status_code == 422
        assert refused.json() == {
            "error": f"{name} unpacks to more than the 100,000 bytes linkwise takes."
        }
    assert left(root) == []


def test_pickled_objects_are_never_loaded(client, root):
    file = io.BytesIO()
    np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    refused = upload(client, "x.npy", file.getvalue())
    assert refused.status_code == 422
    assert "never pickled objects" in refused.json()["error"]
    assert left(root) == []


def test_a_damaged_file_is_told_from_a_failing_disk(client, root, monkeypatch):
    def stumble(*words):
        def inspect(*_, **__):
            raise OSError(*words)

        monkeypatch.setattr("linkwise.server.files.uploads.in_child", inspect)
        return upload(client, "x.parquet", b"PAR1")

    damaged = stumble("page 3 is broken")  # so does the reader of Parquet files complain
    assert damaged.status_code == 422
    assert damaged.json()["error"] == "x.parquet is not a .parquet file linkwise can read."
    failing = stumble(errno.EIO, os.strerror(errno.EIO))
    assert failing.status_code == 503
    assert left(root) == []
