"""Tables whose columns have types: Parquet, Feather, JSON lines."""

import errno

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from linkwise.errors import InvalidInput
from linkwise.tables import Choice, read_row_names, read_table
from linkwise.tables.shown_rows import open_rows


@pytest.fixture
def table(tmp_path):
    def read(columns, choice=Choice()):  # noqa: B008
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table(columns), path)
        return read_table(path, choice)

    return read


def said(left_out):
    return {name: str(why) for name, why in left_out.items()}


def test_numbers_alone_are_taken_as_they_are(table):
    t = table({"a": [1, 5], "b": [0.5, 2.5], "c": ["x", "x"], "d": [None, None]})
    assert t.features == ["a", "b"]
    assert t.X.tolist() == [[1, 0.5], [5, 2.5]]
    assert t.X.dtype == np.float64
    assert t.made is None
    assert said(t.left_out) == {"c": 'every row has the same value, "x"', "d": "it is empty"}


def test_other_columns_are_grouped_by_too(table):
    vectors = [[0.0, 1.0], [2.0, 3.0]] * 5
    t = table({"a": range(0, 20, 2), "c": ["x", "y"] * 5, "d": [True, False] * 5, "v": vectors})
    assert {name: role.name for name, role in t.roles.items()} == {
        "a": "number",
        "c": "category",
        "d": "category",
        "v": "vector",
    }
    assert t.features == ["a", "c", "d", "v"]
    assert t.X.dtype == np.float32
    assert np.array_equal(
        t.made.transform(
            pa.table(
                {"a": range(0, 20, 2), "c": ["x", "y"] * 5, "d": [True, False] * 5, "v": vectors}
            )
        ),
        t.X,
    )


def test_single_precision_stays_single(table):
    assert table({"a": np.array([1, 1, 2], np.float32)}).X.dtype == np.float32


def test_whole_number_ids_stay_whole_numbers(table):
    assert table({"id": [7, 9], "a": [1.0, 2.0]}, Choice("id")).ids == [7, 9]


@pytest.mark.parametrize("gap", [None, np.nan])
def test_a_gap_is_no_obstacle(table, gap):
    t = table({"a": pa.array([1.0, gap, 3.0, 4.0], from_pandas=False), "b": [1.5, 2, 3, 7]})
    assert t.X.shape == (4, 3)
    assert t.unusable.tolist() == []
    assert t.notes == ["There is no value of a in 1 row; such rows are grouped by the others."]
    alone = table({"a": pa.array([1.0, gap, 3.0, 4.0], from_pandas=False)})
    assert alone.unusable.tolist() == [1]
    assert alone.notes == []


def test_no_rows_are_refused(table):
    with pytest.raises(InvalidInput) as caught:
        table({"a": pa.array([], pa.float64())})
    assert str(caught.value) == "t.parquet has no rows."


def test_another_file_of_that_name_is_refused(tmp_path):
    (tmp_path / "t.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(InvalidInput) as caught:
        read_table(tmp_path / "t.parquet", Choice())
    assert str(caught.value) == "t.parquet is not a Parquet file linkwise can read."


@pytest.mark.parametrize("part", ["end", "pages"])
def test_a_damaged_file_is_refused_in_a_sentence(tmp_path, part):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": np.arange(500.0), "b": ["x", "y"] * 250}), path)
    content = bytearray(path.read_bytes())
    begins = 4 if part == "pages" else len(content) - 300
    content[begins : begins + 200] = b"\xff" * 200
    path.write_bytes(content)
    with pytest.raises(InvalidInput) as caught:
        read_table(path, Choice())
    assert str(caught.value) == "t.parquet is not a Parquet file linkwise can read."


def test_a_failing_disk_is_not_taken_for_a_damaged_file(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.EIO, "Input/output error")

    pq.write_table(pa.table({"a": [1.0, 2.0]}), tmp_path / "t.parquet")
    monkeypatch.setattr(pq, "read_table", fail)
    with pytest.raises(OSError, match="Input/output error"):
        read_table(tmp_path / "t.parquet", Choice())


def test_a_missing_file_is_told_by_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "t.parquet", Choice())


@pytest.mark.parametrize("name", ["t.feather", "t.arrow"])
@pytest.mark.parametrize("open_writer", [pa.ipc.new_file, pa.ipc.new_stream])
def test_arrow_s_own_formats_are_read(tmp_path, name, open_writer):
    columns = pa.table({"id": ["p", "q"], "a": [1.5, 2.5]})
    with open_writer(tmp_path / name, columns.schema) as writer:
        writer.write_table(columns)
    t = read_table(tmp_path / name, Choice("id"))
    assert (t.ids, t.features, t.X.tolist()) == (["p", "q"], ["a"], [[1.5], [2.5]])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_json_lines_are_read(tmp_path, encoding):
    lines = '{"name": "Åse", "a": 1, "b": {"c": 2}}\n\n{"a": 2.5, "name": "Bo"}\n'
    (tmp_path / "t.jsonl").write_text(lines, encoding)
    t = read_table(tmp_path / "t.jsonl", Choice("name"))
    assert (t.ids, t.X.tolist()) == (["Åse", "Bo"], [[1], [2.5]])
    assert said(t.left_out) == {"b": "its type is struct<c: int64>"}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.feather", "a,b\n1,2\n", "t.feather is not a Feather file linkwise can read."),
        ("t.arrow", "", "t.arrow is not an Arrow file linkwise can read."),
        (
            "t.jsonl",
            '{"a": 1}\n{"a": "x"}\n',
            "t.jsonl is not a JSON lines file linkwise can read: JSON parse error: "
            "Column(/a) changed from number to string in row 1.",
        ),
    ],
)
def test_files_that_are_something_else_are_refused(tmp_path, name, content, said):
    (tmp_path / name).write_text(content)
    with pytest.raises(InvalidInput) as caught:
        read_table(tmp_path / name, Choice())
    assert str(caught.value) == said


def test_row_names_need_no_features(tmp_path):
    pq.write_table(pa.table({"id": ["p", "q"]}), tmp_path / "t.parquet")
    assert read_row_names(tmp_path / "t.parquet", "id") == (2, ["p", "q"])


@pytest.mark.parametrize("row", [5, 900])
def test_a_feather_file_that_contradicts_itself_is_refused_in_a_sentence(tmp_path, row):
    """Arrow believes such a file, and whoever looks at the row would read some other memory."""
    words = pa.array([f"some words {k}" for k in range(1000)], pa.large_string())
    path = tmp_path / "x.feather"
    pa.feather.write_feather(pa.table({"x": words}), path, compression="uncompressed")
    content = bytearray(path.read_bytes())
    at = content.find(words.buffers()[1].to_pybytes()[:200]) + 8 * row
    content[at : at + 8] = (2**40).to_bytes(8, "little")
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"^x.feather contradicts itself: .+\.$"):
        read_table(path, Choice())
    with pytest.raises(InvalidInput, match=r"^x.feather contradicts itself: .+\.$"):
        open_rows(path)
