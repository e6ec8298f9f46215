import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from linkwise import Links, PartialLabels
from linkwise.metric.differences import Differences, links_across_classes

labellings = st.lists(st.integers(-1, 3), min_size=1, max_size=12)


@given(labellings)
def test_links_across_classes_say_what_the_labels_say(codes):
    labels = PartialLabels(codes)
    assert links_across_classes(labels).closure() == labels.to_links().closure()


@given(labellings)
def test_every_labelled_row_is_shown_beside_every_other_class(codes):
    labels = PartialLabels(codes)
    links = links_across_classes(labels)
    for row in labels.known_rows:
        met = links.cannot[(links.cannot == row).any(axis=1)]
        others = set(labels.codes[met].ravel().tolist()) - {int(labels.codes[row])}
        sizes = np.bincount(labels.codes[labels.known_rows])
        larger = {c for c in range(len(sizes)) if sizes[c] <= sizes[labels.codes[row]]}
        assert larger - {int(labels.codes[row])} <= others


def test_links_that_say_nothing_are_left_out():
    X = np.array([[0.0], [0.0], [2.0], [5.0]])
    links = Links(4, must=[(0, 1), (0, 2)], cannot=[(1, 3), (2, 3)], weight=[1, 2, 0, 4])
    told = Differences.of(X, links)
    assert_array_equal(told.must, [[-2.0]])
    assert_array_equal(told.cannot, [[-3.0]])
    assert (told.must_weight.tolist(), told.cannot_weight.tolist()) == ([2.0], [4.0])
    assert told.n_links == 2
