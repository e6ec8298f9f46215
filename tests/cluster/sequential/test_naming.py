"""Names of clusters: classes keep theirs, others stay who they were, parts agree."""

from itertools import permutations

import numpy as np
from numpy.testing import assert_array_equal

from linkwise import Links
from linkwise.cluster.sequential.naming import agree_on_names, keep_names, name_clusters


def test_parts_that_found_the_same_under_other_names_agree_on_names():
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
    member[basis.labels == 1] = [0.0, 0.0, 1.0, 0.0]
    _, votes = basis.voters.votes(member, place(small, answers).seen)
    names = keep_names(basis, answers, member, votes, np.array([3]))
    assert names[3] == 2
    assert sorted(names) == [0, 1, 2, 3]


def test_as_many_pairs_as_possible_keep_a_name_together(small, gather):
    """Against all ways to name the clusters that were found."""
    basis, answers = small._basis, gather(Links(240))
    nobody = np.empty(0, dtype=np.int64)
    rng = np.random.default_rng(0)

    def n_pairs(found, order):
        kept = basis.labels[np.array(order)[basis.labels] == found]
        return int(np.square(np.bincount(kept)).sum())

    for share in (0.1, 0.3, 0.6, 1.0):
        found = np.where(rng.random(240) < share, rng.integers(0, 4, 240), 3 - basis.labels)
        names = keep_names(basis, answers, np.eye(4)[found], np.empty((0, 4)), nobody)
        assert sorted(names) == [0, 1, 2, 3]
        most = max(n_pairs(found, order) for order in permutations(range(4)))
        assert n_pairs(found, names) == most


def test_of_two_clusters_that_became_one_the_larger_gives_the_name(small, gather):
    """The free name goes to the cluster that is new."""
    basis, answers = small._basis, gather(Links(240))
    assert np.bincount(basis.labels)[2] > np.bincount(basis.labels)[3]
    found = np.where(basis.labels == 3, 2, basis.labels)
    found[np.flatnonzero(basis.labels == 0)[:7]] = 3
    nobody = np.empty(0, dtype=np.int64)
    names = keep_names(basis, answers, np.eye(4)[found], np.empty((0, 4)), nobody)
    assert names.tolist() == [0, 1, 2, 3]
