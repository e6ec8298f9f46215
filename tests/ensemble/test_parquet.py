import numpy as np
import pandas
import pyarrow.parquet
import pytest

from linkwise.ensemble import ParquetSource, as_source
from linkwise.errors import InvalidInput


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {"a": rng.normal(size=100), "n": rng.integers(9, size=100), "name": ["x"] * 100}
    )
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=30)
    return tmp_path / "t.parquet"


def test_reads_in_any_order_give_the_rows(path, monkeypatch):
    monkeypatch.setattr("linkwise.ensemble.parquet.BATCH_ROWS", 7)
    source = ParquetSource(path, columns=["n", "a"])
    X = pandas.read_parquet(path)[["n", "a"]].to_numpy()
    rng = np.random.default_rng(1)
    for _ in range(100):
        start, stop = np.sort(rng.choice(101, 2, replace=False))
        np.testing.assert_array_equal(source.read(start, stop), X[start:stop])


def test_reading_in_order_decodes_each_row_group_once(path):
    source = ParquetSource(path, columns=["a"])
    seeks = []
    seek = source._seek
    source._seek = lambda row: seeks.append(row) or seek(row)
    for start in range(0, 100, 13):
        source.read(start, min(start + 13, 100))
    assert seeks == [0]


def test_a_column_that_is_not_numeric_is_refused(path):
    kind = pyarrow.parquet.read_schema(path).field("name").type
    with pytest.raises(InvalidInput) as caught:
        as_source(path)
    assert str(caught.value) == (
        f"column 'name' of {path} holds {kind} values, expected real numbers. "
        "columns=[...] of ParquetSource or FileRows reads only the columns you name."
    )


def test_a_column_that_does_not_exist_is_refused(path):
    with pytest.raises(InvalidInput) as caught:
        ParquetSource(path, columns=["a", "b"])
    assert str(caught.value) == f"{path} has no column 'b'. It has: a, n, name."


def test_a_file_that_is_not_parquet_is_refused(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(InvalidInput) as caught:
        as_source(path)
    assert str(caught.value).startswith(f"{path} is not a Parquet file: ")
