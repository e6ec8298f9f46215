"""The k-means step against plain NumPy, dense and sparse."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from linkwise.kernels.labelled_lloyd import (
    TILE,
    assign_dense,
    assign_sparse,
    distances_dense,
    distances_sparse,
)

N, D, K = 2 * TILE + 37, 5, 4


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.6)
    return X, rng.integers(0, 3, N).astype(np.int32), rng.normal(size=(K, D)), rng.random((3, K))


def twin(X, kind, centers, prices, start, stop):
    """Return labels, sums and counts of the rows from ``start`` to ``stop``."""
    cost = np.square(X[:, None] - centers[None]).sum(axis=2) + prices[kind]
    labels = cost.argmin(axis=1)[start:stop]
    member = labels[:, None] == np.arange(K)
    return labels, member.T @ X[start:stop], member.sum(axis=0)


def offsets(centers, prices):
    return 0.5 * (np.square(centers).sum(axis=1) + prices)


def run(kernel, arrays, dtype, case, start, stop):
    _, kind, centers, prices = case
    labels = np.full(N, -1, dtype=np.int32)
    sums, counts = np.full((K, D), 99.0), np.full(K, 99)
    columns = np.ascontiguousarray(centers.T).astype(dtype)
    changed = kernel(
        *arrays, kind, start, stop, columns, offsets(centers, prices), labels, sums, counts
    )
    return labels, sums, counts, changed


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize(("start", "stop"), [(0, N), (10, N - 5), (7, 8), (20, 20)])
def test_a_step_is_what_numpy_says(case, dtype, form, start, stop):
    X, kind, centers, prices = case
    X, centers = X.astype(dtype), centers.astype(dtype)
    rows = sp.csr_array(X)
    arrays = (X,) if form == "dense" else (rows.data, rows.indices, rows.indptr)
    kernel = assign_dense if form == "dense" else assign_sparse
    labels, sums, counts, changed = run(kernel, arrays, dtype, case, start, stop)
    expected = twin(X.astype(float), kind, centers.astype(float), prices, start, stop)
    assert_array_equal(labels[start:stop], expected[0])
    assert_allclose(sums, expected[1], atol=1e-5 if dtype == np.float32 else 1e-10)
    assert_array_equal(counts, expected[2])
    assert changed == stop - start
    assert (labels[:start] == -1).all()
    assert (labels[stop:] == -1).all()


def test_rows_that_keep_their_label_are_not_counted_as_changed(case):
    X, kind, centers, prices = case
    labels, _, _ = twin(X, kind, centers, prices, 0, N)
    labels = labels.astype(np.int32)
    labels[[3, 300]] += 10
    changed = assign_dense(
        X, kind, 0, N, np.ascontiguousarray(centers.T), offsets(centers, prices), labels,
        np.empty((K, D)), np.empty(K, dtype=np.int64),
    )  # fmt: skip
    assert changed == 2


def test_the_lower_cluster_wins_a_tie():
    X = np.array([[1.0], [-1.0]])
    kind = np.zeros(2, dtype=np.int32)
    labels = np.full(2, -1, dtype=np.int32)
    rows = sp.csr_array(X)
    for kernel, arrays in (
        (assign_dense, (X,)),
        (assign_sparse, (rows.data, rows.indices, rows.indptr)),
    ):
        kernel(
            *arrays, kind, 0, 2, np.zeros((1, 3)), np.zeros((1, 3)), labels,
            np.empty((3, 1)), np.empty(3, dtype=np.int64),
        )  # fmt: skip
        assert labels.tolist() == [0, 0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_distances_to_the_own_centre_are_what_numpy_says(case, dtype):
    X, _, centers, _ = case
    X, centers = X.astype(dtype), centers.astype(dtype)
    labels = np.random.default_rng(1).integers(0, K, N).astype(np.int32)
    expected = np.square(X.astype(float) - centers.astype(float)[labels]).sum(axis=1)
    rows = sp.csr_array(X)
    assert_allclose(distances_dense(X, labels, centers), expected, rtol=1e-12)
    sparse = distances_sparse(rows.data, rows.indices, rows.indptr, labels, centers)
    assert_allclose(sparse, expected, atol=1e-12)
