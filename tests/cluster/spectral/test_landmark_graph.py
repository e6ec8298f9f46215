import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from linkwise.cluster.spectral.landmark_graph import LandmarkGraph


def slow_weights(X, landmarks, r):
    Z = np.zeros((len(X), len(landmarks)))
    for i, x in enumerate(X):
        squared = np.square(landmarks - x).sum(axis=1)
        near = np.argsort(squared, kind="stable")[:r]
        Z[i, near] = np.exp(-squared[near] / (2 * squared[near[-1]]))
        Z[i] /= Z[i].sum()
    return Z


def test_weights_are_those_of_the_formula():
    rng = np.random.default_rng(0)
    X, landmarks = rng.standard_normal((50, 3)), rng.standard_normal((12, 3))
    Z = LandmarkGraph(landmarks, 1.0, 4).weights(X)
    assert_allclose(Z.toarray(), slow_weights(X, landmarks, 4), atol=1e-12)
    assert_array_equal(np.diff(Z.indptr), 4)


def test_rows_are_divided_by_the_unit():
    rng = np.random.default_rng(1)
    X, landmarks = rng.standard_normal((20, 3)), rng.standard_normal((6, 3))
    Z = LandmarkGraph(landmarks / 4, 4.0, 3).weights(X)
    assert_allclose(Z.toarray(), slow_weights(X, landmarks, 3), atol=1e-12)


def test_more_neighbours_than_landmarks_are_all_landmarks():
    Z = LandmarkGraph(np.array([[0.0], [3.0]]), 1.0, 5).weights(np.array([[1.0], [2.0]]))
    assert Z.shape == (2, 2)
    assert Z.nnz == 4


def test_landmarks_on_the_row_share_its_weight():
    Z = LandmarkGraph(np.array([[1.0], [1.0], [9.0]]), 1.0, 2).weights(np.array([[1.0]]))
    assert Z.toarray().tolist() == [[0.5, 0.5, 0.0]]
