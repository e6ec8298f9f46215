import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs

from linkwise import ConstrainedKMeans, SeededKMeans


@pytest.fixture
def blobs():
    return make_blobs(80, n_features=3, centers=3, cluster_std=4, random_state=0)


def test_labelled_rows_keep_their_class(blobs):
    X, y = blobs
    known = np.where(np.arange(80) < 20, y, -1)
    model = ConstrainedKMeans(3).fit(X, constraints=known)
    assert_array_equal(model.labels_[:20], y[:20])


def test_unlabelled_rows_have_the_nearest_centre(blobs):
    X, y = blobs
    known = np.where(np.arange(80) < 20, y, -1)
    model = ConstrainedKMeans(3).fit(X, constraints=known)
    assert_array_equal(model.labels_[20:], model.predict(X[20:]))


def test_without_labels_it_is_seeded_k_means_without_labels(blobs):
    X, _ = blobs
    a = ConstrainedKMeans(3, random_state=4).fit(X).labels_
    b = SeededKMeans(3, random_state=4, tol=0).fit(X).labels_
    assert_array_equal(a, b)


def test_the_result_cannot_be_improved_by_moving_one_free_row():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    known = np.array([0, 0, 1, 1, 2] + [-1] * 7)
    model = ConstrainedKMeans(3).fit(X, constraints=known)

    def cost(labels):
        return ((X - model.cluster_centers_[labels]) ** 2).sum()

    for i, k in itertools.product(range(5, 12), range(3)):
        other = model.labels_.copy()
        other[i] = k
        assert cost(other) >= cost(model.labels_) - 1e-12


def test_an_empty_cluster_restarts_somewhere():
    X = np.array([[0.0], [0.1], [0.2], [9.0]])
    known = np.array(["a", "a", "b", "a"])
    model = ConstrainedKMeans(3, random_state=0).fit(X, constraints=known)
    assert_array_equal(model.labels_, [0, 0, 1, 0])
