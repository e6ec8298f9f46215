import numpy as np
import pytest

from linkwise import Links
from linkwise.cluster.spectral.kept_links import labels_that_keep
from linkwise.cluster.spectral.linked_rows import LinkedRows


def labels(cost, **links):
    return labels_that_keep(LinkedRows.of(Links(len(cost), **links)), np.array(cost)).tolist()


def test_a_component_takes_the_cluster_that_is_cheapest_together():
    assert labels([[0.0, 1.0], [9.0, 1.0]], must=[(0, 1)]) == [1, 1]


def test_rows_that_must_differ_get_different_clusters():
    assert labels([[0.0, 1.0], [0.0, 5.0]], cannot=[(0, 1)]) in ([1, 0], [0, 1])


def test_the_cheapest_clusters_stay_where_they_break_nothing():
    assert labels([[0.0, 1.0, 2.0], [5.0, 0.0, 2.0]], cannot=[(0, 1)]) == [0, 1]


def test_three_strangers_in_two_clusters_keep_their_first_choice():
    cost = [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    assert labels(cost, cannot=[(0, 1), (1, 2), (0, 2)]) == [0, 1, 0]


@pytest.mark.parametrize("seed", range(5))
def test_every_link_holds_when_all_can_hold(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=30)
    links = Links.sample(truth, 60, random_state=seed)
    linked = LinkedRows.of(links)
    found = np.full(30, -1)
    found[linked.rows] = labels_that_keep(linked, rng.random((len(linked.rows), 3)))
    assert links.satisfied(found).all()
