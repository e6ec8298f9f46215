"""Complaints about data in memory name no file, and those about a file name that one."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from linkwise.errors import InvalidInput
from linkwise.session import Columns, Session

FRAME = pd.DataFrame({"name": ["a", "a", "b", "c"], "x": [1.5, np.inf, 3, 4]})


def complaint(folder, data, **options):
    with pytest.raises(InvalidInput) as caught:
        Session.create(folder / "s", data, n_clusters=2, n_partitions=4, **options)
    assert not (folder / "s").exists()
    return str(caught.value)


def test_a_data_frame_is_called_one(tmp_path):
    assert complaint(tmp_path, FRAME, columns=Columns(features=("x",))) == (
        'the data frame, row 1: column "x" is inf. '
        "Fill it in, remove the row, or leave the column out."
    )
    assert complaint(tmp_path, FRAME, columns=Columns(id="nme")).startswith(
        'the data frame has no column "nme".'
    )
    assert complaint(tmp_path, FRAME, columns=Columns(id="name", features=("x",))).startswith(
        'the data frame, column "name": rows 0 and 1 are both called'
    )


def test_an_array_is_called_one(tmp_path):
    rows = np.array([[1.0], [np.nan], [3], [4]])
    assert complaint(tmp_path, rows).startswith('the array, row 1: column "0" has no value.')
    assert complaint(tmp_path, sp.csr_array((0, 2))).startswith("the sparse matrix holds 0 rows")


def test_a_file_is_called_by_its_own_name(tmp_path):
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    columns = Columns(id="nme")
    assert complaint(tmp_path, tmp_path / "people.csv", columns=columns).startswith(
        "people.csv has"
    )


def test_rows_that_join_and_rows_that_are_only_looked_at_are_called_by_what_they_are(tmp_path):
    first = pd.DataFrame({"name": list("abcdefgh"), "x": [1.5, 2, 1, 3, 9, 8, 9.5, 9]})
    wrong = pd.DataFrame({"name": ["z"], "x": [np.inf]})
    wrong.to_csv(tmp_path / "late.csv", index=False)
    columns = Columns(id="name")
    with Session.create(
        tmp_path / "s", first, n_clusters=2, n_partitions=4, columns=columns
    ) as session:
        for call in (session.extend, session.predict):
            with pytest.raises(InvalidInput) as caught:
                call(wrong)
            assert str(caught.value).startswith("the data frame, row 0: ")
            with pytest.raises(InvalidInput) as caught:
                call(tmp_path / "late.csv")
            assert str(caught.value).startswith("late.csv ")
