"""What is as good as known of rows: by hand."""

import numpy as np
import pytest

from linkwise import Links, PartialLabels
from linkwise.cluster.sequential.answers import Answers
from linkwise.cluster.sequential.known import known_clusters


def read(links, names=None):
    names = np.full(len(links), -1) if names is None else names
    return Answers.of(links, PartialLabels(names))


def star(middle, *leaves):
    return [(middle, leaf) for leaf in leaves]


FLAT = np.full((12, 3), 1 / 3)


def known_of(links, names=None, votes=FLAT, cluster_of=()):
    """Return the cluster of each row spoken about whose class is as good as known."""
    answers = read(links, names)
    found = known_clusters(answers, votes[answers.rows], np.array(cluster_of, dtype=int))
    return dict(zip(answers.rows.tolist(), found.cluster.tolist(), strict=True))


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
    votes[[0, 1, 2, 3], 1] = votes[[4, 5, 6], 2] = 0.8
    votes[[7, 8], 0] = votes[[9, 10, 11], 1] = 0.8
    links = Links(12, must=[*star(0, 1, 2, 3), *star(4, 5, 6), (7, 8), *star(9, 10, 11)])
    known = known_of(links, votes=votes)
    assert [known[row] for row in (0, 4)] == [1, 2]
    assert known[9] == -1  # looks like the first group, and nobody says that it differs
    assert known[7] == -1  # one answer alone, which may be wrong


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


def test_a_group_is_believed_the_more_the_larger_it_is_and_a_name_fully():
    names = [*[None] * 10, "a", None]
    links = Links(12, must=[*star(0, 1, 2, 3), (4, 5), *star(6, 7, 8), (10, 11)])
    answers = read(links, names)
    sure = known_clusters(answers, FLAT[answers.rows], np.array([1])).sure
    expected = {0: 1 / 2, 4: 0.0, 6: 1 / 3, 10: 1.0, 11: 1.0}
    for row, share in expected.items():
        assert sure[answers.rows.tolist().index(row)] == pytest.approx(share)
