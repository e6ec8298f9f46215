"""Rows spoken about are settled so that what was said holds: against all assignments."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from linkwise import Links, PartialLabels
from linkwise.cluster.sequential.answers import Answers
from linkwise.cluster.sequential.honour import settle_rows

N_CLUSTERS = 3


def settle(links, names=None, memberships=None, suspicion=None, honoured=None, cluster_of=None):
    n = len(links)
    names = np.full(n, -1) if names is None else np.array(names)
    answers = Answers.of(links, PartialLabels(names))
    if memberships is None:
        memberships = np.tile([0.6, 0.3, 0.1], (n, 1))
    cluster_of = np.arange(answers.n_classes) if cluster_of is None else np.array(cluster_of)
    found = settle_rows(
        memberships[answers.rows],
        answers,
        cluster_of,
        np.full(links.n_links, 0.01) if suspicion is None else np.array(suspicion),
        np.ones(links.n_links, dtype=bool) if honoured is None else honoured,
    )
    labels = memberships.argmax(axis=1)
    labels[answers.rows] = found
    return labels


@st.composite
def situations(draw):
    """Up to six rows, random links, some of them facts, some rows with names."""
    n = draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    every = np.array(list(combinations(range(n), 2)))
    chosen = every[rng.random(len(every)) < draw(st.sampled_from([0.3, 0.6, 0.9]))]
    same = rng.random(len(chosen)) < 0.4
    weight = np.where(rng.random(len(chosen)) < 0.25, 2.0, 1.0)
    links = Links(n, must=chosen[same], cannot=chosen[~same], weight=weight)
    names = np.where(rng.random(n) < 0.3, rng.integers(0, N_CLUSTERS, n), -1)
    cluster_of = rng.permutation(N_CLUSTERS)[: len(np.unique(names[names >= 0]))]
    suspicion = rng.random(links.n_links) / 2
    return links, names, rng.dirichlet(np.ones(N_CLUSTERS), n), suspicion, cluster_of


def all_assignments(names, cluster_of):
    """Yield every assignment in which the names hold."""
    codes = PartialLabels(names).codes
    for labels in product(range(N_CLUSTERS), repeat=len(names)):
        labels = np.array(labels)
        if (labels[codes >= 0] == cluster_of[codes[codes >= 0]]).all():
            yield labels


@settings(deadline=None, max_examples=150)
@given(situations())
def test_names_hold_whatever_is_said_besides(situation):
    links, names, memberships, suspicion, cluster_of = situation
    labels = settle(links, names, memberships, suspicion, cluster_of=cluster_of)
    codes = PartialLabels(names).codes
    assert_array_equal(labels[codes >= 0], cluster_of[codes[codes >= 0]])


@settings(deadline=None, max_examples=150)
@given(situations())
def test_all_links_hold_if_any_assignment_keeps_them_all(situation):
    links, names, memberships, suspicion, cluster_of = situation
    possible = any(links.satisfied(a).all() for a in all_assignments(names, cluster_of))
    labels = settle(links, names, memberships, suspicion, cluster_of=cluster_of)
    assert links.satisfied(labels).all() or not possible


@settings(deadline=None, max_examples=150)
@given(situations())
def test_facts_hold_if_any_assignment_keeps_them_and_the_must_links(situation):
    links, names, memberships, suspicion, cluster_of = situation
    facts = links.weight >= 2.0
    tied = facts | (np.arange(links.n_links) < len(links.must))
    possible = any(links.satisfied(a)[tied].all() for a in all_assignments(names, cluster_of))
    labels = settle(links, names, memberships, suspicion, cluster_of=cluster_of)
    assert links.satisfied(labels)[facts].all() or not possible


@settings(deadline=None, max_examples=100)
@given(situations())
def test_no_row_alone_would_be_better_elsewhere(situation):
    """Where all hold: moving one row that nothing ties breaks a link or goes where it less is."""
    links, names, memberships, suspicion, cluster_of = situation
    labels = settle(links, names, memberships, suspicion, cluster_of=cluster_of)
    if not links.satisfied(labels).all():
        return
    tied = np.union1d(links.must.ravel(), np.flatnonzero(names >= 0))
    for row in np.setdiff1d(np.arange(len(names)), tied):
        for cluster in range(N_CLUSTERS):
            moved = labels.copy()
            moved[row] = cluster
            if links.satisfied(moved).all():
                assert memberships[row, cluster] <= memberships[row, labels[row]] + 1e-8


def test_nothing_that_ties_them_leaves_rows_where_they_look_to_be():
    memberships = np.array([[0.1, 0.8, 0.1], [0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    links = Links(3, must=[(0, 1)], cannot=[(1, 2)])
    assert settle(links, memberships=memberships, honoured=np.zeros(2, dtype=bool)).tolist() == [
        1,
        0,
        2,
    ]


def test_of_links_that_contradict_each_other_the_most_suspicious_gives_way():
    links = Links(4, must=[(0, 1), (1, 2)], cannot=[(0, 2)])
    for weakest in range(3):
        suspicion = np.full(3, 0.05)
        suspicion[weakest] = 0.4
        holds = links.satisfied(settle(links, suspicion=suspicion))
        assert_array_equal(np.flatnonzero(~holds), [weakest])


def test_a_fact_stands_against_any_number_of_links():
    must = [(0, k) for k in range(2, 6)] + [(1, k) for k in range(2, 6)]
    links = Links(6, must=must, cannot=[(0, 1)], weight=[*[1.0] * 8, 2.0])
    assert settle(links)[0] != settle(links)[1]


def test_a_name_stands_against_any_number_of_facts():
    must = [(0, k) for k in range(2, 6)] + [(1, k) for k in range(2, 6)]
    links = Links(6, must=must, weight=np.full(8, 2.0))
    labels = settle(links, names=["a", "b", *[None] * 4], cluster_of=[2, 0])
    assert labels[:2].tolist() == [2, 0]


def test_a_fact_holds_where_more_rows_differ_than_there_are_clusters():
    """Four rows that all differ cannot have three clusters: what is not confirmed gives way."""
    cannot = list(combinations(range(4), 2))
    memberships = np.array([[0.98, 0.01, 0.01]] * 2 + [[0.01, 0.98, 0.01], [0.01, 0.01, 0.98]])
    weight = np.array([2.0, 1, 1, 1, 1, 1])
    links = Links(4, cannot=cannot, weight=weight)
    holds = links.satisfied(settle(links, memberships=memberships))
    assert holds[0]
    assert holds.sum() == 5


@pytest.mark.parametrize("n_links", [0, 1])
def test_one_cluster_is_where_all_rows_are(n_links):
    links = Links(2, cannot=[(0, 1)][:n_links])
    answers = Answers.of(links, PartialLabels(["a", "a"]))
    found = settle_rows(
        np.ones((2, 1)), answers, np.array([0]), np.zeros(n_links), np.ones(n_links, dtype=bool)
    )
    assert found.tolist() == [0, 0]
