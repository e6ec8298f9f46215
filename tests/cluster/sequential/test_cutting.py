"""Groups of landmarks, cut in two."""

import numpy as np

from linkwise.cluster.sequential.cutting import cut_in_two

#: Four small blobs in a row, the last two in one cluster.
CENTRES = np.array([[0.0, 0.0], [4.0, 0.0], [20.0, 0.0], [24.0, 0.0]])
BLOB = np.repeat(np.arange(4), 10)
PLACES = CENTRES[BLOB] + np.random.default_rng(0).normal(scale=0.3, size=(40, 2))
START = np.array([0, 1, 2, 2])[BLOB]


def test_a_cluster_of_two_blobs_is_cut_between_them():
    half = cut_in_two(PLACES, START, 3)
    assert not half[BLOB < 2].all()
    last = half[BLOB >= 2]
    assert last[:10].all() != last[10:].all()
    assert last.sum() == 10


def test_clusters_of_few_or_equal_landmarks_are_not_cut():
    assert not cut_in_two(np.zeros((8, 2)), np.repeat([0, 1], [3, 5]), 2).any()
