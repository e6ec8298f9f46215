"""Rows, pictures, questions, doubts, exports: each route asks the session and passes it on."""

import csv
import io

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from service_client import FLOWERS, answer, tell, wait_for
from sklearn.datasets import load_iris

from linkwise import Links
from linkwise.query import STRATEGIES
from linkwise.session.advice import troubles


def test_rows_are_shown_in_the_order_asked_for(client):
    found = client.get(f"{FLOWERS}/rows", params={"rows": "149,0,7"}).json()
    assert [row["row"] for row in found] == [149, 0, 7]
    X, _ = load_iris(return_X_y=True)
    assert [float(value) for value in found[0]["fields"].values()] == X[149].tolist()
    assert found[0]["has_image"] is False
    assert found[0]["margin"] == pytest.approx(client.flowers.view().margins[149], abs=1e-6)


@pytest.mark.parametrize("rows", ["", "1,", "-1", "1 2", "a", "1," * 300 + "1", "99999999999"])
def test_what_are_not_row_numbers_is_refused(client, rows):
    assert client.get(f"{FLOWERS}/rows", params={"rows": rows}).status_code == 422


def test_rows_outside_the_data_are_refused(client):
    refused = client.get(f"{FLOWERS}/rows", params={"rows": "0,150"})
    assert refused.status_code == 422
    assert "150" in refused.json()["error"]


def test_rows_and_questions_need_not_wait_for_the_labels(client, monkeypatch):
    client.get(f"{FLOWERS}/labels")

    def never(at=None):  # noqa: ARG001
        raise AssertionError("nobody should wait")

    monkeypatch.setattr(client.flowers, "view", never)
    tell(client, answer(0, 1))
    for path in ("rows?rows=0,1&fresh=false", "questions?fresh=false"):
        assert client.get(f"{FLOWERS}/{path}").status_code == 200


def test_at_most_200_rows_are_shown_at_once(client):
    rows = ",".join(["1"] * 201)
    refused = client.get(f"{FLOWERS}/rows", params={"rows": rows})
    assert refused.json() == {"error": "201 rows are too many, ask for 200 at most."}
    shown = client.get(f"{FLOWERS}/rows", params={"rows": ",".join(["1"] * 200)})
    assert len(shown.json()) == 200


def test_a_session_without_pictures_shows_none(client):
    refused = client.get(f"{FLOWERS}/rows/0/image")
    assert refused.status_code == 404
    assert refused.json() == {"error": "the rows of this session have no pictures."}


def test_a_row_that_is_a_picture_is_sent_as_one(client):
    file = io.BytesIO()
    X = np.random.RandomState(0).randint(0, 17, (30, 12)).astype(float)
    np.savez(file, X=X, image_shape=np.array([3, 4]))
    sent = client.post("/api/uploads", params={"name": "x.npz"}, content=file.getvalue()).json()
    wanted = {"name": "pictures", "n_clusters": 2, "source": {"upload": sent["upload"]}}
    over = wait_for(client, client.post("/api/sessions", json=wanted).json()["job"])
    place = f"/api/sessions/{over['result']['session']}"
    assert client.get(place).json()["has_images"] is True
    found = client.get(f"{place}/rows/7/image")
    assert found.headers["content-type"] == "image/png"
    picture = np.asarray(Image.open(io.BytesIO(found.content)).convert("L"))
    assert picture.shape == (3, 4)
    assert client.get(f"{place}/rows/30/image").status_code == 404


def test_questions_do_not_tell_what_the_clustering_thinks(client):
    found = client.get(f"{FLOWERS}/questions", params={"n": 5}).json()
    assert len(found) == 5
    assert "guess" not in found[0]
    assert {question["kind"] for question in found} == {"pair"}
    pairs = {(min(q["i"], q["j"]), max(q["i"], q["j"])) for q in found}
    assert len(pairs) == 5


def test_pairs_to_skip_are_not_asked(client):
    first = client.get(f"{FLOWERS}/questions", params={"n": 3}).json()
    skip = ",".join(f"{q['i']}-{q['j']}" for q in first)
    others = client.get(f"{FLOWERS}/questions", params={"n": 3, "skip": skip}).json()
    asked = {frozenset((q["i"], q["j"])) for q in first}
    assert not asked & {frozenset((q["i"], q["j"])) for q in others}


def test_every_strategy_asks(client):
    strategies = client.get(FLOWERS).json()["strategies"]
    assert set(strategies) == set(STRATEGIES)
    for strategy in strategies:
        found = client.get(f"{FLOWERS}/questions", params={"strategy": strategy})
        assert len(found.json()) == 1, strategy
    assert client.get(f"{FLOWERS}/questions", params={"strategy": "oracle"}).status_code == 422


def test_contradictions_are_told_with_the_events_that_settle_them(client):
    assert client.get(f"{FLOWERS}/conflicts").json() == []
    tell(client, answer(0, 1), answer(1, 2), answer(0, 2, "different"))
    (trouble,) = client.get(f"{FLOWERS}/conflicts").json()
    assert sorted(trouble["events"]) == [1, 2, 3]
    assert trouble["proposal"] in (1, 2, 3)
    tell(client, {"kind": "undo", "payload": {"event": trouble["proposal"]}})
    assert client.get(f"{FLOWERS}/conflicts").json() == []


def test_doubts_name_the_answer(client, monkeypatch):
    """Of three hundred answers sixty are wrong; even a slight doubt is shown."""
    monkeypatch.setattr(troubles, "is_doubtful", lambda suspicion: suspicion >= 0.1)
    y = load_iris().target
    said = Links.sample(y, 300, noise=0.2, random_state=0)
    for pairs, verdict in ((said.must, "same"), (said.cannot, "different")):
        tell(client, *[answer(i, j, verdict) for i, j in pairs.tolist()])
    found = client.get(f"{FLOWERS}/suspects").json()
    assert len(found) > 5
    pairs = np.concatenate([said.must, said.cannot])
    for doubt in found:
        assert [doubt["i"], doubt["j"]] == pairs[doubt["event"] - 1].tolist()
        assert 0.1 <= doubt["suspicion"] <= 1
    wrong = [(doubt["verdict"] == "same") != (y[doubt["i"]] == y[doubt["j"]]) for doubt in found]
    assert np.mean(wrong) > 0.8


def test_progress_counts_the_answers(client):
    client.get(f"{FLOWERS}/labels")  # answers are compared with the labels that are ready
    tell(client, answer(0, 1), answer(0, 2, "unsure"))
    found = client.get(f"{FLOWERS}/progress").json()
    assert (found["answers"], found["unsure"]) == (2, 1)
    assert found["agreed"] == found["agreed_recently"] == 1.0
    assert found["hint"].endswith(".")


def test_the_recipe_is_python(client):
    tell(client, answer(0, 60, "different"))
    python = client.get(f"{FLOWERS}/recipe").json()["python"]
    assert python == client.flowers.recipe()
    compile(python, "recipe", "exec")


@pytest.mark.parametrize("what", ["labels", "answers"])
def test_an_export_is_an_attachment_in_both_formats(client, root, what):
    tell(client, answer(0, 60, "different"), who="Ada")
    by_csv = client.get(f"{FLOWERS}/export", params={"what": what})
    assert by_csv.headers["content-type"].startswith("text/csv")
    name = f'attachment; filename="flowers-{what}.csv"'
    assert by_csv.headers["content-disposition"] == name
    header, *lines = csv.reader(io.StringIO(by_csv.text))
    found = client.get(f"{FLOWERS}/export", params={"what": what, "format": "parquet"})
    table = pq.read_table(io.BytesIO(found.content))
    assert table.column_names == header
    assert table.num_rows == len(lines) == (150 if what == "labels" else 1)
    assert list((root / ".exports").rglob("*.csv")) == []
    assert list((root / ".exports").rglob("*.parquet")) == []


@pytest.mark.parametrize(
    "wanted",
    [{"what": "answers", "at": 0}, {"what": "labels", "format": "json"}, {"at": 99}],
)
def test_an_export_of_what_does_not_go_together_is_a_conflict(client, root, wanted):
    refused = client.get(f"{FLOWERS}/export", params=wanted)
    assert refused.status_code == 409
    assert refused.json()["error"].endswith(".")
    assert {path.stem for path in root.glob(".exports/*/*")} == {"lock"}  # and no half of a file
