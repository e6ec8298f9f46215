"""Another number of clusters, and rows that belong nowhere: events like any other."""

import csv
import json
import shutil
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from linkwise import Links, load
from linkwise.session import Session
from linkwise.session.errors import InvalidEvent

N_ROWS, NOWHERE = 60, 255


def test_another_number_of_clusters_is_that_of_the_model(session):
    session.answer(0, 59, "same")
    event = session.recluster(5, who="ann")
    assert event.payload == {"n_clusters": 5, "new": [3, 4]}
    assert session.n_clusters == session.summary().n_clusters == 5
    model = load(session.folder / "model").recluster(5).update(Links(N_ROWS, must=[(0, 59)]))
    called = set(zip(model.labels_.tolist(), session.labels().tolist(), strict=True))
    assert len(called) == len(dict(called)) == 5
    assert_array_equal(session.view().margins, model.margins_)


@pytest.mark.parametrize("number", [2, 4, 5])
def test_as_few_rows_as_can_be_change_the_number_of_their_cluster(session, number):
    before = session.labels()
    session.recluster(number)
    now = session.labels()
    assert len(np.unique(now)) == number
    numbers = range(max(3, number))
    ways = [np.array(way)[now] for way in permutations(numbers)]
    assert (now != before).sum() == min((way != before).sum() for way in ways)


def test_undo_brings_the_number_back(session):
    before = session.labels()
    first, second = session.recluster(5), session.recluster(2)
    assert session.n_clusters == 2
    assert set(session.labels().tolist()) == {0, 1}
    session.undo(second.seq)
    assert session.n_clusters == 5
    session.undo(first.seq)
    assert session.n_clusters == 3
    assert_array_equal(session.labels(), before)


def test_numbers_of_clusters_are_never_used_twice(session):
    split = session.split(0)
    assert split.payload["new"] == 3
    more = session.recluster(5)
    assert more.payload["new"] == [4, 5]
    largest = int(np.bincount(session.labels()).argmax())
    assert session.split(largest).payload["new"] == 6
    session.undo(more.seq)
    assert session.recluster(6).payload["new"] == [7]  # 4 and 5 are the model's, used again
    assert set(session.labels().tolist()) <= {0, 1, 2, 3, 4, 5, 6, 7}
    with pytest.raises(InvalidEvent, match="there is no cluster 8; they are numbered 0 to 7"):
        session.rename(8, "none")


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (0, "recluster: n_clusters is 0, expected a whole number >= 1."),
        (61, "recluster: n_clusters is 61; there can be at most 60 clusters."),
        (2.5, "recluster: n_clusters is 2.5, expected a whole number >= 1."),
    ],
)
def test_numbers_that_cannot_be_are_refused(session, number, sentence):
    with pytest.raises(InvalidEvent) as caught:
        session.recluster(number)
    assert str(caught.value) == sentence
    assert session.seq == 0


def test_rows_that_belong_nowhere_have_the_last_number(session, tmp_path):
    before = session.labels()
    event = session.nowhere([7, 3, 7])
    labels, view = session.labels(), session.view()
    assert event.payload == {"rows": [3, 7]}
    assert labels.dtype == np.uint8
    assert np.flatnonzero(labels == NOWHERE).tolist() == [3, 7]
    assert view.nowhere == NOWHERE
    assert view.margins[[3, 7]].tolist() == [0.0, 0.0]
    last = view.clusters[-1]
    assert (last.number, last.name, last.size, last.moved_in) == (NOWHERE, "nowhere", 2, 2)
    session.export(tmp_path / "labels.csv")
    with (tmp_path / "labels.csv").open() as file:
        assert [row["cluster"] for row in csv.DictReader(file)][2:4] == [str(before[2]), "-1"]
    assert session.view(0).nowhere is None
    session.undo(event.seq)
    assert_array_equal(session.labels(), before)
    assert session.view().nowhere is None


def test_nobody_is_asked_about_rows_that_belong_nowhere(session):
    asked = {row for q in session.query(5) for row in (q.i, q.j)}
    session.nowhere(sorted(asked))
    for strategy in session.strategies:
        rows = {row for q in session.query(5, strategy) for row in (q.i, q.j)}
        assert rows
        assert not rows & asked


def test_a_name_of_rows_that_all_belong_nowhere_does_no_harm(session):
    session.label([1, 2], "odd")
    session.nowhere([1, 2])
    assert session.view().clusters[-1].name == "nowhere"
    assert session.labels()[[1, 2]].tolist() == [NOWHERE, NOWHERE]


def test_outliers_are_those_of_the_model(session):
    model = load(session.folder / "model")
    assert session.outliers(0.1) == model.outliers(0.1).tolist()
    session.nowhere(session.outliers(0.1)[:2])
    assert session.outliers(0.1)[0] == model.outliers(0.1)[2]


def test_the_session_proposes_what_the_model_proposes(blobs, tmp_path):
    truth = np.repeat([0, 1, 2], 20)
    pairs = np.random.default_rng(0).choice(N_ROWS, (90, 2))
    with Session.create(tmp_path / "two", blobs, 2, n_partitions=40) as session:
        assert session.propose_k() is None
        for i, j in pairs.tolist():
            if i != j:
                session.answer(i, j, "same" if truth[i] == truth[j] else "different")
        proposal = session.propose_k()
        assert proposal.k == 3
        session.recluster(proposal.k)
        assert session.propose_k() is None
        assert len(session.view().clusters) == 3


def test_a_session_can_find_its_number(tmp_path):
    X = np.repeat(20 * np.eye(4), 12, axis=0) + np.random.default_rng(0).normal(size=(48, 4))
    with Session.create(tmp_path / "auto", X, "auto", n_partitions=40) as session:
        assert session.n_clusters == 4
        assert session.follows
        assert len(session.view().clusters) == 4
        session.answer(0, 1, "same")
    with Session.open(tmp_path / "auto") as session:
        assert session.n_clusters == 4


entries = st.one_of(
    st.tuples(st.just("recluster"), st.integers(1, 7)),
    st.tuples(st.just("nowhere"), st.lists(st.integers(0, 59), min_size=1, max_size=3)),
    st.tuples(st.just("split"), st.just(0)),
    st.tuples(st.just("undo"), st.integers(1, 6)),
)


@settings(max_examples=12, deadline=None)
@given(st.lists(entries, min_size=1, max_size=6))
def test_what_was_reopened_is_what_was_there(template, tmp_path_factory, drawn):
    folder = tmp_path_factory.mktemp("drawn") / "session"
    shutil.copytree(template, folder)
    with Session.open(folder) as session:
        for kind, value in drawn:
            try:
                getattr(session, kind)(value)
            except InvalidEvent:
                continue
        views = [session.view(at) for at in range(session.seq + 1)]
    with Session.open(folder) as again:  # by the checkpoint
        assert_array_equal(again.labels(), views[-1].labels)
        assert again.view().clusters == again.view(again.seq).clusters
    (folder / "checkpoint.npz").unlink(missing_ok=True)
    with Session.open(folder) as again:  # by the journal alone
        for at, view in enumerate(views):
            found = again.view(at)
            assert found.labels.tobytes() == view.labels.tobytes()
            assert found.margins.tobytes() == view.margins.tobytes()
            names = {c.number: c.name for c in view.clusters}
            assert {c.number: c.name for c in found.clusters} == names


@pytest.fixture(scope="module")
def following(blobs, tmp_path_factory):
    """The folder of a session that began with two clusters, and answers that speak for three."""
    folder = tmp_path_factory.mktemp("following") / "auto"
    Session.create(folder, blobs, 2, n_partitions=40).close()
    about = json.loads((folder / "session.json").read_text())
    (folder / "session.json").write_text(json.dumps(about | {"follows": True}))
    truth = np.repeat([0, 1, 2], 20)
    pairs = np.random.default_rng(0).choice(N_ROWS, (90, 2)).tolist()
    said = [(i, j, "same" if truth[i] == truth[j] else "different") for i, j in pairs if i != j]
    return folder, said


@pytest.fixture
def auto(following, tmp_path):
    shutil.copytree(following[0], tmp_path / "auto")
    with Session.open(tmp_path / "auto") as session:
        yield session, following[1]


def test_the_number_follows_the_answers_and_can_be_undone(auto):
    session, answers = auto
    assert session.n_clusters == 2
    assert session.follow() is None
    session.answer_many(answers)
    event = session.follow()
    assert (event.kind, event.payload["n_clusters"], event.who) == ("recluster", 3, "linkwise")
    assert session.n_clusters == 3
    assert session.follows
    assert session.follow() is None
    session.undo(event.seq)
    assert session.n_clusters == 2
    assert not session.follows
    assert session.follow() is None


def test_nothing_is_followed_once_somebody_says_a_number(auto):
    session, answers = auto
    session.recluster(2, who="ann")
    session.answer_many(answers)
    assert session.propose_k().k == 3
    assert not session.follows
    assert session.follow() is None


def test_a_number_that_was_said_follows_nothing(session):
    assert not session.follows
    assert session.follow() is None
