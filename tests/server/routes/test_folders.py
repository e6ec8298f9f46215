"""Folders of Parquet files over HTTP: one table, of whose rows the map shows some."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from service_client import TOKEN, answer, calling, wait_for
from sklearn.datasets import make_blobs

from linkwise.engines import find_engine
from linkwise.server.app import create_app
from linkwise.session import Session
from linkwise.session.data import layout

X, y = make_blobs(2500, n_features=3, centers=3, random_state=0)


@pytest.fixture
def rows(data_folder):
    place = data_folder / "rows"
    place.mkdir()
    for k, part in enumerate(np.split(np.arange(2500), [1000])):
        columns = {f"f{j}": X[part, j] for j in range(3)}
        pq.write_table(pa.table({"town": [f"t{i}" for i in y[part]], **columns}), place / f"{k}.pq")
    return place


@pytest.mark.usefixtures("rows")
def test_a_folder_of_parquet_files_is_offered_as_one_table(client):
    assert "rows/" in client.get("/api/files").json()
    found = client.get("/api/files/description", params={"file": "rows/"}).json()
    assert found["n_rows"] == 2500
    assert [column["name"] for column in found["columns"]] == ["town", "f0", "f1", "f2"]
    assert found["guess"]["features"] == ["f0", "f1", "f2"]


@pytest.mark.usefixtures("rows")
def test_its_session_says_which_rows_the_map_shows(client, monkeypatch):
    monkeypatch.setattr(layout, "MOST_ON_MAP", 50)
    wanted = {"name": "many", "n_clusters": 3, "source": {"file": "rows/"}}
    begun = client.post("/api/sessions", json=wanted)
    made = wait_for(client, begun.json()["job"], seconds=120)
    assert (made["state"], made["error"]) == ("done", None)
    session = f"/api/sessions/{made['result']['session']}"
    about = client.get(session).json()
    shown = np.frombuffer(client.get(f"{session}/map").content, "<u4")
    assert 2000 < about["n_on_map"] == len(shown) < about["n_rows"] == 2500
    assert (np.diff(shown.astype(int)) > 0).all()
    assert len(client.get(f"{session}/layout/pca").content) == 8 * len(shown)
    column = client.get(f"{session}/column", params={"name": "town"}).json()
    assert [column["legend"][code] for code in column["codes"]] == [f"t{c}" for c in y[shown]]
    told = client.post(f"{session}/events", json={"events": [answer(0, 2499)]})
    assert told.status_code == 200
    assert len(client.get(f"{session}/labels").content) == 2500
    assert client.get(f"{session}/rows/{shown[5]}/around").status_code == 200


def test_all_rows_of_a_table_in_memory_are_on_the_map(client):
    assert client.get("/api/sessions/flowers").json()["n_on_map"] == 150
    shown = np.frombuffer(client.get("/api/sessions/flowers/map").content, "<u4")
    np.testing.assert_array_equal(shown, np.arange(150))


def test_labels_on_a_cluster_are_asked_for_there(root, data_folder, rows):
    """The engine that the service was given opens sessions whose labels lie elsewhere."""
    with Session.create(root / "far", rows, 3, n_partitions=5) as made:
        expected = made.labels()
    header = root / "far" / "model" / "ensemble" / "labels.json"
    header.write_text(header.read_text().replace('"n_rows"', '"elsewhere": true, "n_rows"'))
    with calling(create_app(root, token=TOKEN, data_folder=data_folder)) as client:
        refused = client.get("/api/sessions/far/labels")
        assert refused.status_code >= 400
        assert "tell the service the address" in refused.json()["error"]
    app = create_app(root, token=TOKEN, data_folder=data_folder, engine=find_engine("cpu"))
    with calling(app) as client:
        labels = np.frombuffer(client.get("/api/sessions/far/labels").content, np.uint8)
        np.testing.assert_array_equal(labels, expected)
