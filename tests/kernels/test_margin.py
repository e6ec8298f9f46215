from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linkwise.kernels.margin import (
    apart_losses,
    best_apart,
    best_together,
    row_losses,
    together_losses,
    worst_losses,
)

CLUSTERS = range(2, 11)


def scores(n_clusters, n_pairs=30, ties=False, seed=0):
    """Scores of n_pairs pairs of rows; with ties, small whole numbers."""
    rng = np.random.RandomState(seed)
    shape = (2 * n_pairs, n_clusters)
    S = rng.randint(-2, 3, size=shape).astype(float) if ties else rng.normal(size=shape)
    return S, np.arange(n_pairs), n_pairs + np.arange(n_pairs)


def joint(S, x, y, same):
    """All joint scores of a pair, by enumeration."""
    r = S.shape[1]
    return {(a, b): S[x, a] + S[y, b] for a, b in product(range(r), repeat=2) if (a == b) == same}


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_clusters", CLUSTERS)
def test_pair_maxima_are_those_of_enumeration(n_clusters, ties):
    S, i, j = scores(n_clusters, ties=ties)
    cluster, together = best_together(S, i, j)
    first, second, apart = best_apart(S, i, j)
    for p in range(len(i)):
        same, different = joint(S, i[p], j[p], True), joint(S, i[p], j[p], False)
        assert together[p] == same[cluster[p], cluster[p]] == max(same.values())
        assert first[p] != second[p]
        assert apart[p] == different[first[p], second[p]] == max(different.values())


def test_ties_go_to_the_lowest_cluster():
    S = np.zeros((2, 4))
    assert best_together(S, np.array([0]), np.array([1]))[0].tolist() == [0]
    first, second, _ = best_apart(S, np.array([0]), np.array([1]))
    assert (first.tolist(), second.tolist()) == ([0], [1])


def soft(values, width):
    """max(0, values), or its smooth stand-in."""
    values = np.append(np.asarray(values, dtype=float), 0.0)
    if width == 0:
        return values.max()
    return values.max() + width * np.log(np.exp((values - values.max()) / width).sum())


def slow_rows(S, rows, target, factor, width):
    total = 0.0
    for i, y in zip(rows, target, strict=True):
        total += sum(
            1.0 if z == y else soft([1 - S[i, y] + S[i, z]], width) for z in range(S.shape[1])
        )
    return factor * total


def slow_worst(S, target, factor, width):
    total = 0.0
    for i, y in enumerate(target):
        total += soft([1 - S[i, y] + S[i, z] for z in range(S.shape[1]) if z != y], width)
    return factor * total


def slow_together(S, i, j, cluster, weight, width):
    total = 0.0
    for x, y, k, w in zip(i, j, cluster, weight, strict=True):
        gaps = [1 - S[x, k] - S[y, k] + s for s in joint(S, x, y, False).values()]
        total += w * soft(gaps, width)
    return total


def slow_apart(S, i, j, first, second, weight, width):
    total = 0.0
    for x, y, a, b, w in zip(i, j, first, second, weight, strict=True):
        gaps = [1 - S[x, a] - S[y, b] + s for s in joint(S, x, y, True).values()]
        total += w * soft(gaps, width)
    return total


def cases(n_clusters, width, seed=1):
    """Each loss as (fast, slow): functions of the scores alone."""
    S, i, j = scores(n_clusters, seed=seed)
    rng = np.random.RandomState(seed)
    weight = rng.rand(len(i))
    cluster = rng.randint(n_clusters, size=len(i))
    target = rng.randint(n_clusters, size=len(i))
    second = (cluster + 1) % n_clusters
    everywhere = np.concatenate([target, cluster])
    fast_and_slow = [
        (worst_losses, slow_worst, (everywhere, 0.7, width)),
        (row_losses, slow_rows, (i, target, 0.7, width)),
        (together_losses, slow_together, (i, j, cluster, weight, width)),
        (apart_losses, slow_apart, (i, j, cluster, second, weight, width)),
    ]
    for fast, slow, args in fast_and_slow:
        yield S, fast, slow, args


@pytest.mark.parametrize("width", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("n_clusters", [2, 3, 7])
def test_losses_are_those_of_the_slow_twins(n_clusters, width):
    for S, fast, slow, args in cases(n_clusters, width):
        D = np.zeros_like(S)
        assert_allclose(fast(S, *args, D), slow(S, *args), rtol=1e-12)


@pytest.mark.parametrize("width", [0.05, 0.3])
@pytest.mark.parametrize("n_clusters", [2, 3, 7])
def test_slopes_are_finite_differences(n_clusters, width):
    for S, fast, slow, args in cases(n_clusters, width):
        D = np.zeros_like(S)
        fast(S, *args, D)
        rng = np.random.RandomState(0)
        for _ in range(40):
            at = rng.randint(len(S)), rng.randint(n_clusters)
            step = np.zeros_like(S)
            step[at] = 1e-6
            slope = (slow(S + step, *args) - slow(S - step, *args)) / 2e-6
            assert D[at] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize("n_clusters", [2, 3, 7])
def test_hard_slopes_are_subgradients(n_clusters):
    rng = np.random.RandomState(0)
    for S, fast, slow, args in cases(n_clusters, 0.0):
        D = np.zeros_like(S)
        value = fast(S, *args, D)
        for _ in range(20):
            other = S + rng.normal(size=S.shape) * rng.choice([0.1, 1, 3])
            assert slow(other, *args) >= value + np.sum(D * (other - S)) - 1e-9


def test_slopes_are_added_to_what_is_there():
    for S, fast, _, args in cases(3, 0.3):
        D, E = np.zeros_like(S), np.ones_like(S)
        fast(S, *args, D)
        fast(S, *args, E)
        assert_allclose(E, D + 1)


@pytest.mark.parametrize("width", [0.05, 0.3])
def test_smoothing_lies_above_and_close(width):
    for S, fast, slow, args in cases(4, width):
        D = np.zeros_like(S)
        smooth, hard = fast(S, *args, D), slow(S, *args[:-1], 0.0)
        n_terms = 2 * len(args[0]) * 4
        assert hard <= smooth <= hard + n_terms * width * np.log(1 + 12)


@pytest.mark.parametrize("scale", [1e3, 1e6])
def test_huge_scores_neither_overflow_nor_vanish(scale):
    for S, fast, slow, args in cases(5, 0.05):
        D = np.zeros_like(S)
        value = fast(scale * S, *args, D)
        assert np.isfinite(D).all()
        assert_allclose(value, slow(scale * S, *args[:-1], 0.0), rtol=1e-3)


def test_no_pairs_cost_nothing():
    S = np.ones((3, 2))
    D = np.zeros_like(S)
    none = np.empty(0, dtype=np.int64)
    assert together_losses(S, none, none, none, np.empty(0), 0.1, D) == 0.0
    assert apart_losses(S, none, none, none, none, np.empty(0), 0.1, D) == 0.0
    assert_array_equal(D, 0)
