import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from linkwise.kernels.top_r import keep_nearest, keep_nearest_sparse, smallest


def brute_force(X, points, r):
    """Sort all distances, the lower position first among equals."""
    squared = np.square(X[:, None, :] - points[None]).sum(axis=2)
    order = np.argsort(squared, axis=1, kind="stable")[:, :r]
    return order, np.take_along_axis(squared, order, axis=1)


@pytest.mark.parametrize("r", [1, 3, 7])
def test_the_scan_finds_the_smallest_in_order(r):
    rng = np.random.default_rng(0)
    products = rng.standard_normal((40, 7)).astype(np.float32)
    half_norms = rng.random(7).astype(np.float32)
    found = np.empty((40, r), dtype=np.int32)
    smallest(products, half_norms, found)
    assert_array_equal(found, np.argsort(half_norms - products, axis=1, kind="stable")[:, :r])


def test_the_scan_prefers_the_lower_position_among_equals():
    found = np.empty((1, 2), dtype=np.int32)
    smallest(np.zeros((1, 4), dtype=np.float32), np.array([1, 0, 0, 0], dtype=np.float32), found)
    assert found.tolist() == [[1, 2]]


def test_the_scan_names_valid_positions_where_nothing_compares():
    found = np.empty((1, 2), dtype=np.int32)
    smallest(np.full((1, 4), np.nan, dtype=np.float32), np.zeros(4, dtype=np.float32), found)
    assert found.tolist() == [[0, 1]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_exact_look_keeps_the_nearest_candidates(dtype):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (30, 4)).astype(dtype)  # small integers: many equal distances
    points = rng.integers(0, 3, (6, 4)).astype(dtype)
    candidates = np.tile(np.arange(6, dtype=np.int32)[::-1], (30, 1))
    index, squared = np.empty((30, 3), dtype=np.int32), np.empty((30, 3))
    keep_nearest(X, points, candidates, index, squared)
    expected, distances = brute_force(X.astype(float), points.astype(float), 3)
    assert_array_equal(index, expected)
    assert_allclose(squared, distances, rtol=1e-12)


def test_sparse_rows_are_measured_like_dense_ones():
    rng = np.random.default_rng(2)
    X = sp.random_array((25, 8), density=0.3, random_state=rng, format="csr")
    points = rng.standard_normal((5, 8))
    candidates = np.tile(np.arange(5, dtype=np.int32), (25, 1))
    index, squared = np.empty((25, 2), dtype=np.int32), np.empty((25, 2))
    keep_nearest_sparse(X.indptr, X.indices, X.data, points, candidates, index, squared)
    expected, distances = brute_force(X.toarray(), points, 2)
    assert_array_equal(index, expected)
    assert_allclose(squared, distances, rtol=1e-12)
