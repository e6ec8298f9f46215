import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from linkwise.kernels.kmeans_step import cluster_means, move_groups


def price_of(labels, cost, links):
    """Distances plus broken links, the slow way; ``links`` are (i, j, price), negative = cannot."""
    total = sum(cost[i, labels[i]] for i in range(len(labels)))
    for i, j, price in links:
        together = labels[i] == labels[j]
        if price > 0 and not together:
            total += price
        if price < 0 and together:
            total -= price
    return total


def graph(links, n):
    i, j, price = (np.array(part) for part in zip(*links, strict=True))
    both = (np.r_[price, price], (np.r_[i, j], np.r_[j, i]))
    return sp.csr_array(both, (n, n))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_means_are_the_means_of_the_members(container):
    rng = np.random.default_rng(0)
    X = rng.random((30, 3))
    labels = rng.integers(0, 3, 30)
    centers = np.full((4, 3), 9.0)
    means, counts = cluster_means(container(X), labels, centers)
    for k in range(3):
        assert_allclose(means[k], X[labels == k].mean(axis=0))
    assert_array_equal(means[3], centers[3])
    assert_array_equal(counts, np.bincount(labels, minlength=4))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_rows_that_weigh_more_pull_the_means(container):
    rng = np.random.default_rng(0)
    X, labels, weights = rng.random((30, 3)), rng.integers(0, 3, 30), rng.random(30)
    weights[labels == 2] = 0.0
    centers = np.full((4, 3), 9.0)
    means, mass = cluster_means(container(X), labels, centers, weights)
    for k in range(2):
        here = labels == k
        assert_allclose(means[k], np.average(X[here], axis=0, weights=weights[here]))
        assert_allclose(mass[k], weights[here].sum())
    assert_array_equal(means[2:], centers[2:])


def test_means_of_float32_rows_do_not_drift():
    X = np.full((100_000, 1), 1000.1, dtype=np.float32)
    means, _ = cluster_means(X, np.zeros(100_000, dtype=int), np.zeros((1, 1), dtype=np.float32))
    assert means.dtype == np.float32
    assert means[0, 0] == np.float32(1000.1)


@pytest.mark.parametrize("seed", range(20))
def test_moves_never_raise_the_price_and_end_in_a_local_optimum(seed):
    rng = np.random.default_rng(seed)
    n, r = 12, 3
    cost = rng.random((n, r))
    pairs = {tuple(sorted(rng.choice(n, 2, replace=False))) for _ in range(10)}
    links = [(i, j, rng.choice([-1.0, 1.0]) * rng.random()) for i, j in sorted(pairs)]
    matrix = graph(links, n)
    labels = rng.integers(0, r, n)
    singles = (np.arange(n + 1), rng.permutation(n))
    before = price_of(labels, cost, links)
    while move_groups(cost, *singles, matrix.indptr, matrix.indices, matrix.data, labels):
        after = price_of(labels, cost, links)
        assert after < before
        before = after
    for i in range(n):
        for k in range(r):
            other = labels.copy()
            other[i] = k
            assert price_of(other, cost, links) >= before - 1e-12


def test_a_group_moves_as_one():
    cost = np.array([[0.0, 1.0], [5.0, 0.0], [0.0, 9.0]])
    labels = np.array([0, 0, 0])
    nothing = sp.csr_array((3, 3))
    groups = (np.array([0, 2, 3]), np.array([0, 1, 2]))
    moved = move_groups(cost, *groups, nothing.indptr, nothing.indices, nothing.data, labels)
    assert moved == 1
    assert_array_equal(labels, [1, 1, 0])


def test_rows_without_a_label_do_not_count_yet():
    cost = np.array([[0.0, 1.0], [0.0, 1.0]])
    matrix = graph([(0, 1, -100.0)], 2)
    labels = np.array([-1, -1])
    singles = (np.arange(3), np.arange(2))
    move_groups(cost, *singles, matrix.indptr, matrix.indices, matrix.data, labels)
    assert_array_equal(labels, [0, 1])
