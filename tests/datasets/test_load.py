"""Data sets by name, from three places, and a sentence where there is none."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.datasets
from sklearn.utils import Bunch

from linkwise.datasets import Dataset, available, load
from linkwise.errors import InvalidInput, LinkwiseError, MissingData

#: Rows, features, classes.
BUNDLED = {
    "breast_cancer": (569, 30, 2),
    "digits": (1797, 64, 10),
    "iris": (150, 4, 3),
    "wine": (178, 13, 3),
}


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    """Forget the machine's own folder of data sets."""
    monkeypatch.delenv("LINKWISE_DATA", raising=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWISE_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def published(monkeypatch):
    """Pretend that OpenML publishes one table; returns the calls that were made."""
    calls = []

    def publish(X, y):
        def fetch(**asked):
            calls.append(asked)
            return Bunch(data=X, target=y)

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
        return calls

    return publish


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_sets_load_without_a_folder(name):
    data = load(name)
    n, d, k = BUNDLED[name]
    assert data.X.shape == (n, d)
    assert data.y.dtype == np.int64
    assert np.unique(data.y).tolist() == list(range(k))
    assert repr(data) == f"Dataset('{name}': {n} rows, {d} features, {k} classes)"


def test_available_names_the_bundled_sets_and_those_in_the_folder(folder):
    assert available() == sorted(BUNDLED)
    (folder / "glass.npz").touch()
    (folder / "of_my_own.npz").touch()
    assert available() == sorted([*BUNDLED, "glass", "of_my_own"])


def test_a_set_of_ones_own_joins_by_lying_in_the_folder(folder):
    np.savez(folder / "of_my_own.npz", X=np.eye(4), y=np.array(["b", "a", "b", "c"]))
    data = load("of_my_own")
    assert data.X.shape == (4, 4)
    assert data.y.tolist() == [1, 0, 1, 2]


def test_a_set_of_ones_own_needs_rows_and_as_many_labels(folder):
    path = folder / "of_my_own.npz"
    np.savez(path, X=np.eye(4))
    with pytest.raises(InvalidInput) as caught:
        load("of_my_own")
    assert str(caught.value) == f"{path} holds no X and y, but X."
    np.savez(path, X=np.eye(4), y=np.arange(3))
    with pytest.raises(InvalidInput) as caught:
        load("of_my_own")
    assert str(caught.value) == (
        f"{path} holds X 4×4 and 3 labels, expected 3×4. There must be one label a row."
    )


def test_arrays_of_python_objects_are_not_read_and_one_is_told_what_to_save(folder):
    path = folder / "of_my_own.npz"
    np.savez(path, X=np.eye(3), y=np.array(["a", "b", "a"], dtype=object))
    words = "holds y as Python objects, which are not read. Save it as numpy.asarray(y, dtype=str)."
    with pytest.raises(InvalidInput, match=re.escape(f"{path} {words}")):
        load("of_my_own")
    np.savez(path, X=np.eye(3).astype(object), y=np.arange(3))
    with pytest.raises(InvalidInput, match=r"holds X as .* numpy.asarray\(X, dtype=float\)\.$"):
        load("of_my_own")


def test_a_name_does_not_lead_out_of_the_folder(folder):
    np.savez(folder / "of_my_own.npz", X=np.eye(4), y=np.arange(4))
    with pytest.raises(InvalidInput, match="is not a data set linkwise knows"):
        load(f"../{folder.name}/of_my_own")


@pytest.mark.parametrize(
    ("stored", "read"), [("uint8", "float64"), ("float32", "float32"), ("int64", "float64")]
)
def test_a_file_in_the_folder_is_read_as_floats(folder, stored, read):
    X, y = np.arange(214 * 9).reshape(214, 9) % 100, np.arange(214) % 6
    np.savez(folder / "glass.npz", X=X.astype(stored), y=y.astype(np.int8))
    data = load("glass")
    assert data.X.dtype == read
    assert np.array_equal(data.X, X)
    assert data.y.dtype == np.int64
    assert data.n_classes == 6


def test_a_sparse_file_stays_sparse(folder):
    X = sp.random_array((11162, 11465), density=1e-5, format="csr", random_state=0)
    parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    np.savez(folder / "ohscal.npz", **parts, y=np.arange(11162) % 10)
    data = load("ohscal")
    assert sp.issparse(data.X)
    assert (data.X != X).nnz == 0


def test_a_file_of_another_table_is_refused(folder):
    np.savez(folder / "glass.npz", X=np.zeros((10, 9)), y=np.zeros(10))
    with pytest.raises(InvalidInput) as caught:
        load("glass")
    assert str(caught.value) == (
        f"{folder / 'glass.npz'} holds X 10×9 and 10 labels, expected 214×9. "
        "It is not the glass we know; rename it or load it with numpy."
    )


def test_a_file_with_too_few_labels_is_refused(folder):
    np.savez(folder / "glass.npz", X=np.zeros((214, 9)), y=np.zeros(200))
    with pytest.raises(InvalidInput) as caught:
        load("glass")
    assert "holds X 214×9 and 200 labels, expected 214×9." in str(caught.value)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(InvalidInput) as caught:
        load("irises")
    said = str(caught.value)
    assert said.startswith("'irises' is not a data set linkwise knows. Known: bci, breast, ")
    assert all(f" {name}" in said for name in BUNDLED)


def test_a_missing_set_says_where_to_put_it_or_how_to_get_it():
    with pytest.raises(MissingData) as caught:
        load("glass")
    assert str(caught.value) == (
        "glass is not bundled. Put glass.npz with X (214×9) and y into a folder named by "
        'LINKWISE_DATA, or call load("glass", download=True).'
    )
    assert isinstance(caught.value, FileNotFoundError)


def test_a_missing_set_names_the_folder_that_was_searched(folder):
    with pytest.raises(MissingData) as caught:
        load("coil20")
    assert str(caught.value) == (
        f"coil20 is not bundled. Put coil20.npz with X (1440×1024) and y into the folder {folder}."
    )


def test_nothing_is_downloaded_unasked(published):
    calls = published(np.zeros((214, 9)), np.zeros(214))
    with pytest.raises(MissingData):
        load("glass")
    assert calls == []


def test_a_download_gives_floats_and_counted_classes(published):
    X = np.random.RandomState(0).uniform(size=(214, 9))
    y = np.array(["window", "bulb"])[np.arange(214) % 2]
    calls = published(X, y)
    data = load("glass", download=True)
    assert calls == [{"data_id": 41, "as_frame": False, "parser": "liac-arff"}]
    assert np.array_equal(data.X, X)
    assert data.y[:4].tolist() == [1, 0, 1, 0]


def test_the_folder_is_preferred_to_a_download(folder, published):
    calls = published(np.ones((214, 9)), np.zeros(214))
    np.savez(folder / "glass.npz", X=np.zeros((214, 9)), y=np.zeros(214))
    assert load("glass", download=True).X.sum() == 0
    assert calls == []


def test_covtype_comes_from_its_own_fetcher(monkeypatch):
    whole = Bunch(data=np.zeros((581012, 54), np.float32), target=np.arange(581012) % 7 + 1)
    monkeypatch.setattr(sklearn.datasets, "fetch_covtype", lambda: whole)
    assert load("covtype", download=True).y[:3].tolist() == [0, 1, 2]


def test_a_public_copy_of_another_shape_is_refused(published):
    published(np.zeros((100, 9)), np.zeros(100))
    with pytest.raises(MissingData) as caught:
        load("glass", download=True)
    assert str(caught.value) == "the public copy of glass has 100×9 values, expected 214×9."


def test_a_set_that_is_not_published_cannot_be_downloaded():
    with pytest.raises(MissingData) as caught:
        load("coil20", download=True)
    assert str(caught.value) == (
        "coil20 is not bundled. Put coil20.npz with X (1440×1024) and y into a folder named by "
        "LINKWISE_DATA."
    )


def test_every_refusal_is_one_of_ours():
    for name in ("irises", "glass"):
        with pytest.raises(LinkwiseError):
            load(name)


def test_a_data_set_counts_its_classes():
    assert Dataset("toy", np.zeros((3, 1)), np.array([0, 4, 4])).n_classes == 2
