import numpy as np

from linkwise.cluster.visit_order import surest_first


def test_the_row_with_the_widest_lead_comes_first():
    cost = np.array([[1.0, 1.5, 9.0], [4.0, 0.0, 7.0], [2.0, 2.0, 2.0]])
    first, members = surest_first(cost, np.arange(3))
    assert first.tolist() == [0, 1, 2, 3]
    assert members.tolist() == [1, 0, 2]


def test_groups_are_ranked_by_the_lead_of_their_sum():
    cost = np.array([[0.0, 9.0], [9.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    first, members = surest_first(cost, np.array([0, 0, 1, 2]))
    assert first.tolist() == [0, 1, 2, 4]
    assert members.tolist() == [3, 2, 0, 1]


def test_one_cluster_and_no_rows_are_fine():
    first, members = surest_first(np.array([[1.0], [3.0]]), np.arange(2))
    assert (first.tolist(), members.tolist()) == ([0, 1, 2], [1, 0])
    first, members = surest_first(np.empty((0, 2)), np.empty(0, dtype=int))
    assert (first.tolist(), members.tolist()) == ([0], [])
