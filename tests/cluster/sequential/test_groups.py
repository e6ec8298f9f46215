"""Groups of linked rows: what joins them, and how they spread."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linkwise import Links, SequentialClustering
from linkwise.cluster.sequential.ask import _known_groups
from linkwise.cluster.sequential.groups import GroupSpread, joined_rows
from linkwise.cluster.sequential.trust import lift_links
from linkwise.scores import accuracy


def star(middle, *leaves):
    return [(middle, leaf) for leaf in leaves]


def test_must_links_join_rows_through_chains():
    assert joined_rows(5, np.array([(0, 1), (1, 2)])).tolist() == [0, 0, 0, 1, 2]


def test_a_pair_given_twice_counts_once():
    twice = np.array([*star(0, 1, 2, 3), *star(4, 5, 6, 7), (0, 4), (4, 0)])
    assert_array_equal(joined_rows(8, twice), [0, 0, 0, 0, 1, 1, 1, 1])


def test_one_answer_does_not_make_one_group_of_two_and_a_second_one_does():
    two = [*star(0, 1, 2, 3), *star(4, 5, 6, 7)]
    once = joined_rows(8, np.array([*two, (0, 4)]))
    assert_array_equal(once, [0, 0, 0, 0, 1, 1, 1, 1])
    assert len(set(joined_rows(8, np.array([*two, (0, 4), (1, 4)])))) == 1


def test_without_links_every_row_is_alone():
    assert joined_rows(3, np.empty((0, 2), dtype=np.int64)).tolist() == [0, 1, 2]


@pytest.fixture(scope="module")
def blobs():
    """Three blobs, two of which touch."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 60)
    X = np.array([[0.0, 0.0], [1.6, 0.0], [9.0, 9.0]])[y] + rng.normal(scale=0.35, size=(180, 2))
    model = SequentialClustering(3, n_partitions=30, random_state=0).fit(X)
    return model, y


def groups_of(model, links):
    rows = links.linked_rows
    lifted = lift_links(model._basis, links, rows, model.ensemble_.labels.rows(rows))
    return GroupSpread(model._basis, lifted, np.ones(len(lifted)))


def test_landmarks_follow_the_groups(blobs):
    model, y = blobs
    must = [*star(0, 10, 20, 30, 40), *star(60, 70, 80, 90, 100), *star(120, 130, 140, 150)]
    groups = groups_of(model, Links(len(y), must=must, cannot=[(0, 60), (0, 120), (60, 120)]))
    assert groups.enough()
    labels = groups.labels(np.arange(len(groups.links)))
    assert accuracy(y[model._basis.rows], labels) > 0.97


def test_random_pairs_are_not_enough_to_speak_of_groups(blobs):
    model, y = blobs
    assert not groups_of(model, Links(len(y), must=[(0, 1), (70, 80)], cannot=[(0, 70)])).enough()


def test_the_clustering_without_answers_decides_where_groups_say_nothing(blobs):
    model, y = blobs
    links = Links(len(y), must=star(0, 10, 20, 30))
    labels = groups_of(model, links).labels(np.arange(links.n_links))
    far = model._basis.rows >= 120
    assert_array_equal(labels[far], model._basis.labels[far])


def classes_of(model, must, cannot):
    """Return the class of each linked row that groups speak for, -1 for the others."""
    groups = groups_of(model, Links(180, must=must, cannot=cannot))
    everything = np.arange(len(groups.links))
    group = groups.joined(everything)
    belongs = groups._belongs(group, everything)[group]
    named = np.where(belongs.any(axis=1), belongs.argmax(axis=1), -1)
    return dict(zip(groups.links.rows.tolist(), named.tolist(), strict=True))


def test_the_largest_groups_speak_for_classes(blobs):
    must = [*star(0, 1, 2, 3), *star(60, 61, 62), *star(120, 121, 122), (130, 131)]
    named = classes_of(blobs[0], must, [])
    assert len({named[0], named[60], named[120]}) == 3
    assert named[130] == -1


def test_a_group_that_differs_from_all_but_one_class_belongs_to_that(blobs):
    must = [*star(0, 1, 2, 3), *star(60, 61, 62), *star(120, 121, 122), (130, 131)]
    named = classes_of(blobs[0], must, [(130, 0), (131, 60)])
    assert named[130] == named[131] == named[120]


def test_a_group_that_differs_from_all_classes_shows_that_two_are_one(blobs):
    """Rows 0 and 10 lead two groups of one class, and a smaller group differs from both."""
    must = [*star(0, 1, 2, 3, 4), *star(60, 61, 62, 63), *star(10, 11, 12), (120, 121)]
    apart = [(0, 60), (10, 60), (120, 0), (120, 60), (121, 10)]
    named = classes_of(blobs[0], must, apart)
    assert len({named[0], named[60], named[120]}) == 3
    assert named[10] == named[0]


def test_a_contradiction_inside_a_group_changes_no_class(blobs):
    must = [*star(0, 1, 2, 3, 4), *star(60, 61, 62, 63), *star(10, 11, 12), (120, 121)]
    apart = [(0, 60), (10, 60), (120, 0), (120, 60), (121, 10)]
    named = classes_of(blobs[0], must, [*apart, (61, 62), (1, 2)])
    assert named == classes_of(blobs[0], must, apart)


def test_with_two_clusters_a_row_that_is_in_neither_group_founds_one():
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0], [5.0]], 40, axis=0) + rng.normal(scale=0.2, size=(80, 1))
    model = SequentialClustering(2, n_partitions=20, random_state=0).fit(X)
    model.update(Links(80, must=[*star(0, 1, 2), *star(40, 41, 42)], cannot=[(0, 9), (40, 9)]))
    votes = model._shares(model._basis.blocks, model._solution.landmarks)
    known = _known_groups(model._basis, model._solution.landmarks, votes, model.links_)
    assert 9 in known.example
