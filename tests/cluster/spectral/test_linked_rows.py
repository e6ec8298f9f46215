import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linkwise import Links
from linkwise.cluster.spectral.linked_rows import LinkedRows
from linkwise.errors import Contradiction


@pytest.fixture
def linked():
    links = Links(12, must=[(1, 4), (4, 7), (9, 10)], cannot=[(7, 9), (1, 10), (11, 1)])
    return LinkedRows.of(links)


def test_linked_rows_are_numbered_by_component(linked):
    assert linked.rows.tolist() == [1, 4, 7, 9, 10, 11]
    assert linked.component.tolist() == [0, 0, 0, 1, 1, 2]
    assert linked.firmness.tolist() == [1.0] * 6


def test_components_that_must_differ_are_symmetric_and_counted_once(linked):
    expected = [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    assert linked.apart.toarray().tolist() == expected


def test_no_links_are_no_rows():
    nothing = LinkedRows.of(Links(5))
    assert len(nothing.rows) == 0
    assert nothing.n_components == 0


def test_weights_count_relative_to_the_largest():
    links = Links(6, must=[(0, 1), (1, 2)], cannot=[(2, 5)], weight=[4.0, 2.0, 1.0])
    linked = LinkedRows.of(links)
    assert linked.firmness.tolist() == [1.0, 1.0, 0.5, 1.0]
    assert linked.apart.toarray().tolist() == [[0.0, 0.25], [0.25, 0.0]]


def test_contradictory_links_are_refused():
    with pytest.raises(Contradiction):
        LinkedRows.of(Links(3, must=[(0, 1), (1, 2)], cannot=[(0, 2)]))


def test_membership_places_linked_rows_first(linked):
    expected = np.zeros((8, 3))
    expected[np.arange(6), [0, 0, 0, 1, 1, 2]] = 1.0
    assert_array_equal(linked.membership(8).toarray(), expected)


def test_few_takes_two_of_each_component_before_a_third(linked):
    few = linked.few(5, np.random.RandomState(0))
    assert np.bincount(few.component).tolist() == [2, 2, 1]
    assert set(few.rows) <= set(linked.rows)
    assert few.apart.toarray().tolist() == linked.apart.toarray().tolist()


def test_few_leaves_out_the_smallest_components_when_there_is_no_room(linked):
    few = linked.few(4, np.random.RandomState(0))
    assert np.bincount(few.component).tolist() == [2, 2]
    assert few.apart.toarray().tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_few_of_few_is_all(linked):
    assert linked.few(6, np.random.RandomState(0)) is linked


def test_links_of_no_weight_at_all_tie_nothing():
    linked = LinkedRows.of(Links(4, must=[(0, 1)], cannot=[(2, 3)], weight=[0.0, 0.0]))
    assert linked.firmness.tolist() == [1.0, 0.0, 1.0, 1.0]
    assert linked.apart.sum() == 0.0
