import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import NearestNeighbors

from linkwise.cluster.spectral import neighbours
from linkwise.cluster.spectral.neighbours import in_units, length_unit, nearest


@pytest.fixture
def rows():
    return np.random.default_rng(0).standard_normal((300, 5)) + 100.0


@pytest.mark.parametrize("r", [1, 4, 20])
def test_scikit_learn_finds_the_same_neighbours(rows, r):
    points = rows[:20] + 0.1
    index, squared = nearest(rows, points, r)
    distance, expected = NearestNeighbors(n_neighbors=r).fit(points).kneighbors(rows)
    assert_array_equal(index, expected)
    assert_allclose(np.sqrt(squared), distance, rtol=1e-9)


def test_a_row_that_is_a_point_is_at_distance_zero(rows):
    index, squared = nearest(rows, rows[100:200], 1)
    assert_array_equal(index[100:200, 0], np.arange(100))
    assert not squared[100:200].any()


def test_blocks_do_not_matter(rows, monkeypatch):
    whole = nearest(rows, rows[:50], 3)
    monkeypatch.setattr(neighbours, "BLOCK", 50 * 64)
    for one, other in zip(whole, nearest(rows, rows[:50], 3), strict=True):
        assert_array_equal(one, other)


def test_sparse_rows_have_the_same_neighbours(rows):
    X = np.where(np.abs(rows - 100) < 1, 0.0, rows - 100)
    index, squared = nearest(X, X[:40], 4, 2.0)
    for_sparse = nearest(sp.csr_array(X), X[:40], 4, 2.0)
    assert_array_equal(for_sparse[0], index)
    assert_allclose(for_sparse[1], squared, rtol=1e-12)


def test_scaling_the_data_scales_the_unit_and_nothing_else(rows):
    rows = np.round(4 * rows) / 4  # on a grid: equal distances, and 1000 times it is exact
    big = rows * 1000
    one = nearest(rows, in_units(rows[:30], length_unit(rows)), 4, length_unit(rows))
    other = nearest(big, in_units(big[:30], length_unit(big)), 4, length_unit(big))
    assert length_unit(big) == 1000 * length_unit(rows)
    for a, b in zip(one, other, strict=True):
        assert_array_equal(a, b)


def test_the_unit_is_the_widest_range_of_a_feature():
    X = np.array([[0.0, 5.0], [2.0, -1.0]])
    assert length_unit(X) == 6.0
    assert length_unit(sp.csr_array(X)) == 6.0
    assert length_unit(np.ones((3, 2))) == 1.0
