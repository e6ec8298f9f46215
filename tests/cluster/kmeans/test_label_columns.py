import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from linkwise import Links, PartialLabels
from linkwise.cluster.kmeans.label_columns import LabelColumns


def test_each_column_keeps_its_own_names():
    table = np.array([["a", 1], [None, 2.0], ["b", -1]], dtype=object)
    known = LabelColumns.from_table(table, 3)
    assert known.columns[0].classes.tolist() == ["a", "b"]
    assert known.columns[1].classes.tolist() == [1, 2]
    assert_array_equal(known.codes, [[0, 0], [-1, 1], [1, -1]])
    assert known.n_classes == [2, 2]
    assert len(known) == 3


def test_a_data_frame_and_an_array_say_the_same():
    frame = pd.DataFrame({"x": ["a", None, "b"], "y": [1.0, np.nan, 0.0]}, index=[7, 8, 9])
    by_frame = LabelColumns.from_table(frame, 3)
    assert_array_equal(by_frame.codes, [[0, 1], [-1, -1], [1, 0]])


def test_its_links_are_those_of_all_columns():
    table = np.array([[0, -1], [0, 0], [1, 0]])
    links = LabelColumns.from_table(table, 3).to_links()
    assert links == Links.from_labels(table[:, 0]) | Links.from_labels(table[:, 1])
    assert links.must.tolist() == [[0, 1], [1, 2]]
    assert links.n_links == 3


@pytest.mark.parametrize(
    ("constraints", "answer"),
    [
        (np.zeros((3, 2)), True),
        (pd.DataFrame({"a": [1, 2]}), True),
        (np.zeros(3), False),
        ([0, 1], False),
        (PartialLabels([0, 1]), False),
        (Links(3), False),
        (None, False),
    ],
)
def test_a_table_is_told_from_other_constraints(constraints, answer):
    assert LabelColumns.is_table(constraints) is answer


def test_a_table_of_another_length_is_refused():
    with pytest.raises(ValueError) as caught:
        LabelColumns.from_table(np.zeros((3, 2)), 5)
    assert str(caught.value) == (
        "constraints describe 3 rows but X has 5. Slice both together: X[rows], labels[rows]."
    )


def test_a_table_without_columns_is_refused():
    with pytest.raises(ValueError) as caught:
        LabelColumns.from_table(np.zeros((3, 0)), 3)
    assert str(caught.value) == "constraints have no column. Leave them out to say nothing."
