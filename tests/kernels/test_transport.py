"""Labels within limits against linear programming, and against trying all of them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from linkwise.kernels.transport import assign_within


def lowest_cost(cost, low, high):
    """Return the cost of the best labels by linear programming, None if there are none."""
    n, k = cost.shape
    one_each = np.kron(np.eye(n), np.ones(k))
    per_cluster = np.kron(np.ones(n), np.eye(k))
    found = linprog(
        cost.reshape(-1),
        A_ub=np.vstack([per_cluster, -per_cluster]),
        b_ub=np.concatenate([high, -low]),
        A_eq=one_each,
        b_eq=np.ones(n),
        bounds=(0, 1),
    )
    return found.fun if found.success else None


def check(cost, low, high, prices):
    labels, final, possible = assign_within(cost, low, high, prices)
    expected = lowest_cost(cost, low, high)
    assert possible == (expected is not None)
    if not possible:
        return None
    sizes = np.bincount(labels, minlength=len(low))
    assert (low <= sizes).all()
    assert (sizes <= high).all()
    rows = np.arange(len(cost))
    assert cost[rows, labels].sum() == pytest.approx(expected, abs=1e-7)
    priced = cost + final
    assert (priced[rows, labels] <= priced.min(axis=1) + 1e-9).all()
    assert (sizes[final > 1e-9] == high[final > 1e-9]).all()
    assert (sizes[final < -1e-9] == low[final < -1e-9]).all()
    return final


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 4), st.integers(1, 14), st.integers(0, 10**6))
def test_labels_cost_what_linear_programming_says(k, n, seed):
    rng = np.random.default_rng(seed)
    cost = rng.integers(0, 9, (n, k)).astype(float) if seed % 2 else rng.random((n, k))
    low = rng.integers(0, n // k + 1, k)
    high = low + rng.integers(0, n + 1, k)
    final = check(cost, low, high, np.zeros(k))
    if final is not None:  # a similar problem, from where this one ended
        check(np.abs(cost + 0.1 * rng.random((n, k))), low, high, final)


def test_labels_cost_what_trying_all_of_them_says():
    cost = np.random.default_rng(0).random((6, 3))
    low, high = np.array([2, 2, 1]), np.array([2, 3, 6])
    labels, _, _ = assign_within(cost, low, high, np.zeros(3))
    tried = [
        cost[np.arange(6), z].sum()
        for z in product(range(3), repeat=6)
        if (np.bincount(z, minlength=3) >= low).all()
        and (np.bincount(z, minlength=3) <= high).all()
    ]
    assert cost[np.arange(6), labels].sum() == pytest.approx(min(tried))


def test_without_limits_every_row_takes_the_cheapest():
    cost = np.random.default_rng(0).random((50, 4))
    labels, prices, _ = assign_within(cost, np.zeros(4, int), np.full(4, 50), np.zeros(4))
    assert (labels == cost.argmin(axis=1)).all()
    assert (prices == 0).all()


def test_no_rows_and_no_limits_are_fine():
    labels, _, possible = assign_within(
        np.empty((0, 2)), np.zeros(2, int), np.zeros(2, int), np.zeros(2)
    )
    assert possible
    assert len(labels) == 0
