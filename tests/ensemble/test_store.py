import json
import os

import numpy as np
import pytest

from linkwise.ensemble import LabelMatrix
from linkwise.ensemble.store import padded
from linkwise.errors import InvalidInput, MissingData


def random_labels(n_partitions, n_rows, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(256, size=(n_partitions, n_rows), dtype=np.uint8)


def filled(labels, path=None):
    matrix = LabelMatrix.empty(*labels.shape, path=path)
    matrix.write(0, labels)
    return matrix


@pytest.mark.parametrize("n_rows", [0, 1, 63, 64, 65, 128, 129, 1000, 4096])
def test_the_stride_is_the_least_odd_multiple_of_64_that_holds_the_rows(n_rows):
    fitting = [64 * k for k in range(1, 100, 2) if 64 * k >= n_rows]
    assert padded(n_rows) == fitting[0]


@pytest.mark.parametrize("on_disk", [False, True])
def test_every_partition_starts_on_a_cache_line(on_disk, tmp_path):
    matrix = LabelMatrix.empty(5, 200, tmp_path / "labels" if on_disk else None)
    assert matrix.array.ctypes.data % 64 == 0
    assert matrix.array.strides == (320, 1)


@pytest.mark.parametrize("on_disk", [False, True])
def test_what_is_written_is_read(on_disk, tmp_path):
    labels = random_labels(3, 100)
    matrix = LabelMatrix.empty(3, 100, tmp_path / "labels" if on_disk else None)
    matrix.write(40, labels[:, 40:])
    matrix.write(0, labels[:, :40])
    np.testing.assert_array_equal(matrix.array, labels)
    assert (matrix.n_partitions, matrix.n_rows) == (3, 100)


def test_the_array_cannot_be_changed_behind_the_matrix():
    with pytest.raises(ValueError, match="read-only"):
        LabelMatrix.empty(2, 3).array[0, 0] = 1


def test_rows_are_point_major():
    labels = random_labels(4, 50)
    rows = filled(labels).rows([7, 0, 49, 7])
    np.testing.assert_array_equal(rows, labels[:, [7, 0, 49, 7]].T)
    assert rows.flags.c_contiguous


@pytest.mark.parametrize("row", [-1, 50])
def test_rows_outside_are_refused(row):
    with pytest.raises(InvalidInput) as caught:
        LabelMatrix.empty(4, 50).rows([3, row])
    assert str(caught.value) == f"row {row} is outside the 50 rows of the label matrix."


@pytest.mark.parametrize("on_disk", [False, True])
def test_appending_piece_by_piece_equals_writing_at_once(on_disk, tmp_path):
    labels = random_labels(3, 1000)
    path = tmp_path / "labels" if on_disk else None
    matrix = filled(labels[:, :10], path)
    for start, stop in [(10, 11), (11, 60), (60, 300), (300, 1000)]:
        matrix.append(labels[:, start:stop])
    np.testing.assert_array_equal(matrix.array, labels)
    assert matrix.array.strides[0] % 128 == 64
    if on_disk:
        np.testing.assert_array_equal(LabelMatrix.load(path).array, labels)


def test_rows_that_were_written_but_not_announced_do_not_exist(tmp_path):
    labels = random_labels(2, 40)
    matrix = filled(labels[:, :30], tmp_path)
    matrix.reserve(40)
    matrix.write(30, labels[:, 30:])
    assert matrix.n_rows == LabelMatrix.load(tmp_path).n_rows == 30
    matrix.announce(40)
    np.testing.assert_array_equal(LabelMatrix.load(tmp_path).array, labels)


def test_writing_beyond_the_room_is_refused():
    with pytest.raises(InvalidInput) as caught:
        LabelMatrix.empty(2, 50).write(60, np.zeros((2, 10), np.uint8))
    assert str(caught.value) == (
        "there is no room for labels of rows 60 to 69 in a label matrix of 50 rows."
    )


def test_labels_of_the_wrong_number_of_partitions_are_refused():
    with pytest.raises(InvalidInput) as caught:
        LabelMatrix.empty(2, 50).append(np.zeros((3, 10), np.uint8))
    assert str(caught.value) == "labels have shape (3, 10), expected (2, number of rows)."


def test_many_bytes_written_to_a_file_leave_memory_but_not_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("linkwise.ensemble.store.FORGET_BYTES", 1000)
    labels = random_labels(3, 20000)
    matrix = LabelMatrix.empty(3, 20000, tmp_path)
    for start in range(0, 20000, 500):
        matrix.write(start, labels[:, start : start + 500])
    np.testing.assert_array_equal(matrix.array, labels)


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("n_rows", [1, 64, 100])
def test_loading_gives_what_was_saved(mmap, n_rows, tmp_path):
    labels = random_labels(3, n_rows)
    filled(labels).save(tmp_path)
    loaded = LabelMatrix.load(tmp_path, mmap=mmap)
    np.testing.assert_array_equal(loaded.array, labels)
    loaded.append(labels)
    np.testing.assert_array_equal(loaded.array, np.hstack([labels, labels]))
    assert LabelMatrix.load(tmp_path).n_rows == n_rows  # what was saved stays as it was


def test_saving_where_the_labels_live_keeps_them(tmp_path):
    labels = random_labels(3, 70)
    matrix = filled(labels, tmp_path)
    matrix.save(tmp_path)
    np.testing.assert_array_equal(LabelMatrix.load(tmp_path).array, labels)


def test_a_folder_without_labels_is_named(tmp_path):
    with pytest.raises(MissingData) as caught:
        LabelMatrix.load(tmp_path)
    assert str(caught.value) == f"there is no label matrix in {tmp_path}: labels.json is missing."


def test_a_header_without_its_labels_is_named(tmp_path):
    filled(random_labels(3, 70), tmp_path)
    (tmp_path / "labels.npy").unlink()
    with pytest.raises(MissingData) as caught:
        LabelMatrix.load(tmp_path)
    assert str(caught.value) == f"the labels are missing: there is no {tmp_path / 'labels.npy'}."


def test_a_file_that_was_cut_short_is_refused(tmp_path):
    filled(random_labels(3, 70)).save(tmp_path)
    path = tmp_path / "labels.npy"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InvalidInput) as caught:
        LabelMatrix.load(tmp_path)
    assert str(caught.value) == (
        f"{path} has 703 bytes but 3 x 192 values of uint8 need 704. The file is cut short."
    )
    assert path.stat().st_size == 703


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"version": 2},
            "{0}: version 2 is unknown; this linkwise reads version 1. "
            "A newer linkwise may open it.",
        ),
        ({"format": "x"}, '{0}: expected a JSON object with "format": "linkwise label matrix".'),
        ({"n_rows": -1}, "{0}: n_rows is -1, not a count."),
        (
            {"n_rows": 1000},
            "{1} holds 3 partitions with room for 192 rows, but labels.json announces "
            "3 partitions of 1000 rows.",
        ),
    ],
)
def test_a_header_that_does_not_fit_is_refused(change, sentence, tmp_path):
    filled(random_labels(3, 70)).save(tmp_path)
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(InvalidInput) as caught:
        LabelMatrix.load(tmp_path)
    assert str(caught.value) == sentence.format(path, tmp_path / "labels.npy")


def test_a_header_that_is_not_json_is_refused(tmp_path):
    (tmp_path / "labels.json").write_text("labels")
    with pytest.raises(InvalidInput) as caught:
        LabelMatrix.load(tmp_path)
    path = tmp_path / "labels.json"
    assert str(caught.value) == f"{path} line 1: not valid JSON (Expecting value)."


def test_an_array_of_another_type_is_refused(tmp_path):
    filled(random_labels(3, 70)).save(tmp_path)
    np.save(tmp_path / "labels.npy", np.zeros((3, 192)))
    with pytest.raises(InvalidInput) as caught:
        LabelMatrix.load(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / 'labels.npy'} holds float64 of shape (3, 192), not labels."
    )


def test_a_mapped_file_is_not_changed_by_what_is_written_or_added(tmp_path):
    labels = random_labels(3, 70)
    filled(labels).save(tmp_path)
    before = (tmp_path / "labels.npy").read_bytes(), (tmp_path / "labels.json").read_bytes()
    loaded = LabelMatrix.load(tmp_path)
    loaded.append(labels[:, :5])
    loaded.write(0, labels[:, 5:7])
    loaded.flush()
    np.testing.assert_array_equal(loaded.array[:, :2], labels[:, 5:7])
    np.testing.assert_array_equal(loaded.array[:, 70:], labels[:, :5])
    after = (tmp_path / "labels.npy").read_bytes(), (tmp_path / "labels.json").read_bytes()
    assert after == before


def test_a_file_cut_while_it_is_mapped_is_told(tmp_path):
    filled(random_labels(3, 20_000)).save(tmp_path)
    loaded = LabelMatrix.load(tmp_path)
    lent = loaded.borrowed(19_000)
    path = tmp_path / "labels.npy"
    size = path.stat().st_size
    os.truncate(path, 4096)
    looks = (lambda: loaded.array, lambda: loaded.rows([19_999]), lambda: lent.array)
    for look in (*looks, lambda: lent.append(np.zeros((3, 1)))):
        with pytest.raises(InvalidInput) as caught:
            look()
        assert str(caught.value) == (
            f"{path} was cut short while it was in use: it had {size} bytes and has 4096. Put a "
            "copy back, and open it again."
        )


def test_what_was_lent_is_copied_before_it_changes():
    labels = random_labels(3, 70)
    lender = filled(labels)
    lent = lender.borrowed(50)
    lent.append(labels[:, :4])
    other = lender.borrowed()
    other.write(0, labels[:, 5:7])
    np.testing.assert_array_equal(lender.array, labels)
    np.testing.assert_array_equal(lent.array, np.hstack([labels[:, :50], labels[:, :4]]))
    np.testing.assert_array_equal(other.array, np.hstack([labels[:, 5:7], labels[:, 2:]]))
