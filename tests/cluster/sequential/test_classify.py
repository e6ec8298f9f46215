"""The classifier behind the answers, and what is as good as known: against enumeration, by hand."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from linkwise import Links, PartialLabels
from linkwise.cluster.sequential.answers import ERROR_RATE, Answers
from linkwise.cluster.sequential.classify import CORRECTION, classify, known_clusters
from linkwise.cluster.sequential.landmarks import one_hot


def read(links, names=None):
    names = np.full(len(links), -1) if names is None else names
    return Answers.of(links, PartialLabels(names))


def among(n_rows, must=(), cannot=()):
    """Return answers about some of ``n_rows`` rows that are all there: some may be left out."""
    some = read(Links(n_rows, must=must, cannot=cannot))
    nobody = np.full(n_rows, -1)
    i, j = some.rows[some.i], some.rows[some.j]
    return replace(some, rows=np.arange(n_rows), i=i, j=j, named=nobody, name_fold=nobody)


def star(middle, *leaves):
    return [(middle, leaf) for leaf in leaves]


def probability(labels, shares, answers):
    """Return how likely a labelling and the answers are, given each row's own shares."""
    chance = np.prod(shares[np.arange(len(labels)), labels])
    for i, j, must, error in zip(
        answers.i, answers.j, answers.must, answers.error(ERROR_RATE), strict=True
    ):
        chance *= 1 - error if (labels[i] == labels[j]) == must else error
    return chance


def enumerate_labellings(shares, answers, known):
    """Return what the rows are, and how likely the answers are, by trying every labelling."""
    n, r = shares.shape
    found = np.zeros((n, r))
    for labels in product(range(r), repeat=n):
        labels = np.array(labels)
        if (labels[known >= 0] == known[known >= 0]).all():
            found[np.arange(n), labels] += probability(labels, shares, answers)
    return found / found[0].sum(), found[0].sum()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(2, 3), st.integers(3, 7))
def test_without_coordinates_it_is_the_exact_posterior_of_the_answers(seed, r, n):
    """Nothing can be learned then, so all that is left is belief propagation along a tree.

    No path is longer than three answers: each of eleven sweeps brings half of what is missing.
    """
    rng = np.random.default_rng(seed)
    pairs = np.array([(b, rng.integers(min(b, 2))) for b in range(1, n)])
    same = rng.random(n - 1) < 0.5
    answers = read(Links(n, must=pairs[same], cannot=pairs[~same]))
    mean = np.log(rng.dirichlet(np.full(r, 2.0), n) + 0.01)
    known = np.where(rng.random(n) < 0.3, rng.integers(0, r, n), -1)
    is_known = known >= 0
    _, found = classify(mean, np.zeros((n, 2)), answers, known)
    shares = softmax(mean, axis=1)
    shares[is_known] = 0.999 * one_hot(known[is_known], r) + 0.001 / r  # as others are told
    expected, _ = enumerate_labellings(shares, answers, np.full(n, -1))
    assert_allclose(found[~is_known], expected[~is_known], atol=0.1)
    assert_array_equal(found[is_known], one_hot(known[is_known], r))


def test_where_all_rows_are_known_it_returns_what_is_known():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 30)
    rows = rng.normal(size=(30, 4)) / 2
    answers = read(Links(30), truth)
    _, found = classify(np.log(rng.dirichlet(np.ones(3), 30)), rows, answers, truth)
    assert_array_equal(found, one_hot(truth, 3))


def integrate(mean, rows, answers, known):
    """Return the exact posterior: over a grid of corrections, and over all labellings.

    Two classes and one coordinate: only the difference of the two weights matters, and that has
    twice the variance of one.
    """
    total, found = 0.0, np.zeros_like(mean)
    for difference in np.linspace(-25.0, 25.0, 201):
        score = mean.copy()
        score[:, 1] += rows[:, 0] * difference
        prior = np.exp(-(difference**2) / (4 * CORRECTION))
        expected, evidence = enumerate_labellings(softmax(score, axis=1), answers, known)
        found += prior * evidence * expected
        total += prior * evidence
    return found / total


@pytest.mark.parametrize(
    ("must", "cannot"),
    [
        ([(0, 1)], [(0, 3)]),
        ([(0, 1), (1, 2), (3, 4)], [(0, 3)]),
        ([(0, 2)], [(1, 3), (2, 4)]),
    ],
)
def test_what_is_learned_is_near_the_exact_posterior_mean(must, cannot):
    """Six rows on a line, flat scores, two known; one row is in no link and only looks alike.

    One Newton matrix and a blur stand for the integral, so 0.15 is what can be asked for.
    """
    rows = np.array([[-1.0], [-0.8], [-0.6], [0.9], [0.7], [0.5]])
    mean, known = np.full((6, 2), np.log(0.5)), np.array([0, -1, -1, 1, -1, -1])
    answers = among(6, must, cannot)
    _, found = classify(mean, rows, answers, known)
    assert_allclose(found, integrate(mean, rows, answers, known), atol=0.15)


def test_what_is_known_of_a_row_carries_to_rows_that_look_like_it():
    angle = np.linspace(0, np.pi / 2, 9)
    rows = np.column_stack([np.cos(angle), np.sin(angle)])
    known = np.array([0, *[-1] * 7, 1])
    weights, found = classify(np.full((9, 2), np.log(0.5)), rows, among(9), known)
    assert (np.diff(found[:, 0]) <= 0).all()
    assert_array_equal(found[:4].argmax(axis=1), 0)
    assert_array_equal(found[5:].argmax(axis=1), 1)
    assert_allclose(weights[:, 0], -weights[:, 1])


def test_rows_that_nobody_spoke_about_teach_nothing():
    rng = np.random.default_rng(0)
    mean, rows = np.log(rng.dirichlet(np.ones(3), 20)), rng.normal(size=(20, 3)) / 2
    links = {"must": [(0, 1), (2, 3)], "cannot": [(k, k + 1) for k in range(3, 9)]}
    weights, found = classify(mean, rows, among(20, **links), np.full(20, -1))
    fewer, expected = classify(mean[:10], rows[:10], among(10, **links), np.full(10, -1))
    assert_allclose(weights, fewer)
    assert_allclose(found[:10], expected)
    assert_allclose(found.sum(axis=1), 1.0)


FLAT = np.full((12, 3), 1 / 3)


def known_of(links, names=None, votes=FLAT, cluster_of=()):
    """Return the cluster of each row spoken about whose class is as good as known."""
    answers = read(links, names)
    found = known_clusters(answers, votes[answers.rows], np.array(cluster_of, dtype=int))
    return dict(zip(answers.rows.tolist(), found.tolist(), strict=True))


def test_named_rows_are_known_and_so_are_rows_joined_to_them():
    names = ["b", None, None, None, None, "a", *[None] * 6]
    links = Links(12, must=[(0, 1), (1, 2)], cannot=[(0, 3)])
    known = known_of(links, names, cluster_of=[2, 0])
    assert known == {0: 0, 1: 0, 2: 0, 3: -1, 5: 2}


def test_must_links_of_people_who_are_hardly_believed_join_nothing():
    names = ["b", *[None] * 11]
    links = Links(12, must=[(0, 1), (0, 2)], weight=[0.9, 0.4])
    known = known_of(links, names, cluster_of=[1])
    assert known == {0: 1, 1: 1, 2: -1}


def test_a_row_joined_to_two_names_keeps_its_own():
    names = ["a", "b", *[None] * 10]
    known = known_of(Links(12, must=[(0, 1)]), names, cluster_of=[2, 1])
    assert (known[0], known[1]) == (2, 1)


def test_the_largest_groups_that_differ_get_clusters_they_look_like():
    votes = np.full((12, 3), 0.1)
    votes[[0, 1, 2, 3], 1] = votes[[4, 5, 6], 2] = votes[[7, 8], 0] = 0.8
    votes[[9, 10, 11], 1] = 0.8
    links = Links(12, must=[*star(0, 1, 2, 3), *star(4, 5, 6), (7, 8), *star(9, 10, 11)])
    known = known_of(links, votes=votes)
    assert [known[row] for row in (0, 4, 7)] == [1, 2, 0]
    assert known[9] == -1  # looks like the first group, and nobody says that it differs


def test_groups_that_an_answer_keeps_apart_differ_however_they_look():
    links = Links(12, must=[*star(0, 1, 2), *star(4, 5, 6)], cannot=[(0, 4)])
    votes = np.tile([0.8, 0.1, 0.1], (12, 1))
    known = known_of(links, votes=votes)
    assert sorted({known[0], known[4]} - {-1}) in ([0, 1], [0, 2])
    doubted = Links(12, must=links.must, cannot=[(0, 4)], weight=[1.0, 1, 1, 1, 0.3])
    assert known_of(doubted, votes=votes)[4] == -1


def test_no_more_groups_than_clusters_are_known_and_named_ones_come_first():
    names = [*[None] * 11, "last"]
    must = [*star(0, 1, 2, 3), *star(4, 5, 6), (7, 8)]
    apart = [(0, 4), (0, 7), (4, 7), (11, 0), (11, 4), (11, 7)]
    known = known_of(Links(12, must=must, cannot=apart), names, cluster_of=[1])
    assert known[11] == 1
    assert sorted([known[0], known[4]]) == [0, 2]
    assert known[7] == -1


def test_a_row_alone_is_no_group():
    known = known_of(Links(12, cannot=[(0, 1), (1, 2), (0, 2)]))
    assert set(known.values()) == {-1}
