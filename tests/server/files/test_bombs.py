"""Small files that would be large, or deadly, once they are read: a real process outlives them."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from real_service import real_service

MB = 2**20
#: What the service needs by itself is some 280 MB.
MOST_MEMORY = 500 * MB
SMALL = ("unpacked=20M", "rows=100000", "columns=1000", "memory=300M", "seconds=20")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    root = tmp_path_factory.mktemp("bombs") / "root"
    with real_service(root, "-q", *(word for one in SMALL for word in ("--limit", one))) as running:
        yield running


def refusal(service, name, body):
    """Return the sentence with which a file is refused, by a service that lives on as it was."""
    with service.client() as client:
        refused = client.post("/api/uploads", params={"name": name}, content=body)
    assert refused.status_code == 422, refused.text
    assert service.lives()
    assert service.peak_memory() < MOST_MEMORY
    return refused.json()["error"]


def saved(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize("starts", [[0, 10**9, 2, 3], [0, 2000, 2, 3]])
def test_a_kilobyte_does_not_end_it(service, starts):
    parts = {"data": np.ones(3), "indices": np.arange(3), "shape": np.array([3, 3])}
    sentence = refusal(service, "x.npz", saved(**parts, indptr=np.array(starts)))
    assert sentence.startswith("x.npz holds sparse rows that contradict themselves: indptr[2] is 2")


def test_an_archive_that_unpacks_to_too_much_is_refused_unread(service):
    body = saved(X=np.zeros((30, MB // 8)))
    assert len(body) < MB / 10
    assert refusal(service, "x.npz", body) == (
        "x.npz unpacks to more than the 20,971,520 bytes linkwise takes."
    )


def test_a_parquet_file_of_repeated_numbers_is_refused_unread(service):
    file = io.BytesIO()
    column = pa.array(np.zeros(10**5))
    pq.write_table(pa.table({f"x{k}": column for k in range(40)}), file)
    assert len(file.getvalue()) < MB / 10
    assert refusal(service, "x.parquet", file.getvalue()) == (
        "x.parquet unpacks to more than the 20,971,520 bytes linkwise takes."
    )


def test_a_parquet_file_of_repeated_texts_runs_out_of_its_own_memory(service):
    file = io.BytesIO()
    text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(10**5, dtype=np.int32)), ["x" * 10**4])
    pq.write_table(pa.table({"x": np.arange(10.0**5), "text": text.cast(pa.large_string())}), file)
    assert len(file.getvalue()) < MB
    assert refusal(service, "x.parquet", file.getvalue()) == (
        "x.parquet cannot be read within 300 MB of memory."
    )


@pytest.mark.parametrize("wire", [False, True])
def test_a_packed_feather_file_is_refused_unread(service, wire):
    table, file = pa.table({f"x{k}": np.zeros(10**5) for k in range(40)}), io.BytesIO()
    packed = pa.ipc.IpcWriteOptions(compression="zstd")
    open_writer = pa.ipc.new_stream if wire else pa.ipc.new_file
    with open_writer(file, table.schema, options=packed) as writer:
        writer.write_table(table)
    assert len(file.getvalue()) < MB / 10
    assert refusal(service, "x.arrow", file.getvalue()) == (
        "x.arrow unpacks to more than the 20,971,520 bytes linkwise takes."
    )


def npy(n_rows):
    file = io.BytesIO()
    np.save(file, np.zeros((n_rows, 1), dtype=np.uint8))
    return file.getvalue()


def feather(n_rows):
    file = io.BytesIO()
    pa.feather.write_feather(pa.table({"a": np.arange(n_rows) % 7}), file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("x.npy", npy),
        ("x.npz", lambda n_rows: saved(X=np.zeros((n_rows, 1), dtype=np.uint8))),
        ("x.csv", lambda n_rows: b"a,b\n" + b"1,2\n" * n_rows),
        ("x.jsonl", lambda n_rows: b'{"a": 1, "b": 2}\n' * n_rows),
        ("x.feather", feather),
    ],
)
def test_too_many_rows_are_refused(service, name, made):
    assert refusal(service, name, made(100_001)) == (
        f"{name} has 100,001 rows, more than the 100,000 this service takes."
    )


def test_json_lines_of_too_many_columns_are_refused(service):
    line = b"{" + b",".join(b'"c%d": 1' % k for k in range(1001)) + b"}\n"
    assert refusal(service, "x.jsonl", line * 2) == (
        "x.jsonl has 1,001 columns, more than the 1,000 this service takes."
    )


def test_a_million_columns_are_refused(service):
    body = b",".join(b"c%d" % k for k in range(10**6)) + b"\n" + b",".join([b"1"] * 10**6) + b"\n"
    assert refusal(service, "x.csv", body) == (
        "x.csv has 1,000,000 columns, more than the 1,000 this service takes."
    )


def test_deeply_nested_json_is_refused(service):
    depth = 200_000
    body = b'{"a": ' * depth + b"1" + b"}" * depth + b"\n"
    assert refusal(service, "x.jsonl", body).startswith("x.jsonl ")
