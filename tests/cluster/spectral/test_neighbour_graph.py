import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from linkwise.cluster.spectral.neighbour_graph import (
    cut_embedding,
    nearest_row,
    neighbour_graph,
    normalised,
)


@pytest.fixture
def rows():
    return np.random.default_rng(0).standard_normal((40, 3))


def test_near_rows_are_as_similar_as_the_formula_says(rows):
    squared = np.square(rows[:, None] - rows[None]).sum(axis=2)
    reach = np.sqrt(np.sort(squared, axis=1)[:, 5])
    near = np.argsort(np.argsort(squared, axis=1), axis=1) <= 5
    near = near | near.T
    np.fill_diagonal(near, False)
    expected = np.where(near, np.exp(-squared / np.outer(reach, reach)), 0.0)
    assert_allclose(neighbour_graph(rows, 5).toarray(), expected, atol=1e-12)


def test_duplicates_are_as_similar_as_can_be():
    W = neighbour_graph(np.zeros((4, 2)), 2).toarray()
    assert set(np.unique(W)) == {0.0, 1.0}
    assert not np.diag(W).any()


def test_normalising_divides_by_the_roots_of_the_row_sums(rows):
    W = neighbour_graph(rows, 4)
    degree = np.sqrt(W.toarray().sum(axis=1))
    expected = W.toarray() / np.outer(degree, degree)
    assert_allclose(normalised(W).toarray(), expected, atol=1e-12)
    assert_allclose(normalised(W.toarray()), expected, atol=1e-12)


def test_two_pieces_of_a_graph_are_two_points_of_the_embedding():
    W = sp.block_diag([np.ones((3, 3)), np.ones((4, 4))], format="csr")
    B = cut_embedding(W, 2)
    assert_allclose(B @ B.T, np.kron(np.eye(2), np.ones((4, 4)))[1:, 1:], atol=1e-6)


def test_the_nearest_row_of_a_row_is_itself(rows):
    assert_array_equal(nearest_row(rows, rows), np.arange(40))
    assert_array_equal(nearest_row(rows[5:9] + 1e-6, rows), np.arange(5, 9))
