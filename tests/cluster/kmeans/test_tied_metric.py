import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.covariance import empirical_covariance

from linkwise.cluster.kmeans.tied_metric import (
    SHRINKAGE,
    n_in_majority,
    standardise,
    whitening,
    within_covariance,
)


def groups():
    rng = np.random.default_rng(0)
    labels = rng.integers(-1, 3, 80)
    X = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 3)) + 10 * labels[:, None]
    return X, labels


def test_the_covariance_within_groups_is_the_pooled_one():
    X, labels = groups()
    parts = [X[labels == k] for k in range(3)]
    pooled = sum(len(part) * empirical_covariance(part) for part in parts)
    assert_allclose(within_covariance(X, labels), pooled / np.count_nonzero(labels >= 0))


def test_an_empty_group_number_does_not_matter():
    X, labels = groups()
    assert_allclose(within_covariance(X, 2 * labels + (labels < 0)), within_covariance(X, labels))


def test_whitened_groups_spread_alike_in_all_directions():
    X, labels = groups()
    whiten = whitening(X, labels)
    covariance = within_covariance(X, labels)
    spread = np.trace(covariance) / 3
    shrunk = (1 - SHRINKAGE) * covariance + SHRINKAGE * spread * np.eye(3)
    assert_allclose(whiten, whiten.T)
    assert_allclose(whiten @ shrunk @ whiten, np.eye(3), atol=1e-10)


def test_without_spread_there_is_nothing_to_whiten():
    X, _ = groups()
    assert_array_equal(whitening(X, np.full(80, -1)), np.eye(3))
    assert_array_equal(whitening(X, np.where(np.arange(80) < 2, np.arange(80), -1)), np.eye(3))


def test_standard_rows_have_mean_zero_and_variance_one():
    X, _ = groups()
    X = np.column_stack([1000 * X + 17, np.full(80, 0.1)])
    Z, mean, scale = standardise(X)
    assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
    assert_allclose(Z.var(axis=0), [1, 1, 1, 0], atol=1e-12)
    assert_allclose(Z * scale + mean, X)


def test_the_majority_of_each_cluster_is_counted():
    codes = np.array([0, 0, 1, 1, 2, -1, -1])
    assert n_in_majority(codes, np.array([0, 0, 0, 1, 1, 1, 2])) == 3
    assert n_in_majority(codes, np.array([0, 0, 1, 1, 2, 2, 2])) == 5
    assert n_in_majority(np.full(7, -1), np.zeros(7, dtype=int)) == 0


def test_a_row_of_weight_three_counts_as_three_rows():
    X, labels = groups()
    times = np.random.default_rng(1).integers(0, 4, 80)
    many, theirs = np.repeat(X, times, axis=0), np.repeat(labels, times)
    assert_allclose(within_covariance(X, labels, times), within_covariance(many, theirs))
    for one, other in zip(standardise(X, times)[1:], standardise(many)[1:], strict=True):
        assert_allclose(one, other)
    clusters = np.arange(80) % 4
    assert n_in_majority(labels, clusters, times) == n_in_majority(
        theirs, np.repeat(clusters, times)
    )
