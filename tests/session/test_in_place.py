"""Sessions about rows that stay in their files: a folder of Parquet files, read block by block."""

import re
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import make_blobs

import linkwise as lw
from linkwise.ensemble import FileRows
from linkwise.errors import InvalidInput, MissingData
from linkwise.session import Columns, Session, verify_session
from linkwise.session.data import layout
from linkwise.session.errors import DataChanged

X, y = make_blobs(3000, n_features=4, centers=3, cluster_std=2.0, random_state=0)
COLUMNS = Columns(id="item", text="note")
FEATURES = [f"f{j}" for j in range(4)]


def write_rows(place):
    place.mkdir()
    bounds = [0, 1250, 1251, 3000]
    for k, (start, stop) in enumerate(pairwise(bounds)):
        columns = {name: X[start:stop, j] for j, name in enumerate(FEATURES)}
        names = [f"item {i}" for i in range(start, stop)]
        notes = [f"of class {c}" for c in y[start:stop]]
        table = pa.table({"item": names, **columns, "note": notes})
        pq.write_table(table, place / f"{k}.parquet", row_group_size=400)
    return place


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_rows(tmp_path_factory.mktemp("data") / "rows")


@pytest.fixture(scope="module")
def few_on_map():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "MOST_ON_MAP", 50)
        yield


@pytest.fixture(scope="module")
def session(data, tmp_path_factory, few_on_map):  # noqa: ARG001
    folder = tmp_path_factory.mktemp("sessions") / "one"
    made = Session.create(folder, data, 3, columns=COLUMNS, n_partitions=12)
    yield made
    made.close()


def fitted(data):
    model = lw.SequentialClustering(3, n_partitions=12, random_state=0)
    return model.fit(FileRows(data, FEATURES))


def test_its_labels_are_those_of_the_model(session, data):
    np.testing.assert_array_equal(session.view(0).labels, fitted(data).labels_)
    assert session.grouped_by == "4 numbers"
    assert session.n_rows == 3000
    kinds = {column["name"]: column["type"] for column in session.columns}
    assert kinds == {"item": "id", **dict.fromkeys(FEATURES, "number"), "note": "text"}


def test_rows_are_shown_from_whichever_file_they_are_in(session):
    shown = session.rows([2999, 0, 1250])
    assert [row.id for row in shown] == ["item 2999", "item 0", "item 1250"]
    assert shown[2].text == f"of class {y[1250]}"
    assert shown[0].fields["f1"] == float(f"{X[2999, 1]:.6g}")
    assert session.row_of("item 1251") == 1251


@pytest.mark.usefixtures("few_on_map")
def test_the_map_shows_some_of_the_rows(session):
    landmarks = session.model.landmarks_.rows
    expected = np.union1d(np.linspace(0, 2999, 50).astype(int), landmarks)
    assert len(landmarks) < len(expected) < 3000
    np.testing.assert_array_equal(session.on_map, expected)
    assert session.layout("pca").shape == (len(expected), 2)
    codes = session.column("f0").codes
    assert codes.shape == expected.shape
    lowest, highest = expected[codes == codes.min()], expected[codes == codes.max()]
    assert X[lowest, 0].max() < X[highest, 0].min()
    found = session.search("OF CLASS 1", limit=4)
    assert set(found) <= set(expected.tolist())
    assert set(y[found]) == {1}


def test_neighbours_are_looked_for_among_the_rows_on_the_map(session):
    on_map = session.on_map
    row = int(np.setdiff1d(np.arange(3000), on_map)[0])
    labels = session.model.ensemble_.labels
    shared = (labels.rows(on_map) == labels.rows([row])).sum(axis=1)
    expected = on_map[np.argsort(-shared, kind="stable")[:8]]
    assert session.around(row).neighbours == expected.tolist()
    inside = int(on_map[7])
    assert inside not in session.around(inside).neighbours


def test_it_hears_answers_and_opens_again(data, tmp_path):
    folder = tmp_path / "session"
    with Session.create(folder, data, 3, columns=COLUMNS, n_partitions=12, engine="cpu") as made:
        made.answer(0, int(np.flatnonzero(y != y[0])[0]), "different", who="ann")
        made.split(0)
        labels = made.labels()
        assert set(labels) == {0, 1, 2, 3}
        made.export(tmp_path / "labels")
        with pytest.raises(InvalidInput, match="labels exists already; it was left alone"):
            made.export(tmp_path / "labels")
        made.export(tmp_path / "labels.parquet")
    assert not (folder / "fitting").exists()
    assert not (folder / "data.parquet").exists()
    with Session.open(folder) as again:
        np.testing.assert_array_equal(again.labels(), labels)
    assert verify_session(folder).troubles == []
    parts, whole = pq.read_table(tmp_path / "labels"), pq.read_table(tmp_path / "labels.parquet")
    for column in ("id", "cluster", "name"):
        assert parts[column].to_pylist() == whole[column].to_pylist()
    np.testing.assert_allclose(parts["margin"], whole["margin"], atol=1e-6)


def test_labels_go_to_files_of_some_rows_each(session, tmp_path, monkeypatch):
    monkeypatch.setattr("linkwise.session.export.PART_ROWS", 1100)
    session.export(tmp_path / "parts")
    files = sorted(path.name for path in (tmp_path / "parts").iterdir())
    assert files == [f"labels-{first:014}.parquet" for first in (0, 1100, 2200)]
    table = pq.read_table(tmp_path / "parts")
    assert table["id"].to_pylist() == [f"item {i}" for i in range(3000)]
    np.testing.assert_array_equal(table["cluster"], session.labels())


def test_rows_can_join(data, tmp_path):
    with Session.create(tmp_path / "s", data, 3, columns=COLUMNS, n_partitions=12) as made:
        more = pq.read_table(data / "1.parquet")
        more = more.set_column(0, "item", pa.array(["a newcomer"]))
        pq.write_table(more, tmp_path / "more.parquet")
        made.extend(tmp_path / "more.parquet")
        labels = made.labels()
        assert labels[3000] == labels[1250]
        assert made.rows([3000])[0].id == "a newcomer"
        with pytest.raises(InvalidInput, match=r"is a folder\. Rows that join are copied"):
            made.extend(data)
        with pytest.raises(InvalidInput, match="is a folder of Parquet files, which are not read"):
            made.predict(data)
        np.testing.assert_array_equal(made.model.predict(FileRows(data, FEATURES))[:5], labels[:5])


def test_rows_that_changed_are_refused(tmp_path):
    data = write_rows(tmp_path / "rows")
    Session.create(tmp_path / "s", data, 3, columns=COLUMNS, n_partitions=5).close()
    last = data / "2.parquet"
    table = pq.read_table(last)
    changed = table.set_column(1, "f0", pa.array(np.r_[99.0, table["f0"].to_numpy()[1:]]))
    content = last.read_bytes()
    pq.write_table(changed, last, row_group_size=400)
    with pytest.raises(DataChanged, match="has changed since the session was made"):
        Session.open(tmp_path / "s")
    last.write_bytes(content)
    Session.open(tmp_path / "s").close()
    last.unlink()
    with pytest.raises(DataChanged, match="has changed since the session was made"):
        Session.open(tmp_path / "s")


def test_an_array_stays_in_its_file_with_an_engine(tmp_path, monkeypatch):
    monkeypatch.setattr(layout, "MOST_ON_MAP", 3000)
    np.save(tmp_path / "rows.npy", X)
    with Session.create(tmp_path / "s", tmp_path / "rows.npy", 3, engine="cpu") as made:
        assert made.on_map is None
        assert made.columns[0] == {"name": "0", "type": "number"}
        assert made.layout("pca").shape == (3000, 2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"standardise": True},
            "standardise: rows that stay in their files are taken as they are.",
        ),
        ({"columns": Columns(features=("note",))}, "column 'note' of .* holds string values"),
        ({"columns": Columns(drop=tuple(FEATURES))}, "rows has no column of numbers to group by."),
        ({"columns": Columns(text="nte")}, 'rows has no column "nte". Did you mean "note"?'),
        ({"columns": Columns(drop=("nte",))}, 'rows has no column "nte". Did you mean "note"?'),
        ({"engine": "ray"}, "say where each machine keeps them, engine=linkwise.engines.Ray("),
        ({"engine": "abacus"}, 'engines are called "cpu"'),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_nothing_is_left(data, tmp_path, wrong, message):
    with pytest.raises(InvalidInput, match=message if ".*" in message else re.escape(message)):
        Session.create(tmp_path / "s", data, 3, **wrong)
    assert list(tmp_path.iterdir()) == []


def test_only_files_that_can_be_read_in_parts_stay_in_place(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(InvalidInput, match=r"t\.csv: rows that stay in their files are read from"):
        Session.create(tmp_path / "s", tmp_path / "t.csv", 2, engine="cpu")


def test_labels_on_a_cluster_need_it(data, tmp_path):
    Session.create(tmp_path / "s", data, 3, columns=COLUMNS, n_partitions=5).close()
    header = tmp_path / "s" / "model" / "ensemble" / "labels.json"
    header.write_text(header.read_text().replace('"n_rows"', '"elsewhere": true, "n_rows"'))
    with pytest.raises(MissingData, match="lie on a cluster"):
        Session.open(tmp_path / "s")
    with Session.open(tmp_path / "s", engine="cpu") as again:
        assert len(again.labels()) == 3000
