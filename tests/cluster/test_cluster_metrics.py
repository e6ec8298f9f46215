import numpy as np
import pytest
from numpy.testing import assert_allclose

from linkwise.cluster.cluster_metrics import LEAST, ClusterMetrics, scatter_of


@pytest.fixture
def rng():
    return np.random.RandomState(0)


def covariances(rng, full, r=3, d=4):
    if not full:
        return rng.rand(r, d) + 0.5
    roots = rng.normal(size=(r, d, d))
    return roots @ roots.transpose(0, 2, 1) + np.eye(d)


@pytest.mark.parametrize("full", [False, True])
def test_costs_are_mahalanobis_distances_less_log_determinants(rng, full):
    covariance = covariances(rng, full)
    X, centers = rng.normal(size=(6, 4)), rng.normal(size=(3, 4))
    metrics = ClusterMetrics(covariance)
    for k in range(3):
        A = np.linalg.inv(covariance[k] if full else np.diag(covariance[k]))
        matrix = metrics.matrices[k] if full else np.diag(metrics.matrices[k])
        assert_allclose(matrix, A, atol=1e-12)
        for i in range(6):
            v = X[i] - centers[k]
            expected = v @ A @ v - np.log(np.linalg.det(A))
            assert_allclose(metrics.costs(X, centers)[i, k], expected)


@pytest.mark.parametrize("full", [False, True])
def test_scatter_is_the_weighted_sum_of_outer_products(rng, full):
    D, w = rng.normal(size=(5, 3)), rng.rand(5)
    outer = sum(w[i] * np.outer(D[i], D[i]) for i in range(5))
    assert_allclose(scatter_of(D, full, w), outer if full else np.diag(outer))
    assert_allclose(scatter_of(D, full), D.T @ D if full else np.diag(D.T @ D))


@pytest.mark.parametrize("full", [False, True])
def test_many_rows_outweigh_the_isotropic_part(rng, full):
    X = rng.normal(size=(100_000, 2)) * [1.0, 3.0]
    learned = ClusterMetrics.learn(scatter_of(X, full)[None], np.array([1e5]))
    diagonal = np.diagonal(learned.matrices[0]) if full else learned.matrices[0]
    assert_allclose(diagonal, [1.0, 1 / 9], rtol=0.02)


@pytest.mark.parametrize("full", [False, True])
def test_an_empty_cluster_has_a_plain_metric(full):
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]])
    scatter = np.stack([scatter_of(X, full), scatter_of(X[:0], full)])
    learned = ClusterMetrics.learn(scatter, np.array([4.0, 0.0]))
    variance = 10 / (4 * 2)  # trace of the scatter over rows and features
    plain = np.eye(2) / variance if full else np.ones(2) / variance
    assert_allclose(learned.matrices[1], plain)


@pytest.mark.parametrize("full", [False, True])
def test_negative_scatter_from_broken_links_is_lifted_to_the_least_variance(full):
    scatter = np.array([[40.0, -30.0]])
    if full:
        scatter = np.array([np.diag(scatter[0])])
    learned = ClusterMetrics.learn(scatter, np.array([5.0]))
    diagonal = np.diagonal(learned.matrices[0]) if full else learned.matrices[0]
    variance = 10 / (5 * 2)
    assert_allclose(diagonal[1], 1 / (LEAST * variance))


@pytest.mark.parametrize("full", [False, True])
def test_rows_without_any_spread_keep_the_unit_metric(full):
    scatter = np.zeros((1, 2, 2)) if full else np.zeros((1, 2))
    learned = ClusterMetrics.learn(scatter, np.array([7.0]))
    prior = 2 if full else 1
    plain = np.eye(2) if full else np.ones(2)
    assert_allclose(learned.matrices[0], plain * (7 + prior) / prior)


def test_extremes_are_found_in_the_clusters_own_metric():
    X = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 4.0], [0.0, -4.0]])
    apart, length = ClusterMetrics(np.array([[1.0, 1.0], [100.0, 1.0]])).extremes(X)
    assert_allclose(np.abs(apart), [[10.0, 4.0], [0.0, 8.0]])
    assert_allclose(length, [116.0, 64.0])
