"""Clusters of landmarks: k-means, and exchanges that the answers ask for."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import Links, PartialLabels
from linkwise.cluster.sequential.answers import ERROR_RATE, PRIOR_ANSWERS, Answers
from linkwise.cluster.sequential.landmarks import one_hot
from linkwise.cluster.sequential.regroup import (
    CHANGE,
    MISPLACED,
    Worth,
    cut_in_two,
    known_before,
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


def answers_of(links):
    return Answers.of(links, PartialLabels(np.full(len(links), -1)))


def worth_of(links, start, n_clusters):
    """Weigh the answers, each row being the landmark it is; before, rows looked like the start."""
    answers = answers_of(links)
    mixture = sp.csr_array(np.eye(len(links))[answers.rows])
    return Worth(answers, mixture, one_hot(start, n_clusters))


def pairs_of(a, b, n):
    one, other = np.flatnonzero(BLOB == a), np.flatnonzero(BLOB == b)
    return [(one[k % 10], other[(3 * k + k // 10 + 1) % 10]) for k in range(n)]


def test_without_answers_it_is_plain_k_means():
    rng = np.random.default_rng(1)
    coordinates, start = rng.normal(size=(60, 3)), np.arange(60) % 5
    expected, _ = lloyd(coordinates, start, 5, 100)
    assert_array_equal(
        regroup(coordinates, start, worth_of(Links(60), expected, 5)),
        expected,
    )


@pytest.mark.parametrize("n_links", [15, 20])
def test_one_cluster_is_cut_and_two_are_joined_where_answers_say_so(n_links):
    links = Links(40, must=pairs_of(0, 1, n_links), cannot=pairs_of(2, 3, n_links))
    assert_array_equal(lloyd(PLACES, START, 3, 100)[0], START)  # k-means alone stays
    found = regroup(PLACES, START, worth_of(links, START, 3))
    assert accuracy(np.array([0, 0, 1, 2])[BLOB], found) == 1.0


def test_what_was_known_before_outweighs_a_few_answers():
    links = Links(40, must=pairs_of(0, 1, 5), cannot=pairs_of(2, 3, 5))
    assert_array_equal(regroup(PLACES, START, worth_of(links, START, 3)), START)
    nothing_known = replace(worth_of(links, START, 3), looks=np.full((40, 3), 1 / 3))
    found = regroup(PLACES, START, nothing_known)
    assert accuracy(np.array([0, 0, 1, 2])[BLOB], found) == 1.0


def test_answers_that_agree_with_the_clusters_change_nothing():
    links = Links(40, must=pairs_of(2, 3, 10), cannot=pairs_of(0, 1, 10))
    assert_array_equal(regroup(PLACES, START, worth_of(links, START, 3)), START)


def test_answers_that_do_not_agree_with_each_other_exchange_no_clusters():
    pairs = pairs_of(0, 1, 6)
    links = Links(40, must=pairs[:2], cannot=pairs[2:])
    assert_array_equal(regroup(PLACES, START, worth_of(links, START, 3)), START)


def test_two_clusters_leave_nothing_to_exchange():
    start = np.array([0, 1, 1, 1])[BLOB]
    links = Links(40, must=pairs_of(0, 3, 10), cannot=pairs_of(0, 1, 10))
    found = regroup(PLACES, start, worth_of(links, start, 2))
    assert_array_equal(found, lloyd(PLACES, start, 2, 100)[0])


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(0, 40))
def test_exchanges_are_worth_what_a_change_costs(seed, n_clusters, n_links):
    rng = np.random.default_rng(seed)
    coordinates = np.ascontiguousarray(rng.normal(size=(50, 2)))
    start = rng.permutation(np.arange(50) % n_clusters)
    links = Links.sample(rng.integers(0, 4, 50), n_links, noise=0.2, random_state=seed % 1000)
    before, _ = lloyd(coordinates, start, n_clusters, 100)
    worth = worth_of(links, before, n_clusters)
    worth = replace(worth, looks=rng.dirichlet(np.ones(n_clusters), 50))
    after = regroup(coordinates, start, worth)
    assert (after == before).all() or worth.of(after) >= worth.of(before) + CHANGE


def test_what_clusters_are_worth_by_a_slow_sum():
    """Each pair of landmarks is an answer as likely as their looks; all together, a hundred."""
    rng = np.random.default_rng(2)
    labels, looks = rng.integers(0, 3, 7), rng.dirichlet(np.ones(3), 7)
    kept, total = (1 - MISPLACED) ** 2, 0.0
    for a in range(7):
        for b in range(7):
            same = kept * (labels[a] == labels[b]) + (1 - kept) / 3
            alike = looks[a] @ looks[b]
            total += alike * np.log(same) + (1 - alike) * np.log(1 - same)
    assert known_before(labels, looks) == pytest.approx(PRIOR_ANSWERS * total / 49)
    links = Links(7, must=[(0, 1)], cannot=[(2, 5)])
    answers = answers_of(links)
    worth = Worth(answers, sp.csr_array(np.eye(7)[answers.rows]), looks)
    together = (labels[[0, 2]] == labels[[1, 5]]).astype(float)
    told = log_likelihood(answers, together[:, None], 3)[0]
    assert worth.of(labels) == pytest.approx(told + known_before(labels, looks))


def test_the_likelihood_of_the_answers_by_a_slow_sum():
    rng = np.random.default_rng(0)
    links = Links(
        9, must=[(0, 1), (2, 3), (4, 5)], cannot=[(1, 2), (6, 7)], weight=[1.0, 2, 1, 1, 5]
    )
    answers = answers_of(links)
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
