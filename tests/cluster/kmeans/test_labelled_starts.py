import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import PartialLabels
from linkwise.cluster.kmeans.labelled_starts import labelled_starts, seeded_start

X = np.array([[0.0], [2.0], [10.0], [12.0], [30.0], [32.0]])
RNG = np.random.RandomState


def test_seeds_are_class_means():
    centers, seed = seeded_start(X, PartialLabels(["b", "b", "a", -1, -1, -1]), 2, RNG(0))
    assert centers.tolist() == [[10.0], [1.0]]
    assert seed.tolist() == [1, 1, 0, -1, -1, -1]


def test_missing_seeds_are_drawn_from_the_rows():
    centers, seed = seeded_start(X, PartialLabels([0, 0, -1, -1, -1, -1]), 3, RNG(0))
    assert centers[0] == 1.0
    assert set(centers[1:].ravel()) <= set(X.ravel())
    assert seed.tolist() == [0, 0, -1, -1, -1, -1]


def test_near_classes_share_a_seed_when_there_are_too_many():
    centers, seed = seeded_start(X, PartialLabels(["a", "a", "b", "b", "c", "c"]), 2, RNG(0))
    assert seed[0] == seed[2] != seed[4]
    assert_allclose(centers[[seed[0], seed[4]]], [[6.0], [31.0]])


def test_rows_drawn_at_random_bring_their_labels():
    for init in ("random", "k-means++"):
        starts = list(labelled_starts(X, PartialLabels(np.arange(6)), init, 3, 4, RNG(0)))
        assert len(starts) == 4
        for centers, seed in starts:
            assert sorted(seed[seed >= 0]) == [0, 1, 2]
            assert_array_equal(centers[seed[seed >= 0]], X[seed >= 0])


def test_a_start_without_chance_is_made_once():
    def count(known, init):
        return len(list(labelled_starts(X, PartialLabels(known), init, 2, 5, RNG(0))))

    assert count([0, 1, -1, -1, -1, -1], "seeded") == 1
    assert count([0, 1, 2, -1, -1, -1], "seeded") == 1
    assert count([0, -1, -1, -1, -1, -1], "seeded") == 5
    assert count([0, 1, -1, -1, -1, -1], "random") == 5
    assert count([0, 1, -1, -1, -1, -1], np.zeros((2, 1))) == 1
