import numpy as np
import pytest
from sklearn.cluster import KMeans

from linkwise.ensemble.kmeans import half_norms, sampled_kmeans


def clumps(n_rows=400, n_features=3, n_clumps=8, seed=0):
    rng = np.random.default_rng(seed)
    centers = 5 * rng.normal(size=(n_clumps, n_features))
    X = centers[rng.integers(n_clumps, size=n_rows)] + rng.normal(size=(n_rows, n_features))
    return X.astype(np.float32)


def plain_steps(X, centers, n_steps):
    for _ in range(n_steps):
        label = np.square(X[:, None] - centers).sum(axis=2).argmin(axis=1)
        centers = np.stack([X[label == k].mean(axis=0) for k in range(len(centers))])
    return centers


def test_a_step_is_the_step_of_lloyd():
    X = clumps()
    start = X[np.sort(np.random.default_rng(3).choice(len(X), 20, replace=False))]
    for n_steps in (1, 2, 5):
        centers, _ = sampled_kmeans(X, 20, np.random.default_rng(3), n_steps)
        expected = plain_steps(X.astype(float), start.astype(float), n_steps)
        np.testing.assert_allclose(centers, expected, atol=1e-5)


def test_it_stops_where_scikit_learn_stops():
    X = clumps()
    start = X[np.sort(np.random.default_rng(3).choice(len(X), 8, replace=False))]
    centers, _ = sampled_kmeans(X, 8, np.random.default_rng(3), 300)
    reference = KMeans(8, init=start, n_init=1, max_iter=300, tol=0).fit(X)
    np.testing.assert_allclose(centers, reference.cluster_centers_, atol=1e-5)


def test_every_cluster_is_used_when_there_are_enough_distinct_rows():
    X = np.repeat(np.arange(10, dtype=np.float32), [300] + 9 * [1])[:, None]
    for seed in range(20):
        centers, _ = sampled_kmeans(X, 10, np.random.default_rng(seed))
        assert sorted(centers[:, 0].tolist()) == list(range(10))


@pytest.mark.parametrize("n_distinct", [1, 3])
def test_equal_rows_do_no_harm(n_distinct):
    X = np.repeat(np.arange(n_distinct, dtype=np.float32), 50)[:, None]
    centers, label = sampled_kmeans(X, 5, np.random.default_rng(0))
    assert np.isfinite(centers).all()
    np.testing.assert_allclose(centers[label], X)


def test_one_row_is_its_own_cluster():
    X = np.array([[2.0, 3.0]], dtype=np.float32)
    centers, label = sampled_kmeans(X, 1, np.random.default_rng(0))
    assert centers.tolist() == X.tolist()
    assert label.tolist() == [0]


def test_half_norms_are_half_the_squared_norms():
    centers = np.array([[[3, 4], [0, 2]]], dtype=np.float32)
    assert half_norms(centers).tolist() == [[12.5, 2.0]]
