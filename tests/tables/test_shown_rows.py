import csv
import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from linkwise.tables.shown_rows import first_rows, open_rows


def test_csv_rows_are_found_without_reading_the_rest(tmp_path):
    path = tmp_path / "t.csv"
    rows = [[f"n{k}", str(k), "a,b" if k % 2 else 'two\nlines "quoted"', "Ωé"] for k in range(50)]
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file).writerows([["name", "x", "text", "greek"], *rows])
    shown = open_rows(path)
    assert shown.columns == ["name", "x", "text", "greek"]
    for k in (49, 0, 7, 8):
        assert list(shown.read([k])[0].values()) == rows[k]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blank_lines_and_headerless_files_are_understood(tmp_path, end):
    path = tmp_path / "t.tsv"
    path.write_bytes(end.join(["1\t2", "", "3\t4", "5\t6", ""]).encode())
    shown = open_rows(path)
    assert shown.columns == ["0", "1"]
    assert shown.read([0, 2]) == [{"0": "1", "1": "2"}, {"0": "5", "1": "6"}]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("packed", [False, True])
def test_rows_are_shown_whatever_the_file_is_written_in(tmp_path, encoding, end, packed):
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    text = end.join(["navn;x", "Åse;1,5", "", "Bjørn;2", ""]).encode(encoding)
    path.write_bytes(gzip.compress(text) if packed else text)
    rows = [{"navn": "Bjørn", "x": "2"}, {"navn": "Åse", "x": "1,5"}]
    assert open_rows(path).read([1, 0]) == rows
    assert first_rows(path, 1) == [["Åse", "1,5"]]


def test_json_lines_are_shown(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1, "b": ["x"]}\n{"a": 2}\n')
    shown = open_rows(tmp_path / "t.jsonl")
    assert shown.columns == ["a", "b"]
    assert shown.read([1, 0]) == [{"a": 2, "b": None}, {"a": 1, "b": "['x']"}]
    assert first_rows(tmp_path / "t.jsonl", 5) == [["1", "['x']"], ["2", ""]]


def test_parquet_rows_keep_numbers_and_turn_the_rest_into_text(tmp_path):
    path = tmp_path / "t.parquet"
    table = {"x": [1.23456789, None], "k": [7, 8], "day": pa.array([0, 1], pa.date32())}
    pq.write_table(pa.table(table), path)
    assert open_rows(path).read([1, 0]) == [
        {"x": None, "k": 8, "day": "1970-01-02"},
        {"x": 1.23457, "k": 7, "day": "1970-01-01"},
    ]


def test_array_rows_go_by_number(tmp_path):
    np.save(tmp_path / "t.npy", np.array([[1.5, 2.0], [np.nan, 4.0]]))
    assert open_rows(tmp_path / "t.npy").read([1]) == [{"0": None, "1": 4.0}]
    np.savez(tmp_path / "t.npz", X=np.array([[1, 2]]), other=np.array([[5, 6]]))
    assert open_rows(tmp_path / "t.npz").read([0]) == [{"0": 1, "1": 2}]
    assert open_rows(tmp_path / "t.npz", "other").read([0]) == [{"0": 5, "1": 6}]


def test_sparse_rows_show_what_is_there(tmp_path):
    sp.save_npz(tmp_path / "t.npz", sp.csr_matrix([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]))
    shown = open_rows(tmp_path / "t.npz")
    assert shown.read([0, 1]) == [{"1": 2.0}, {"0": 1.0, "2": 3.0}]
    assert shown.values(1).tolist() == [1.0, 0.0, 3.0]
