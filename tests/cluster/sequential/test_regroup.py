"""Clusters of landmarks: k-means, and exchanges that the answers ask for."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import Links, PartialLabels
from linkwise.cluster.sequential.answers import ERROR_RATE, Answers
from linkwise.cluster.sequential.landmarks import one_hot
from linkwise.cluster.sequential.regroup import (
    CHANGE,
    MISPLACED,
    cut_in_two,
    log_likelihood,
    regroup,
)
from linkwise.kernels.lloyd import lloyd
from linkwise.scores import accuracy

#: Four small blobs in a row; by distance alone, either the first or the last two may be one.
CENTRES = np.array([[0.0, 0.0], [4.0, 0.0], [20.0, 0.0], [24.0, 0.0]])
BLOB = np.repeat(np.arange(4), 10)
PLACES = CENTRES[BLOB] + np.random.default_rng(0).normal(scale=0.3, size=(40, 2))
#: Where k-means begins: the first two apart, the last two together.
START = np.array([0, 1, 2, 2])[BLOB]


def among_all(links):
    """Return the answers, and each of the rows spoken about as the landmark it is."""
    answers = Answers.of(links, PartialLabels(np.full(len(links), -1)))
    return sp.csr_array(np.eye(len(links))[answers.rows]), answers


def likelihood(labels, mixture, answers, n_clusters):
    together = answers.together(mixture @ one_hot(labels, n_clusters))
    return log_likelihood(answers, together[:, None], n_clusters)[0]


def pairs_of(a, b, n):
    one, other = np.flatnonzero(BLOB == a), np.flatnonzero(BLOB == b)
    return [(one[k % 10], other[(3 * k + 1) % 10]) for k in range(n)]


def test_without_answers_it_is_plain_k_means():
    rng = np.random.default_rng(1)
    coordinates, start = rng.normal(size=(60, 3)), np.arange(60) % 5
    expected, _ = lloyd(coordinates, start, 5, 100)
    assert_array_equal(regroup(coordinates, start, *among_all(Links(60))), expected)


@pytest.mark.parametrize("n_links", [6, 10])
def test_one_cluster_is_cut_and_two_are_joined_where_answers_say_so(n_links):
    links = Links(40, must=pairs_of(0, 1, n_links), cannot=pairs_of(2, 3, n_links))
    assert_array_equal(lloyd(PLACES, START, 3, 100)[0], START)  # k-means alone stays
    found = regroup(PLACES, START, *among_all(links))
    assert accuracy(np.array([0, 0, 1, 2])[BLOB], found) == 1.0


def test_answers_that_agree_with_the_clusters_change_nothing():
    links = Links(40, must=pairs_of(2, 3, 10), cannot=pairs_of(0, 1, 10))
    assert_array_equal(regroup(PLACES, START, *among_all(links)), START)


def test_answers_that_do_not_agree_with_each_other_exchange_no_clusters():
    pairs = pairs_of(0, 1, 6)
    links = Links(40, must=pairs[:2], cannot=pairs[2:])
    assert_array_equal(regroup(PLACES, START, *among_all(links)), START)


def test_two_clusters_leave_nothing_to_exchange():
    start = np.array([0, 1, 1, 1])[BLOB]
    links = Links(40, must=pairs_of(0, 3, 10), cannot=pairs_of(0, 1, 10))
    assert_array_equal(regroup(PLACES, start, *among_all(links)), lloyd(PLACES, start, 2, 100)[0])


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(0, 40))
def test_exchanges_never_make_the_answers_less_likely(seed, n_clusters, n_links):
    rng = np.random.default_rng(seed)
    coordinates = np.ascontiguousarray(rng.normal(size=(50, 2)))
    start = rng.permutation(np.arange(50) % n_clusters)
    truth = rng.integers(0, 4, 50)
    mixture, answers = among_all(Links.sample(truth, n_links, noise=0.2, random_state=seed % 1000))
    before, _ = lloyd(coordinates, start, n_clusters, 100)
    after = regroup(coordinates, start, mixture, answers)
    gain = likelihood(after, mixture, answers, n_clusters) - likelihood(
        before, mixture, answers, n_clusters
    )
    assert (after == before).all() or gain >= CHANGE - 1e-9


def test_the_likelihood_of_the_answers_by_a_slow_sum():
    rng = np.random.default_rng(0)
    links = Links(
        9, must=[(0, 1), (2, 3), (4, 5)], cannot=[(1, 2), (6, 7)], weight=[1.0, 2, 1, 1, 5]
    )
    _, answers = among_all(links)
    together = rng.random((5, 3))
    expected = np.zeros(3)
    for column in range(3):
        for k in range(5):
            kept = (1 - MISPLACED) ** 2
            same = kept * together[k, column] + (1 - kept) / 4
            right = same if answers.must[k] else 1 - same
            error = 1e-6 if answers.is_fact[k] else ERROR_RATE
            expected[column] += np.log((1 - error) * right + error * (1 - right))
    assert_allclose(log_likelihood(answers, together, 4), expected)


def test_a_cluster_of_two_blobs_is_cut_between_them():
    half = cut_in_two(PLACES, START, 3)
    assert not half[BLOB < 2].all()
    last = half[BLOB >= 2]
    assert last[:10].all() != last[10:].all()
    assert last.sum() == 10


def test_clusters_of_few_or_equal_landmarks_are_not_cut():
    assert not cut_in_two(np.zeros((8, 2)), np.repeat([0, 1], [3, 5]), 2).any()
