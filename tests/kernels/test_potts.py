"""Groups of a few things: worth, single moves, cuts and exchanges against loops and brute force."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from linkwise.kernels.potts import cut, exchanges, give_up, polish, worth


def drawn(seed, n):
    """Return couplings between ``n`` things, and groups to begin with."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(n, n))
    return half + half.T, rng.permutation(np.arange(n) % 3)


def slow_worth(couplings, labels):
    n = len(labels)
    return sum(couplings[a, b] for a in range(n) for b in range(a) if labels[a] == labels[b])


seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 12))
def test_groups_are_worth_the_sum_of_what_is_inside(seed, n):
    couplings, labels = drawn(seed, n)
    assert worth(couplings, labels) == pytest.approx(slow_worth(couplings, labels))


@settings(deadline=None)
@given(seeds, st.integers(2, 12))
def test_after_polishing_no_single_move_gains(seed, n):
    couplings, labels = drawn(seed, n)
    found = polish(couplings, labels, 3)
    best = slow_worth(couplings, found)
    assert best >= slow_worth(couplings, labels)
    assert set(found) >= set(labels)
    for thing, group in product(range(n), range(3)):
        if (found == found[thing]).sum() == 1:
            continue
        moved = found.copy()
        moved[thing] = group
        assert slow_worth(couplings, moved) <= best + 1e-6


def test_polishing_leaves_the_labels_it_was_given():
    couplings, labels = drawn(0, 8)
    kept = labels.copy()
    polish(couplings, labels, 3)
    assert_array_equal(labels, kept)


@settings(deadline=None)
@given(seeds, st.integers(2, 9))
def test_a_cut_gains_what_it_says_and_both_sides_hold_something(seed, m):
    couplings, _ = drawn(seed, 12)
    members = np.random.default_rng(seed).permutation(12)[:m]
    side, gain = cut(couplings, members)
    assert 0 < side.sum() < m
    inside = couplings[np.ix_(members, members)]
    assert gain == pytest.approx(-inside[np.ix_(side, ~side)].sum())


@pytest.mark.parametrize("seed", range(20))
def test_a_cut_of_few_is_the_best_of_all(seed):
    couplings, _ = drawn(seed, 7)
    best = max(
        -couplings[np.ix_(side, ~side)].sum()
        for side in map(np.array, product([False, True], repeat=7))
        if 0 < side.sum() < 7
    )
    assert cut(couplings, np.arange(7))[1] == pytest.approx(best)


def test_a_group_that_is_given_up_goes_where_it_is_attracted():
    couplings = np.zeros((4, 4))
    couplings[0, 2] = couplings[2, 0] = 1.0
    couplings[1, 3] = couplings[3, 1] = 1.0
    assert give_up(couplings, np.array([0, 0, 1, 2]), 3, 0).tolist() == [1, 2, 1, 2]


def test_an_exchange_joins_two_groups_and_cuts_a_third():
    truth = np.repeat([0, 0, 1, 2], 2)  # the first two groups are one thing, the third is two
    couplings = np.where(truth[:, None] == truth, 1.0, -1.0)
    start = np.repeat([0, 1, 2, 2], 2)
    found, values = exchanges(couplings, start, 3, 10)
    best = found[values.argmax()]
    assert_array_equal(best[:, None] == best, truth[:, None] == truth)
    assert values.max() == worth(couplings, truth)


def test_two_groups_that_are_wrong_as_a_whole_are_cut_anew():
    truth = np.tile([0, 1], 4)
    couplings = np.where(truth[:, None] == truth, 1.0, -1.0)
    found, values = exchanges(couplings, np.repeat([0, 1], 4), 2, 10)
    best = found[values.argmax()]
    assert_array_equal(best[:, None] == best, truth[:, None] == truth)


@pytest.mark.parametrize("seed", range(20))
def test_moves_and_exchanges_find_the_best_groups_of_few_things(seed):
    couplings, start = drawn(seed, 6)
    all_labels = [np.array(labels) for labels in product(range(3), repeat=6)]
    most = max(worth(couplings, labels) for labels in all_labels if len(set(labels)) == 3)
    best = polish(couplings, start, 3)
    for _ in range(5):
        found, values = exchanges(couplings, best, 3, 3)
        if values.max() > worth(couplings, best):
            best = found[values.argmax()]
    assert worth(couplings, best) == pytest.approx(most)


def test_one_group_leaves_nothing_to_exchange():
    couplings, _ = drawn(0, 5)
    found, values = exchanges(couplings, np.zeros(5, dtype=np.int64), 1, 10)
    assert (found.shape, values.shape) == ((0, 5), (0,))
