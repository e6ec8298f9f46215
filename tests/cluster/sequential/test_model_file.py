"""What older versions wrote still opens, and answers in it are heard anew."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris

import linkwise as lw
from linkwise import SCSC, Links, SequentialClustering

X, y = load_iris(return_X_y=True)
LINKS = Links.sample(y, 25, random_state=0)


def write_as(version, model, folder):
    """Write a model as an older version did: names as links, other arrays of what was heard."""
    model.save(folder)
    for path in [*folder.glob("named.*.npy"), *folder.glob("_solution.*.npy")]:
        path.unlink()
    header = json.loads((folder / "model.json").read_text())
    del header["classes"]
    header["version"] = version
    (folder / "model.json").write_text(json.dumps(header))
    if isinstance(model, SequentialClustering):
        old = {
            "landmarks": model.landmarks_.labels,
            "linked": model.labels_[model.links_.linked_rows],
            "suspicion": np.zeros(model.links_.n_links),
        }
        for name, array in old.items():
            np.save(folder / f"_solution.{name}.npy", array)
    if version == 1:
        (folder / "_basis.features.npy").unlink(missing_ok=True)


@pytest.fixture(scope="module", params=[SequentialClustering, SCSC], ids=lambda c: c.__name__)
def model(request):
    return request.param(3, n_partitions=10, random_state=0).fit(X, constraints=LINKS)


def test_a_model_of_version_2_opens_and_is_what_it_would_be_today(model, tmp_path):
    write_as(2, model, tmp_path / "model")
    opened = lw.load(tmp_path / "model")
    assert opened.links_ == LINKS
    assert opened.named_.n_known == 0
    assert_array_equal(opened.labels_, model.labels_)
    assert_array_equal(opened.margins_, model.margins_)
    assert opened.report_ == model.report_


@pytest.mark.parametrize("version", [4, 5])
def test_a_model_that_another_rule_heard_is_heard_anew(version, tmp_path):
    model = SequentialClustering(3, n_partitions=10, random_state=0).fit(X, constraints=LINKS)
    model.leave_out([3]).save(tmp_path / "model")
    header = tmp_path / "model" / "model.json"
    assert '"version": 6' in header.read_text()
    header.write_text(header.read_text().replace('"version": 6', f'"version": {version}'))
    np.save(tmp_path / "model" / "_solution.seen.npy", np.zeros(150, dtype=np.int64))
    np.save(tmp_path / "model" / "_solution.memberships.npy", np.eye(3)[np.zeros(150, dtype=int)])
    assert_array_equal(lw.load(tmp_path / "model").labels_, model.labels_)


def test_a_model_of_version_1_opens_without_features_and_listens(model, tmp_path):
    write_as(1, model, tmp_path / "model")
    opened = lw.load(tmp_path / "model")
    assert opened.links_ == LINKS
    if isinstance(opened, SequentialClustering):
        assert opened.landmarks_.features.shape == (150, 0)
    more = Links.sample(y, 30, random_state=1)
    opened.update(more)
    assert opened.links_ == LINKS | more
    assert opened.labels_.shape == (150,)


def test_a_model_of_an_older_version_learns_names_and_is_written_as_a_new_one(tmp_path):
    model = SequentialClustering(3, n_partitions=10, random_state=0).fit(X, constraints=LINKS)
    write_as(1, model, tmp_path / "old")
    names = np.where(np.arange(150) % 10 == 0, np.array(["a", "b", "c"], dtype=object)[y], None)
    opened = lw.load(tmp_path / "old").update(names)
    opened.save(tmp_path / "new")
    again = lw.load(tmp_path / "new")
    assert_array_equal(again.labels_, opened.labels_)
    assert again.classes_[again.labels_[::10]].tolist() == names[::10].tolist()
    assert json.loads((tmp_path / "new" / "model.json").read_text())["version"] == 6


@pytest.mark.parametrize("mmap", [False, True])
def test_rows_added_to_a_loaded_model_do_not_reach_the_saved_one(model, mmap, tmp_path):
    model.save(tmp_path / "model")
    before = {path: path.read_bytes() for path in (tmp_path / "model").rglob("*.*")}
    opened = lw.load(tmp_path / "model", mmap=mmap)
    opened.extend(X[:40])
    assert len(opened.labels_) == 190
    assert {path: path.read_bytes() for path in (tmp_path / "model").rglob("*.*")} == before
    assert_array_equal(lw.load(tmp_path / "model", mmap=True).labels_, model.labels_)
    opened.save(tmp_path / "model")
    assert_array_equal(lw.load(tmp_path / "model", mmap=True).labels_, opened.labels_)
