"""The number of clusters of a model that listens: found, changed, proposed, followed."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

import linkwise as lw
from linkwise import Links, PartialLabels, SequentialClustering
from linkwise.cluster.sequential.follow import PATIENCE, climb, follow, least_gain
from linkwise.errors import InvalidInput

CENTERS = np.array([[0, 0], [14, 0], [0, 14], [14, 14], [30, 30], [44, 30]], dtype=float)
X, y = make_blobs(192, centers=CENTERS, cluster_std=1.5, random_state=0)
COARSE = y // 2  # pairs of neighbouring groups


def fitted(k, **more):
    return SequentialClustering(k, n_partitions=40, n_blocks=24, random_state=0, **more).fit(X)


def same(one, other):
    assert one.n_clusters_ == other.n_clusters_
    assert_array_equal(one.labels_, other.labels_)
    assert_array_equal(one.margins_, other.margins_)
    assert_array_equal(one.suspicion_, other.suspicion_)


@pytest.mark.parametrize("k", [2, 6, 9, 120])
def test_reclustering_is_a_fresh_fit_with_that_number(k):
    links = Links.sample(y, 40, random_state=0)
    model = fitted(4).update(links).recluster(k)
    same(model, fitted(k).update(links))
    assert model.n_clusters == 4
    assert_array_equal(model.query(5), fitted(k).update(links).query(5))


def test_reclustering_there_and_back_changes_nothing():
    model = fitted(4).update(Links.sample(y, 40, random_state=0))
    before = model.labels_
    assert_array_equal(model.recluster(120).recluster(7).recluster(4).labels_, before)


@pytest.mark.parametrize("k", [0, 193, 2.5, "many"])
def test_a_number_that_cannot_be_is_refused_and_nothing_changes(k):
    model = fitted(4)
    with pytest.raises(InvalidInput, match="n_clusters must be a whole number from 1 to 192"):
        model.recluster(k)
    assert model.n_clusters_ == 4


def test_fewer_clusters_than_named_classes_are_refused():
    model = fitted(4).update(PartialLabels.of_rows({0: "a", 1: "b", 2: "c"}, 192))
    with pytest.raises(InvalidInput) as caught:
        model.recluster(2)
    assert str(caught.value) == (
        "recluster(n_clusters=2): the labels name 3 classes. Ask for at least that many clusters."
    )
    assert model.n_clusters_ == 4


def test_answers_that_tear_a_cluster_apart_propose_more():
    model = fitted(4)
    assert model.propose_k() is None
    proposal = model.update(Links.sample(y, 100, random_state=0)).propose_k()
    assert proposal.k == 6
    assert proposal.gain > least_gain()
    apart = sum(model.labels_[i] == model.labels_[j] for i, j in model.links_.cannot)
    assert apart <= 100
    assert proposal.reason.startswith("2 more: 6 clusters predict answers that were left out")
    assert model.n_clusters_ == 4  # nothing was changed
    assert model.recluster(proposal.k).propose_k() is None


def test_answers_that_join_clusters_propose_fewer():
    proposal = fitted(6).update(Links.sample(COARSE, 100, random_state=0)).propose_k()
    assert proposal.k == 3
    assert proposal.reason.startswith("3 fewer: 3 clusters")


def test_expected_answers_propose_nothing():
    assert fitted(6).update(Links.sample(y, 100, random_state=0)).propose_k() is None


def test_auto_follows_the_answers_and_returns_without_them():
    model, links = fitted("auto"), Links.sample(COARSE, 100, random_state=0)
    assert model.n_clusters_ == 6
    before = model.labels_
    assert model.update(links).n_clusters_ == 3
    assert model.propose_k() is None
    assert lw.choose_k(model).k == 3
    assert_array_equal(model.retract(links).labels_, before)


def test_the_number_is_a_function_of_the_set_of_answers():
    links = Links.sample(COARSE, 90, random_state=0)
    parts = [Links(192, must=links.must), Links(192, cannot=links.cannot)]
    whole = fitted("auto").update(links)
    same(whole, fitted("auto").update(parts[1]).update(parts[0]))
    turned = fitted("auto").update(Links.sample(y, 20, random_state=1)).recluster(9)
    same(whole, turned.retract(turned.links_).update(links).recluster("auto"))


def test_auto_grows_with_the_classes_and_shrinks_when_they_go():
    names = PartialLabels.of_rows({row: f"class {row}" for row in range(11)}, 192)
    model = fitted("auto").update(names)
    assert model.n_clusters_ == 11
    assert (model.classes_[model.labels_[:11]] == names.labels[:11]).all()
    assert model.retract(names).n_clusters_ == 6


def test_a_number_said_by_hand_is_kept_until_auto_is_said_again():
    model = fitted("auto").recluster(4)
    assert model.update(Links.sample(y, 100, random_state=0)).n_clusters_ == 4
    assert model.recluster("auto").n_clusters_ == 6


def test_choosing_among_given_numbers_hears_the_answers_at_each():
    model = fitted(4).update(Links.sample(y, 100, random_state=0))
    choice = model.choose_k(range(4, 8))
    assert choice.k == 6
    assert set(choice.answers) == {4, 5, 6, 7}
    assert choice.scores == choice.answers
    assert max(choice.answers.values()) <= 0.0
    assert model.n_clusters_ == 4


evidence = st.lists(st.integers(-40, 0), min_size=1, max_size=12)


@given(evidence, st.data())
def test_climbing_stops_where_patience_ends_and_never_leaves_without_need(values, data):
    start = data.draw(st.integers(0, len(values) - 1))
    asked = []

    def found(k):
        asked.append(k)
        return float(values[k])

    seen = climb(found, start, 0, len(values) - 1)
    assert sorted(asked) == sorted(seen)  # each once
    assert sorted(seen) == list(range(min(seen), max(seen) + 1))
    best = follow(seen, start)
    gain = values[best] - values[start]
    assert best == start or gain > least_gain()
    if -values[start] <= least_gain():
        assert list(seen) == [start]
    elif max(seen) < len(values) - 1:
        rest = [values[k] for k in range(start, max(seen) + 1)]
        assert len(rest) - 1 - int(np.argmax(rest)) == PATIENCE


def test_outliers_are_rows_far_from_everything():
    far = np.random.default_rng(0).uniform(-200, 250, size=(6, 2))
    rows = np.concatenate([X, far[np.abs(far - 20).max(axis=1) > 60]])
    n_far = len(rows) - len(X)
    model = SequentialClustering(6, n_partitions=40, random_state=0).fit(rows)
    found = model.outliers(n_far / len(rows))
    assert len(found) == n_far
    assert (found >= len(X)).mean() > 0.5
    assert len(model.outliers(0)) == 0
    assert not np.isin(model.leave_out(found).outliers(1.0), found).any()


def test_rows_that_belong_nowhere_have_no_label():
    model = fitted(6)
    before, margins = model.labels_.copy(), model.margins_.copy()
    assert model.leave_out([3, 7, 3]).labels_[[3, 7]].tolist() == [-1, -1]
    assert model.margins_[3] == 0.0
    assert_array_equal(model.left_out_, [3, 7])
    assert_array_equal(np.delete(model.labels_, [3, 7]), np.delete(before, [3, 7]))
    model.take_in(7).update(Links.sample(y, 20, random_state=0))
    assert model.labels_[3] == -1 < model.labels_[7]
    model.retract(model.links_).take_in([3])
    assert_array_equal(model.labels_, before)
    assert_array_equal(model.margins_, margins)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 191), max_size=8), st.integers(0, 8))
def test_leaving_out_is_a_function_of_the_set_of_rows(rows, cut):
    model = MODEL
    one = model.leave_out(rows).labels_.copy()
    model.take_in(model.left_out_)
    other = model.leave_out(rows[cut:]).leave_out(rows[:cut]).labels_
    assert_array_equal(one, other)
    assert set(np.flatnonzero(other < 0)) == set(rows)
    model.take_in(model.left_out_)


MODEL = fitted(6)


def test_nobody_is_asked_about_rows_that_belong_nowhere():
    model = fitted(4)
    asked = np.unique(model.query(5))
    choice = model.query(1, kind="choice")[0]
    model.leave_out(asked).leave_out([choice.row])
    assert not np.isin(model.query(20), asked).any()
    for row, examples in model.query(5, kind="choice"):
        assert not np.isin([row, *examples], model.left_out_).any()


@pytest.mark.parametrize("rows", [[192], [-1], [0.5], [[1]], "a"])
def test_rows_that_do_not_exist_cannot_be_left_out(rows):
    with pytest.raises(InvalidInput, match="leave_out"):
        fitted(2).leave_out(rows)


@pytest.mark.parametrize("call", ["choose_k", "propose_k", "outliers"])
def test_a_model_that_is_not_fitted_says_so(call):
    with pytest.raises(NotFittedError):
        getattr(SequentialClustering("auto"), call)()


@pytest.mark.parametrize("call", ["recluster", "leave_out", "take_in"])
def test_a_model_that_is_not_fitted_cannot_be_changed(call):
    with pytest.raises(NotFittedError):
        getattr(SequentialClustering("auto"), call)(2)


def test_what_was_never_left_out_cannot_be_taken_in():
    with pytest.raises(InvalidInput) as caught:
        fitted(2).leave_out(1).take_in([1, 2])
    assert str(caught.value) == (
        "row 2 was never left out, so it cannot be taken in. Nothing was changed."
    )


def test_a_stored_model_knows_its_number_and_its_outliers(tmp_path):
    links = Links.sample(COARSE, 100, random_state=0)
    model = fitted("auto").leave_out([5]).update(links)
    model.save(tmp_path / "auto")
    again = lw.load(tmp_path / "auto")
    same(model, again)
    same(model.retract(links), again.retract(links))
    assert again.n_clusters == "auto"
    model.recluster(8).save(tmp_path / "eight")
    again = lw.load(tmp_path / "eight")
    same(model, again)
    same(model.recluster(5), again.recluster(5))
    assert_array_equal(again.left_out_, [5])


def test_a_model_that_knew_no_other_number_still_opens(tmp_path):
    model = fitted(4).update(Links.sample(y, 30, random_state=0))
    model.save(tmp_path / "old")
    for path in (tmp_path / "old").glob("_count.*.npy"):
        path.unlink()
    header = json.loads((tmp_path / "old" / "model.json").read_text())
    del header["n_clusters"]
    header["version"] = 3
    (tmp_path / "old" / "model.json").write_text(json.dumps(header))
    again = lw.load(tmp_path / "old")
    same(model, again)
    assert again.recluster(5).n_clusters_ == 5
