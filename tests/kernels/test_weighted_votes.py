import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linkwise.kernels.weighted_votes import add_entries, nearest_center_of_votes


@pytest.mark.parametrize(("m", "n", "r"), [(1, 1, 1), (5, 1000, 4), (30, 513, 7)])
def test_kernel_agrees_with_one_hot_votes(m, n, r):
    rng = np.random.default_rng(m)
    labels = rng.integers(0, r, (m, n)).astype(np.uint8)
    weights = rng.dirichlet(np.ones(m))
    centers = rng.random((r, r))
    votes = sum(w * np.eye(r)[row] for w, row in zip(weights, labels, strict=True))
    nearest, leads = nearest_center_of_votes(labels, weights, centers)
    distances = ((votes[:, None] - centers[None]) ** 2).sum(axis=2)
    assert_array_equal(nearest, distances.argmin(axis=1))
    ranked = np.sort(votes, axis=1)
    expected = ranked[:, -1] - ranked[:, -2] if r > 1 else ranked[:, 0]
    assert_allclose(leads, expected, atol=1e-6)


@pytest.mark.parametrize(("m", "n", "n_numbers"), [(1, 1, 1), (5, 600, 7), (3, 0, 2)])
def test_entries_are_added_up_as_by_indexing(m, n, n_numbers):
    rng = np.random.default_rng(n)
    entries, entry = rng.normal(size=(40, n_numbers)), rng.integers(0, 40, (m, n))
    assert_allclose(add_entries(entries, entry), entries[entry].sum(axis=0), atol=1e-12)
