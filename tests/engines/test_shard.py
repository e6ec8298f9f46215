"""A shard without a cluster: labels in a file, made again where there is none."""

import errno
import os
import pickle
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from linkwise.engines.base import Ballot
from linkwise.engines.cpu import Cpu
from linkwise.engines.rules import ByTables
from linkwise.engines.shard import Shard, cuts, pack, unpack
from linkwise.ensemble import FileRows, as_source, build_ensemble
from linkwise.ensemble.sources import part_of
from linkwise.errors import InvalidInput, LinkwiseError, MissingData

rng = np.random.default_rng(0)
X = rng.normal(size=(1500, 4)).astype(np.float32)
ENSEMBLE = build_ensemble(X, 3, n_partitions=6, seed=0)
BALLOT = Ballot(
    ByTables(rng.random((6, ENSEMBLE.n_blocks, 3))),
    1500,
    np.array([900, 3, 700]),
    np.array([2, 1, 0]),
    np.array([5, 901]),
)
WHOLE = Cpu().vote(ENSEMBLE, BALLOT, 1)


def make(folder, start=512, stop=1280, source=None):
    source = as_source(X) if source is None else source
    models = ENSEMBLE.models, ENSEMBLE.preparation
    return Shard(source, start, stop, models[1], models[0], folder, Cpu(), 1)


@given(n_rows=st.integers(1, 5000), n_parts=st.integers(0, 30))
def test_parts_cover_all_rows_and_begin_with_a_tile(n_rows, n_parts):
    bounds = cuts(n_rows, n_parts)
    assert bounds[0] == 0
    assert bounds[-1] == n_rows
    assert all(a < b and a % 256 == 0 for a, b in pairwise(bounds))
    assert len(bounds) - 1 <= max(1, n_parts)


@given(n_clusters=st.sampled_from([1, 3, 255, 256]), seed=st.integers(0, 99))
def test_labels_are_packed_without_loss(n_clusters, seed):
    labels = np.random.default_rng(seed).integers(-1, n_clusters, 50).astype(np.int32)
    packed = pack(labels, n_clusters)
    assert packed.itemsize == (1 if n_clusters < 256 else 2)
    np.testing.assert_array_equal(unpack(packed), labels)


def test_a_shard_has_the_labels_that_its_rows_have_among_all(tmp_path):
    shard = make(tmp_path)
    assert shard.label(300) == 512  # whole tiles
    assert shard.label(10_000) == 768
    np.testing.assert_array_equal(
        shard.rows(np.arange(768)), ENSEMBLE.labels.rows(np.arange(512, 1280))
    )
    votes = shard.vote("a", BALLOT, 512, 768)
    for whole, part in zip(WHOLE, votes, strict=True):
        np.testing.assert_array_equal(part, whole[512:1280])
    assert shard.vote("a", BALLOT, 512, 768) is votes
    assert len(shard.vote("b", BALLOT, 512, 100).labels) == 100


def test_sparse_rows_stay_sparse():
    part = part_of(as_source(sparse.csr_array(X)), 10, 20)
    assert part.sparse_rows(slice(0, 3)).shape == (3, 4)
    np.testing.assert_array_equal(part.read(0, 10), X[10:20])


class Counted:
    """Rows that say how many were read."""

    n_rows, n_features = X.shape

    def __init__(self):
        self.n_read = 0

    def read(self, start, stop):
        self.n_read += stop - start
        return X[start:stop]


def test_a_shard_that_starts_again_goes_on_where_it_was(tmp_path):
    make(tmp_path).label(300)
    rows = Counted()
    again = make(tmp_path, source=rows)
    assert again.n_labelled == 512
    again.label(768)
    assert rows.n_read == 256
    np.testing.assert_array_equal(again.rows([0, 767]), ENSEMBLE.labels.rows([512, 1279]))


@pytest.mark.parametrize("harm", ["missing", "cut short", "no header", "of others"])
def test_labels_that_are_gone_or_damaged_are_made_again(tmp_path, harm):
    make(tmp_path).label(768)
    if harm == "missing":
        (tmp_path / "labels.npy").unlink()
    elif harm == "cut short":
        os.truncate(tmp_path / "labels.npy", 1000)
    elif harm == "no header":
        (tmp_path / "labels.json").write_text("{")
    else:
        make(tmp_path, 0, 1500).label(1500)
    again = make(tmp_path)
    assert again.n_labelled == 0
    np.testing.assert_array_equal(again.rows([0, 767]), ENSEMBLE.labels.rows([512, 1279]))


def test_a_full_disk_is_a_sentence(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(LinkwiseError, match=r"no room for .* GB of labels in .*Make some"):
        make(tmp_path)


def test_a_bad_value_is_named_by_its_place_among_all_rows(tmp_path):
    spoiled = X.copy()
    spoiled[600, 2] = np.nan
    with pytest.raises(InvalidInput, match=r"X\[600, 2\] is NaN"):
        make(tmp_path, source=as_source(spoiled)).label(768)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "rows"
    place.mkdir()
    for k, part in enumerate(np.split(X, [400, 401, 1100])):
        write(place / f"part-{k}.parquet", part, 400 * k)
    (place / "_metadata.parquet").write_text("not rows")
    return place


def write(path, rows, first=0, **more):
    columns = {f"f{j}": rows[:, j] for j in range(rows.shape[1])}
    names = [f"row {first + i}" for i in range(len(rows))]
    pq.write_table(pa.table({"name": names, **columns, **more}), path, row_group_size=150)


def test_a_folder_of_files_is_one_table(folder, tmp_path):
    rows = FileRows(folder, ids="name")
    assert (rows.n_rows, rows.n_features, rows.columns) == (1500, 4, ["f0", "f1", "f2", "f3"])
    sent = pickle.loads(pickle.dumps(rows))
    assert sent.fingerprint == rows.fingerprint
    for start, stop in [(0, 1500), (399, 402), (1099, 1101), (700, 701), (0, 10)]:
        np.testing.assert_array_equal(sent.read(start, stop), X[start:stop])
    assert rows.read_ids(399, 402) == ["row 399", "row 400", "row 800"]
    ensemble = build_ensemble(rows, 3, n_partitions=6, seed=0)
    np.testing.assert_array_equal(ensemble.labels.array, ENSEMBLE.labels.array)
    shard = make(tmp_path / "labels", source=rows)
    votes = shard.vote("a", BALLOT, 512, 768)
    shard.write(str(tmp_path / "out"), votes, 512)
    written = pq.read_table(tmp_path / "out").to_pydict()
    assert written["row"] == list(range(512, 1280))
    assert written["id"] == rows.read_ids(512, 1280)
    np.testing.assert_array_equal(written["label"], votes.labels)


def test_a_list_of_npy_files_is_one_table(tmp_path):
    files = [str(tmp_path / f"{k}.npy") for k in range(2)]
    for file, part in zip(files, np.split(X, [700]), strict=True):
        np.save(file, part)
    np.testing.assert_array_equal(as_source(files).read(0, 1500), X)
    os.remove(files[1])
    with pytest.raises(MissingData, match=r"there is no file .*1\.npy"):
        FileRows(files)


def test_files_that_differ_from_the_first_are_named(folder):
    with pytest.raises(InvalidInput, match=r"column 'name' of .* holds string values"):
        FileRows(folder)
    write(folder / "part-2.parquet", X[:10, :3])
    with pytest.raises(
        InvalidInput, match=r"part-2\.parquet has no column 'f3'\. It has: name"
    ) as e:
        FileRows(folder, ids="name")
    first = folder / "part-0.parquet"
    assert str(e.value).endswith(f". The files of a table have the columns of the first, {first}.")
    write(folder / "part-2.parquet", X[:10, :3], f3=["text"] * 10)
    with pytest.raises(InvalidInput, match=r"column 'f3' of .*part-2\.parquet holds string"):
        FileRows(folder, ids="name")
    with pytest.raises(MissingData, match="there is no Parquet file in"):
        FileRows(folder / "nowhere")
    with pytest.raises(InvalidInput, match=r"labels\.csv: rows are read from \.npy and \.parquet"):
        FileRows([folder / "labels.csv"])


def test_names_of_rows_are_looked_for_before_anything_is_read(folder, tmp_path):
    with pytest.raises(InvalidInput, match=r"part-0\.parquet has no column 'nme'\. It has: name, "):
        FileRows(folder, ids="nme")
    np.save(tmp_path / "0.npy", X)
    with pytest.raises(InvalidInput, match=r"0\.npy has no columns, so none names the rows\."):
        FileRows([tmp_path / "0.npy"], ids="name")


def test_a_file_that_was_changed_or_removed_since_is_named(folder):
    rows = FileRows(folder, ids="name")
    known = rows.fingerprint
    write(folder / "part-1.parquet", X[:7])
    assert rows.fingerprint != known
    with pytest.raises(InvalidInput, match=r"part-1\.parquet had 1 rows and has 7 now"):
        rows.read(0, 900)
    (folder / "part-1.parquet").unlink()
    with pytest.raises(MissingData, match=r"there is no file .*part-1\.parquet"):
        rows.read(0, 900)
