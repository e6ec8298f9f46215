import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import pairwise_distances_argmin

from linkwise.kernels.lloyd import lloyd, nearest_center


@pytest.mark.parametrize("seed", range(5))
def test_it_ends_where_scikit_learn_ends_from_the_same_start(seed):
    X, _ = make_blobs(200, n_features=5, centers=4, cluster_std=3, random_state=seed)
    start = np.random.default_rng(seed).integers(0, 4, 200)
    centers = np.stack([X[start == k].mean(axis=0) for k in range(4)])
    expected = KMeans(4, init=centers, n_init=1, max_iter=300, tol=0).fit(X)
    labels, inertia = lloyd(X, start, 4, 300)
    assert_array_equal(labels, expected.labels_)
    assert_allclose(inertia, expected.inertia_)


def test_an_empty_cluster_is_filled():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    labels, inertia = lloyd(X, np.array([0, 0, 0, 0]), 2, 50)
    assert set(labels[:2]) != set(labels[2:])
    assert inertia == 1.0


def test_the_start_is_not_changed():
    X = np.random.default_rng(0).random((20, 2))
    start = np.arange(20) % 3
    lloyd(X, start, 3, 10)
    assert_array_equal(start, np.arange(20) % 3)


def test_rows_go_to_the_nearest_centre():
    X = np.random.default_rng(0).normal(size=(200, 7))
    assert_array_equal(nearest_center(X, X[:9]), pairwise_distances_argmin(X, X[:9]))


def test_of_two_centres_equally_near_the_first_wins():
    assert_array_equal(nearest_center(np.array([[0.0], [3.0]]), np.array([[1.0], [-1.0]])), [0, 0])
