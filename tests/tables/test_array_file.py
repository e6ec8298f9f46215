"""NumPy files as tables."""

import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

from linkwise.errors import InvalidInput
from linkwise.tables import Choice, read_row_names, read_table

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def npz(folder, **arrays):
    np.savez(folder / "t.npz", **arrays)
    return folder / "t.npz"


def refusal(path, choice=Choice(), array=None):  # noqa: B008
    with pytest.raises(InvalidInput) as caught:
        read_table(path, choice, array)
    return str(caught.value)


@pytest.mark.parametrize(
    ("given", "kept"),
    [("uint8", "float32"), ("int64", "float64"), ("float32", "float32"), ("float64", "float64")],
)
def test_numbers_become_floats_without_loss(tmp_path, given, kept):
    np.save(tmp_path / "t.npy", X.astype(given))
    t = read_table(tmp_path / "t.npy", Choice())
    assert t.X.dtype == kept
    assert np.array_equal(t.X, X)
    assert t.features == ["0", "1", "2"]
    assert not t.has_units


def test_columns_are_chosen_by_number(tmp_path):
    path = npz(tmp_path, X=X)
    assert np.array_equal(read_table(path, Choice(features=("2", "0"))).X, X[:, [2, 0]])
    assert np.array_equal(read_table(path, Choice(drop=("1",))).X, X[:, [0, 2]])


def test_an_array_is_chosen_by_name(tmp_path):
    path = npz(tmp_path, X=X, other=X + 1)
    assert np.array_equal(read_table(path, Choice()).X, X)
    assert np.array_equal(read_table(path, Choice(), "other").X, X + 1)


def test_an_array_names_the_rows(tmp_path):
    path = npz(tmp_path, X=X, names=np.array(["p", "q"]), numbers=np.array([7, 9]))
    assert read_table(path, Choice("names")).ids == ["p", "q"]
    assert read_row_names(path, "numbers") == (2, [7, 9])


def test_sparse_rows_stay_sparse(tmp_path):
    sp.save_npz(tmp_path / "t.npz", sp.csr_array(X))
    t = read_table(tmp_path / "t.npz", Choice(drop=("0",)))
    assert sp.issparse(t.X)
    assert np.array_equal(t.X.toarray(), X[:, 1:])


def test_a_missing_array_is_refused(tmp_path):
    path = npz(tmp_path, data=X, y=X[:, 0])
    assert refusal(path) == 't.npz has no array "X", it has data, y. Name one of them.'
    assert refusal(path, array="Z") == ('t.npz has no array "Z", it has data, y. Name one of them.')


def test_an_array_of_another_shape_is_refused(tmp_path):
    assert refusal(npz(tmp_path, X=X[0])) == (
        't.npz: array "X" has shape (3,), expected rows and columns, of shape (n_rows, n_columns).'
    )


def test_an_array_without_rows_is_refused(tmp_path):
    assert refusal(npz(tmp_path, X=X[:0])) == "t.npz holds 0 rows and 3 columns."


def test_an_array_of_text_is_refused(tmp_path):
    assert refusal(npz(tmp_path, X=X.astype("U3"))) == 't.npz: array "X" holds <U3, not numbers.'


def test_an_archive_with_something_else_than_arrays_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("X.txt", "not an array")
    assert refusal(tmp_path / "a.npz") == (
        "a.npz is not a NumPy file linkwise can read: it reads arrays of numbers and text, never "
        "pickled objects."
    )


def test_a_gap_is_refused_with_row_and_column(tmp_path):
    gap = X.copy()
    gap[1, 2] = np.nan
    assert refusal(npz(tmp_path, X=gap)) == (
        't.npz row 1: column "2" has no value. Fill it in, remove the row, or leave the column out.'
    )


def test_an_infinite_value_is_found_also_where_the_sum_is_finite(tmp_path):
    odd = X.copy()
    odd[0, 1], odd[1, 1] = np.inf, -np.inf
    assert refusal(npz(tmp_path, X=odd)) == (
        't.npz row 0: column "1" is inf. Fill it in, remove the row, or leave the column out.'
    )


def test_a_gap_among_sparse_values_is_refused_with_row_and_column(tmp_path):
    sp.save_npz(tmp_path / "t.npz", sp.csr_array([[0.0, 1.0], [0.0, np.nan]]))
    assert refusal(tmp_path / "t.npz") == (
        't.npz row 1: column "1" has no value. Fill it in, remove the row, or leave the column out.'
    )


def test_an_unknown_column_is_refused(tmp_path):
    assert refusal(npz(tmp_path, X=X), Choice(features=("3",))) == (
        't.npz has no column "3". It has 0, 1, 2.'
    )


def test_dropping_everything_is_refused(tmp_path):
    assert refusal(npz(tmp_path, X=X), Choice(drop=("0", "1", "2"))) == (
        "t.npz: no column is left to cluster by."
    )


def test_ids_of_another_length_are_refused(tmp_path):
    path = npz(tmp_path, X=X, names=np.array(["p", "q", "r"]))
    assert refusal(path, Choice("names")) == 't.npz: array "names" has shape (3,) for 2 rows.'


def test_ids_that_do_not_exist_are_refused(tmp_path):
    assert refusal(npz(tmp_path, X=X), Choice("names")) == (
        't.npz has no array "names" to name the rows, it has X.'
    )


def test_pickled_objects_are_never_read(tmp_path):
    np.save(tmp_path / "t.npy", np.array([{}], dtype=object), allow_pickle=True)
    assert refusal(tmp_path / "t.npy") == (
        "t.npy is not a NumPy file linkwise can read: it reads arrays of numbers and text, "
        "never pickled objects."
    )


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"PK\x03\x04 not a zip file"])
def test_another_file_of_that_name_is_refused(tmp_path, content):
    (tmp_path / "t.npz").write_bytes(content)
    assert refusal(tmp_path / "t.npz").startswith("t.npz is not a NumPy file linkwise can read")


def test_choosing_an_array_of_a_csv_file_is_refused(tmp_path):
    assert refusal(tmp_path / "t.csv", array="X") == (
        't.csv is not a .npz file, so there is no array "X" in it.'
    )
