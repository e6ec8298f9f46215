"""Groups of landmarks, cut in two and into pieces."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from linkwise.cluster.sequential.cutting import cut_in_pieces, cut_in_two

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


def test_the_piece_that_is_spread_most_is_cut_first():
    pieces = cut_in_pieces(PLACES, START, 4)
    assert_array_equal(pieces[:, None] == pieces, BLOB[:, None] == BLOB)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 30))
def test_every_piece_is_a_part_of_one_cluster(seed, n_clusters, n_pieces):
    rng = np.random.default_rng(seed)
    coordinates, labels = rng.normal(size=(90, 3)), rng.integers(0, n_clusters, 90)
    pieces = cut_in_pieces(coordinates, labels, n_pieces)
    n_found = len(np.unique(labels))
    assert np.unique(pieces).tolist() == list(range(pieces.max() + 1))
    assert n_found <= pieces.max() + 1 <= max(n_found, n_pieces)
    for piece in range(pieces.max() + 1):
        assert len(np.unique(labels[pieces == piece])) == 1


def test_rows_that_are_all_alike_are_one_piece():
    assert cut_in_pieces(np.ones((20, 2)), np.zeros(20, dtype=np.int64), 4).max() == 0
