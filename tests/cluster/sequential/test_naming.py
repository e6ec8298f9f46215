"""Names of clusters: classes keep theirs, others stay who they were, parts agree."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linkwise import Links
from linkwise.cluster.sequential.naming import agree_on_names, claims, keep_names, name_clusters


def test_parts_that_found_the_same_under_other_namesagree_on_names():
    found = np.eye(4)[[0, 0, 0, 1, 1, 2, 2, 3]]
    others = [found[:, order] for order in ([2, 0, 3, 1], [1, 2, 3, 0], [3, 2, 1, 0])]
    for part in agree_on_names(others, found, np.empty(0, dtype=np.int64)):
        assert_array_equal(part, found)


def test_a_class_keeps_its_cluster_when_parts_agree_on_names():
    """Its cluster holds other landmarks than before, and stays who it is nevertheless."""
    before = np.eye(3)[[0, 0, 0, 1, 1, 2]]
    found = np.eye(3)[[1, 1, 1, 0, 0, 2]]
    (part,) = agree_on_names([found], before, np.array([0]))
    assert_array_equal(part[:, 0], found[:, 0])
    (part,) = agree_on_names([found], before, np.empty(0, dtype=np.int64))
    assert_array_equal(part, before)


def test_every_named_class_gets_a_cluster_of_its_own(gather):
    answers = gather(labels=["a", "b", "a", "b", None])
    votes = np.array([[0.1, 0.8, 0.1], [0.1, 0.7, 0.2], [0.0, 0.9, 0.1], [0.2, 0.6, 0.2]])
    assert name_clusters(answers, votes, 3).tolist() == [1, 2]
    assert name_clusters(gather(Links(4)), votes[:0], 3).tolist() == []


def test_a_named_class_keeps_its_cluster_whatever_else_holds_its_name(small, gather, place):
    """All landmarks are in the first cluster but the named ones, which are in the third."""
    basis = small._basis
    rows = np.flatnonzero(basis.labels == 1)[-5:]
    answers = gather(labels=np.where(np.isin(np.arange(240), rows), 0, -1))
    member = np.tile([1.0, 0.0, 0.0, 0.0], (240, 1))
    places = place(small, answers)
    member[basis.labels == 1] = [0.0, 0.0, 1.0, 0.0]
    names = keep_names(basis, places, answers, member, np.array([3]))
    assert names[3] == 2
    assert sorted(names) == [0, 1, 2, 3]


@pytest.mark.parametrize("seed", range(5))
def test_every_name_is_claimed_by_a_cluster_of_its_own(seed):
    n = 2 + seed
    held = np.random.default_rng(seed).dirichlet(np.ones(n), n)
    assert sorted(claims(held)) == list(range(n))


def test_who_holds_most_of_a_name_gets_it_and_the_first_of_two_names_stays():
    held = np.array([[0.1, 0.7, 0.2], [0.0, 0.9, 0.1], [0.3, 0.1, 0.6]])
    assert claims(held).tolist() == [1, 0, 2]
    held[0, 1], held[1, 1] = 0.6, 0.95  # still more than a half of both
    assert claims(held).tolist() == [1, 0, 2]
