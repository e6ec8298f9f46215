"""What sessions, questions and maps may know of a model, without reaching inside."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

from linkwise import Links, SequentialClustering


@pytest.fixture(scope="module")
def model():
    X, y = load_digits(return_X_y=True)
    links = Links.sample(y[:300], 800, random_state=0)
    model = SequentialClustering(10, n_partitions=20, random_state=0).fit(X[:300])
    return model.update(links)


def test_landmarks_tell_their_rows_places_and_clusters(model):
    landmarks = model.landmarks_
    n = len(landmarks.rows)
    assert_array_equal(landmarks.rows, np.unique(landmarks.rows))
    assert landmarks.features.shape == (n, 64)
    assert landmarks.features.dtype == np.float32
    assert landmarks.vectors.shape == (n, len(landmarks.smoothness))
    assert landmarks.memberships.shape == (n, 10)
    assert_allclose(landmarks.memberships.sum(axis=1), 1.0)
    assert_array_equal(landmarks.memberships.argmax(axis=1), landmarks.labels)


def test_landmarks_follow_the_answers(model):
    before = model.landmarks_
    links = model.links_
    model.retract(links)
    assert (model.landmarks_.labels != before.labels).any()
    model.update(links)
    assert_array_equal(model.landmarks_.labels, before.labels)


@pytest.mark.parametrize(
    "name", ["rows", "features", "vectors", "smoothness", "memberships", "labels"]
)
def test_landmarks_cannot_be_changed(model, name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(model.landmarks_, name)[0] = 0


def test_votes_are_shares_and_the_largest_is_the_label_of_a_row_without_links(model):
    votes = model.votes(np.arange(300))
    assert votes.shape == (300, 10)
    assert_allclose(votes.sum(axis=1), 1.0)
    free = np.setdiff1d(np.arange(300), model.links_.linked_rows)
    assert_array_equal(votes[free].argmax(axis=1), model.labels_[free])


def test_votes_of_some_rows_are_those_of_all_rows(model, monkeypatch):
    rows = np.array([7, 3, 290, 3])
    every = model.votes(np.arange(300))
    assert_array_equal(model.votes(rows), every[rows])
    monkeypatch.setattr("linkwise.cluster.sequential.rowwise._CHUNK", 7)
    assert_array_equal(model.votes(np.arange(300)), every)
    assert model.votes([]).shape == (0, 10)
