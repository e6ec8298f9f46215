"""The quick clustering that breaks few links: never worse than what it starts from."""

import numpy as np
from drawn_links import links
from hypothesis import given, settings

from linkwise.constraints import Links
from linkwise.constraints.compromise import compromise

quick = settings(deadline=None, max_examples=80)


def clusters_of(links):
    return compromise(len(links), links.must, links.cannot, links.weight)


def broken_weight(links, labels):
    return links.weight[~links.satisfied(labels)].sum()


@quick
@given(links())
def test_it_breaks_no_more_than_keeping_all_rows_apart(links):
    apart = broken_weight(links, np.arange(len(links)))
    assert broken_weight(links, clusters_of(links)) <= apart * (1 + 1e-12)


@quick
@given(links(weighted=False))
def test_no_single_row_breaks_less_elsewhere(links):
    labels = clusters_of(links)
    least = broken_weight(links, labels)
    for row in range(len(links)):
        for cluster in {*labels.tolist(), -100}:
            moved = labels.copy()
            moved[row] = cluster
            assert broken_weight(links, moved) >= least


def test_consistent_must_links_are_all_kept():
    links = Links(6, must=[(0, 1), (1, 2), (3, 4)], cannot=[(2, 3)])
    labels = clusters_of(links)
    assert links.satisfied(labels).all()
    assert labels[5] not in labels[:5]


def test_a_tenth_of_wrong_answers_among_many_is_seen_through():
    y = np.arange(200) % 3
    links = Links.sample(y, 2000, noise=0.1, random_state=0)
    assert broken_weight(links, clusters_of(links)) <= broken_weight(links, y)


def test_a_long_chain_is_joined_without_recursion():
    n = 20_000
    links = Links(n, must=[(i, i + 1) for i in range(n - 1)])
    assert len(set(clusters_of(links).tolist())) == 1
