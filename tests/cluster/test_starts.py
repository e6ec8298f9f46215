import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import Links, PartialLabels
from linkwise.cluster.starts import (
    class_means,
    complete_centers,
    neighbourhood_means,
    restart_empty,
)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_class_means_are_the_means_of_the_classes(container):
    X = np.random.default_rng(0).random((10, 3))
    labels = PartialLabels(["b", None, "a", "a", None, "b", None, None, None, "b"])
    means = class_means(container(X), labels)
    assert_allclose(means, [X[[2, 3]].mean(axis=0), X[[0, 5, 9]].mean(axis=0)])


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_missing_centres_are_rows_and_known_ones_come_first(container):
    X = np.random.default_rng(0).random((50, 2))
    known = np.array([[5.0, 5.0], [7.0, 7.0]])
    centers = complete_centers(container(X), known, 5, np.random.RandomState(0))
    assert_array_equal(centers[:2], known)
    assert all((X == center).all(axis=1).any() for center in centers[2:])
    assert len(np.unique(centers, axis=0)) == 5


def test_centres_are_found_even_when_all_rows_are_the_same():
    centers = complete_centers(np.ones((5, 2)), np.ones((1, 2)), 3, np.random.RandomState(0))
    assert_array_equal(centers, np.ones((3, 2)))


def test_large_and_distant_components_come_first():
    X = np.array([[0.0], [0.2], [0.4], [1.0], [1.2], [9.0], [9.2], [5.0]])
    links = Links(8, must=[(0, 1), (1, 2), (3, 4), (5, 6)])
    means = neighbourhood_means(X, links, 2)
    assert_allclose(means[:, 0], [0.2, 9.1])


def test_an_empty_cluster_moves_to_the_farthest_row():
    X = np.array([[0.0], [1.0], [50.0], [9.0]])
    centers = np.array([[1.0], [7.0]])
    restart_empty(X, centers, np.array([4, 0]))
    assert_array_equal(centers, [[1.0], [50.0]])
