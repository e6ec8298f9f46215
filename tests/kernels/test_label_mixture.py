"""The label kernels against matrices written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linkwise.kernels.label_mixture import count_classes, label_cost, label_prices, mixture_of

N_CLASSES = [3, 2]
FIRST = np.array([0, 3, 5])
STRENGTH = np.array([2.0, 0.5])


@pytest.fixture
def codes():
    rng = np.random.default_rng(0)
    return np.column_stack([rng.integers(-1, n, 40) for n in N_CLASSES])


@pytest.fixture
def labels():
    return np.random.default_rng(1).integers(0, 4, 40).astype(np.int32)


def indicators(codes):
    """Return the one-hot table of each column, with zero rows where the class is unknown."""
    return [
        (column[:, None] == np.arange(n)).astype(float)
        for column, n in zip(codes.T, N_CLASSES, strict=True)
    ]


def member(labels, n_clusters=4):
    return (labels[:, None] == np.arange(n_clusters)).astype(float)


def test_counts_are_products_of_indicators(codes, labels):
    counts = count_classes(codes, FIRST, np.arange(40), labels, 4, np.ones(40))
    assert_array_equal(counts, np.vstack([S.T @ member(labels) for S in indicators(codes)]))


def test_only_the_named_rows_count_and_cluster_minus_one_does_not(codes, labels):
    rows = np.arange(5, 40, 3)
    labels[8] = -1
    counts = count_classes(codes[rows], FIRST, rows, labels, 4, np.ones(len(rows)))
    kept = rows[labels[rows] >= 0]
    expected = [S[kept].T @ member(labels)[kept] for S in indicators(codes)]
    assert_array_equal(counts, np.vstack(expected))


def test_rows_count_by_weight(codes, labels):
    weight = np.random.default_rng(3).uniform(0, 2, 40)
    counts = count_classes(codes, FIRST, np.arange(40), labels, 4, weight)
    expected = [S.T @ (weight[:, None] * member(labels)) for S in indicators(codes)]
    assert_allclose(counts, np.vstack(expected))


def test_a_mixture_is_the_share_of_each_class(codes, labels):
    counts = count_classes(codes, FIRST, np.arange(40), labels, 4, np.ones(40))
    mixture = mixture_of(counts, FIRST)
    for t in range(2):
        part = slice(FIRST[t], FIRST[t + 1])
        assert_allclose(mixture[part], counts[part] / counts[part].sum(axis=0))


def test_a_cluster_without_labels_has_the_uniform_mixture():
    mixture = mixture_of(np.array([[2.0, 0.0], [2.0, 0.0], [0.0, 0.0]]), np.array([0, 3]))
    assert_allclose(mixture[:, 0], [0.5, 0.5, 0.0])
    assert_allclose(mixture[:, 1], [1 / 3, 1 / 3, 1 / 3])


def test_prices_are_squared_distances_to_the_mixtures(codes, labels):
    mixture = mixture_of(count_classes(codes, FIRST, np.arange(40), labels, 4, np.ones(40)), FIRST)
    expected = np.zeros((40, 4))
    for t, S in enumerate(indicators(codes)):
        G = mixture[FIRST[t] : FIRST[t + 1]].T
        known = codes[:, t] >= 0
        squared = np.square(S[known][:, None] - G[None]).sum(axis=2)
        expected[known] += STRENGTH[t] * squared
    assert_allclose(label_prices(codes, FIRST, STRENGTH, mixture), expected, atol=1e-12)


def test_the_cost_is_the_sum_of_what_the_rows_pay(codes, labels):
    counts = count_classes(codes, FIRST, np.arange(40), labels, 4, np.ones(40))
    prices = label_prices(codes, FIRST, STRENGTH, mixture_of(counts, FIRST))
    paid = prices[np.arange(40), labels].sum()
    assert label_cost(counts, FIRST, STRENGTH) == pytest.approx(paid, rel=1e-12)
