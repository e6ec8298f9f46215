"""Parquet tables."""

import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from linkwise.errors import InvalidInput, MissingExtra
from linkwise.tables import Choice, read_row_names, read_table


@pytest.fixture
def table(tmp_path):
    def read(columns, choice=Choice()):  # noqa: B008
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table(columns), path)
        return read_table(path, choice)

    return read


def test_numbers_are_features_and_the_rest_is_left_out(table):
    t = table({"a": [1, 5], "b": [0.5, 2.5], "c": ["x", "y"], "d": [True, False]})
    assert t.features == ["a", "b"]
    assert t.X.tolist() == [[1, 0.5], [5, 2.5]]
    assert t.X.dtype == np.float64
    assert t.left_out == {"c": "its type is string", "d": "its type is bool"}


def test_single_precision_stays_single(table):
    assert table({"a": np.ones(3, np.float32)}).X.dtype == np.float32


def test_whole_number_ids_stay_whole_numbers(table):
    assert table({"id": [7, 9], "a": [1.0, 2.0]}, Choice("id")).ids == [7, 9]


def test_a_gap_is_refused_with_row_and_column(table):
    with pytest.raises(InvalidInput) as caught:
        table({"a": [1.0, None, 3.0]})
    assert str(caught.value) == (
        't.parquet row 1: column "a" has no value. '
        'Fill it in, remove the row, or leave the column out with --drop "a".'
    )


def test_nan_is_refused_with_row_and_column(table):
    with pytest.raises(InvalidInput) as caught:
        table({"b": [5.0, 5.0, 6.0], "a": [1.0, 3.0, np.nan]})
    assert str(caught.value) == (
        't.parquet row 2: column "a" has no value. '
        'Fill it in, remove the row, or leave the column out with --drop "a".'
    )


def test_no_rows_are_refused(table):
    with pytest.raises(InvalidInput) as caught:
        table({"a": pa.array([], pa.float64())})
    assert str(caught.value) == "t.parquet has no rows."


def test_another_file_of_that_name_is_refused(tmp_path):
    (tmp_path / "t.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(InvalidInput) as caught:
        read_table(tmp_path / "t.parquet", Choice())
    assert str(caught.value) == "t.parquet is not a Parquet file linkwise can read."


def test_a_missing_file_is_told_by_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "t.parquet", Choice())


def test_without_pyarrow_one_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra) as caught:
        read_table(tmp_path / "t.parquet", Choice())
    assert str(caught.value) == 'Reading Parquet needs pyarrow: pip install "linkwise[files]"'


def test_row_names_need_no_features(tmp_path):
    pq.write_table(pa.table({"id": ["p", "q"]}), tmp_path / "t.parquet")
    assert read_row_names(tmp_path / "t.parquet", "id") == (2, ["p", "q"])
