"""Sparse rows from files: believed only when every part fits every other."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwise import SequentialClustering
from linkwise.errors import InvalidFile, InvalidInput
from linkwise.tables import Choice, read_table
from linkwise.tables.sparse import sparse_rows

GOOD = {
    "data": np.array([1.0, 2.0, 3.0]),
    "indices": np.array([0, 1, 2]),
    "indptr": np.array([0, 1, 2, 3]),
    "shape": np.array([3, 3]),
}
WRONG = {
    "a start far outside": {"indptr": np.array([0, 10**9, 2, 3])},
    "a start outside": {"indptr": np.array([0, 2000, 2, 3])},
    "an end outside": {"indptr": np.array([0, 1, 2, 4])},
    "no beginning": {"indptr": np.array([1, 1, 2, 3])},
    "below zero": {"indptr": np.array([0, -1, 2, 3])},
    "too few starts": {"indptr": np.array([0, 3])},
    "a column outside": {"indices": np.array([0, 1, 3])},
    "a column below zero": {"indices": np.array([0, -1, 2])},
    "too few indices": {"indices": np.array([0, 1])},
    "starts that are no numbers": {"indptr": np.array(["0", "1", "2", "3"])},
    "starts that are not whole": {"indptr": np.array([0.0, 1.0, 2.0, 3.0])},
    "too many dimensions": {"indices": np.array([[0, 1, 2]])},
    "a shape below zero": {"shape": np.array([3, -3])},
    "three sides": {"shape": np.array([3, 3, 3])},
    "text for a shape": {"shape": np.array(["3", "3"])},
    "a huge shape": {"shape": np.array([2**62, 2**62])},
    "an index beyond all": {"indices": np.array([0, 1, 2**64 - 1], dtype=np.uint64)},
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_parts_that_contradict_each_other_are_refused(change):
    with pytest.raises(InvalidFile, match=r"^t\.npz holds sparse rows that contradict themselves"):
        sparse_rows("t.npz", GOOD | change)


def test_the_sentence_names_the_place():
    with pytest.raises(InvalidFile) as refused:
        sparse_rows("t.npz", GOOD | WRONG["a start far outside"])
    assert str(refused.value) == (
        "t.npz holds sparse rows that contradict themselves: "
        "indptr[2] is 2; it must begin at 0 and never fall."
    )


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
def test_rows_and_columns_are_told_apart(tmp_path, kind):
    X = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 3.0]])
    X[0, 2] = 5.0  # not the same when turned over
    sp.save_npz(tmp_path / "t.npz", kind(X))
    assert (read_table(tmp_path / "t.npz", Choice()).X.toarray() == X).all()


def test_another_format_is_refused_by_name(tmp_path):
    sp.save_npz(tmp_path / "t.npz", sp.bsr_array(np.ones((4, 4))))
    with pytest.raises(InvalidFile, match=r"in the format 'bsr'\. Save it as CSR"):
        read_table(tmp_path / "t.npz", Choice())


def test_more_columns_than_any_table_has_are_refused(tmp_path):
    np.savez(tmp_path / "t.npz", **(GOOD | {"shape": np.array([3, 2**40])}))
    with pytest.raises(InvalidFile, match="has 1,099,511,627,776 columns, more than"):
        read_table(tmp_path / "t.npz", Choice())


@pytest.mark.parametrize("n_rows", [2**62, 2**44])
def test_columns_of_more_rows_than_there_is_room_for_are_refused(n_rows):
    told = GOOD | {"format": np.array(b"csc"), "shape": np.array([n_rows, 3])}
    with pytest.raises(InvalidFile) as refused:
        sparse_rows("t.npz", told)
    assert str(refused.value) == f"t.npz holds {n_rows:,} rows, which do not fit into the memory."


@pytest.mark.parametrize("starts", [[0, 10**9, 2, 3], [0, 2000, 2, 3]])
def test_the_command_line_lives_to_say_so(tmp_path, starts):
    np.savez(tmp_path / "t.npz", **(GOOD | {"indptr": np.array(starts)}))
    code = "from linkwise.cli import main; main()"
    call = ["cluster", "t.npz", "-k", "2", "-o", "out.csv"]
    ended = subprocess.run(
        [sys.executable, "-c", code, *call], cwd=tmp_path, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("t.npz holds sparse rows that contradict themselves")


def test_a_matrix_in_memory_is_looked_at_too():
    X = sp.csr_array(np.eye(4))
    X.indptr = np.array([0, 2000, 2, 3, 4], dtype=X.indptr.dtype)
    with pytest.raises(InvalidInput, match="X is a sparse matrix that contradicts itself"):
        SequentialClustering(2, n_partitions=5).fit(X)


numbers = st.lists(st.integers(-3, 6) | st.sampled_from([10**9, -(2**62), 2**62]), max_size=6)
kinds = st.sampled_from([np.int64, np.int32, np.uint64, np.float64, np.int8])


@st.composite
def well_formed(draw):
    """Draw arrays that are fine by themselves, mostly not together."""
    parts = {name: draw(numbers) for name in ("data", "indices", "indptr")}
    parts["shape"] = draw(st.lists(st.integers(-1, 5), min_size=1, max_size=3))
    with np.errstate(all="ignore"):
        return {
            name: np.array(values, dtype=object).astype(np.float64).astype(draw(kinds))
            for name, values in parts.items()
        }


@settings(max_examples=300, deadline=None)
@given(well_formed())
def test_what_is_let_through_is_whole(arrays):
    try:
        rows = sparse_rows("t.npz", arrays)
    except InvalidFile:
        return
    rows.check_format(full_check=True)
    dense = np.zeros(rows.shape)
    for row in range(rows.shape[0]):
        for at in range(int(arrays["indptr"][row]), int(arrays["indptr"][row + 1])):
            dense[row, int(arrays["indices"][at])] += arrays["data"][at]
    assert np.array_equal(rows.toarray(), dense, equal_nan=True)
