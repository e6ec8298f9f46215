"""Which examples a choice shows."""

import numpy as np

from linkwise.cluster.sequential.ask import N_SHOWN, _distinct, _KnownGroups


def known_groups(n, differ=()):
    """Return groups of one row each; pairs of them that somebody said differ."""
    apart = np.zeros((n, n), dtype=bool)
    for one, other in differ:
        apart[one, other] = apart[other, one] = True
    rows = np.arange(n)
    return _KnownGroups(rows, rows, np.ones(n, dtype=int), np.ones((n, n)), apart, set())


def test_of_groups_in_one_cluster_a_choice_shows_the_likeliest():
    likely, cluster = np.array([2, 0, 1]), np.array([5, 7, 5])
    assert _distinct(likely, cluster, known_groups(3)) == [2, 1]


def test_groups_in_one_cluster_that_differ_are_both_shown():
    likely, cluster = np.array([2, 0, 1]), np.array([5, 7, 5])
    assert _distinct(likely, cluster, known_groups(3, [(0, 2)])) == [2, 0, 1]


def test_a_choice_shows_no_more_than_fit_on_a_page():
    assert len(_distinct(np.arange(9), np.arange(9), known_groups(9))) == N_SHOWN
