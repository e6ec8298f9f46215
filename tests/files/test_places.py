"""Rows and labels at an address that pyarrow opens: as those of a folder here, or a sentence."""

import numpy as np
import pyarrow as pa
import pyarrow.fs as fs
import pyarrow.parquet as pq
import pytest

import linkwise as lw
from linkwise.ensemble import as_source
from linkwise.errors import InvalidInput, LinkwiseError, MissingData

X = np.random.default_rng(0).normal(size=(700, 3))


PYARROWS = fs.FileSystem


class Likeness(type):
    """Lets what is a file system to pyarrow be one to whoever asks the store."""

    def __instancecheck__(cls, one):
        return isinstance(one, PYARROWS)


class Store(metaclass=Likeness):
    """Knows addresses store://...: a folder here, of which pyarrow does not say that it is here."""

    place = ""

    @classmethod
    def from_uri(cls, address):
        scheme, _, path = address.partition("://")
        if scheme != "store":
            return PYARROWS.from_uri(address)
        if path.startswith("silent/"):
            raise OSError("Could not resolve host: silent")
        return fs.SubTreeFileSystem(str(cls.place), fs.LocalFileSystem()), path


@pytest.fixture
def store(tmp_path, monkeypatch):
    """An object store with a folder of two files; returns the folder that it is."""
    monkeypatch.setattr(Store, "place", tmp_path)
    monkeypatch.setattr(fs, "FileSystem", Store)
    (tmp_path / "rows").mkdir()
    for k, rows in enumerate(np.split(X, [300])):
        columns = {f"f{j}": rows[:, j] for j in range(3)}
        pq.write_table(pa.table(columns), tmp_path / "rows" / f"{k}.parquet")
    return tmp_path


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("X_there", "expected"),
    [
        ("store://rows", X),
        ("store://rows/1.parquet", X[300:]),
        (["store://rows/1.parquet", "store://rows/0.parquet"], np.vstack([X[300:], X[:300]])),
    ],
)
def test_rows_at_an_address_are_rows(X_there, expected):
    rows = as_source(X_there)
    np.testing.assert_array_equal(rows.read(0, rows.n_rows), expected)


def test_rows_at_an_address_that_changed_are_other_rows(store):
    before = as_source("store://rows").fingerprint
    assert as_source("store://rows").fingerprint == before
    columns = {f"f{j}": X[:10, j] for j in range(3)}
    pq.write_table(pa.table(columns), store / "rows" / "1.parquet")
    assert as_source("store://rows").fingerprint != before


def test_labels_go_to_an_address(store):
    model = lw.SequentialClustering(2, n_partitions=5, random_state=0).fit("store://rows")
    model.write_labels("store://labels")
    np.testing.assert_array_equal(pq.read_table(store / "labels")["label"], model.labels_)
    with pytest.raises(InvalidInput, match=r"^store://labels holds labels-.* already; it was left"):
        model.write_labels("store://labels")
    with pytest.raises(LinkwiseError, match=r"^store://silent/x cannot be reached: Could not reso"):
        model.write_labels("store://silent/x")


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("address", "error", "sentence"),
    [
        ("store://silent/rows", LinkwiseError, "^store://silent/rows cannot be reached: Could not"),
        ("store://nothing", MissingData, r"^there is no Parquet file in store://nothing\.$"),
        ("attic://rows", InvalidInput, "^attic://rows is no address that pyarrow opens: Unrecogni"),
        (["store://a.npy"], InvalidInput, r"^a\.npy: \.npy files are read on this machine alone\."),
    ],
)
def test_an_address_that_is_of_no_use_is_a_sentence(address, error, sentence):
    with pytest.raises(error, match=sentence):
        as_source(address)
