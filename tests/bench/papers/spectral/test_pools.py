import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linkwise.bench.papers.spectral.pools import known_labels, known_pairs


@pytest.fixture
def y():
    return np.repeat(np.arange(4), 25)


def test_half_of_the_known_pairs_are_of_each_kind_and_true(y):
    pool = known_pairs(y, 60, np.random.RandomState(0))
    assert (len(pool.links.must), len(pool.links.cannot)) == (30, 30)
    assert pool.links.satisfied(y).all()
    assert pool.labels is None


def test_known_labels_are_true_and_as_many_as_asked_for(y):
    pool = known_labels(y, 40, np.random.RandomState(0))
    known = pool.labels >= 0
    assert known.sum() == 40
    assert_array_equal(pool.labels[known], y[known])
    assert pool.links.satisfied(y).all()


@pytest.mark.parametrize("draw", [known_labels, known_pairs])
def test_free_rows_are_those_in_no_link(y, draw):
    pool = draw(y, 20, np.random.RandomState(1))
    assert not np.isin(pool.free, pool.links.linked_rows).any()
    assert len(pool.free) + len(pool.links.linked_rows) == 100
