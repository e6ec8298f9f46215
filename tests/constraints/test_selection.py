"""Which rows links[rows] and labels[rows] mean."""

import numpy as np
import pandas as pd
import pytest

from linkwise.constraints import Links, PartialLabels
from linkwise.errors import InvalidInput

LINKS = Links(5, must=[(0, 4), (1, 2)], cannot=[(2, 4)], weight=[1, 2, 3])


@pytest.mark.parametrize(
    "rows",
    [
        [1, 2, 4],
        np.array([1, 2, 4], dtype=np.uint8),
        [1, 2, -1],
        [False, True, True, False, True],
        np.array([False, True, True, False, True]),
        pd.Series([False, True, True, False, True]),
        ([1, 2, 4], ...),
        (np.array([1, 2, 4]), Ellipsis),
        (..., [1, 2, 4]),
        ([1, 2, 4],),
    ],
    ids=str,
)
def test_rows_may_be_named_in_every_way_numpy_knows(rows):
    assert LINKS[rows] == Links(3, must=[(0, 1)], cannot=[(1, 2)], weight=[2, 3])
    assert PartialLabels(list("abcde"))[rows] == PartialLabels(list("bce"))


def test_slices_select_like_the_rows_they_stand_for():
    everything = np.arange(5)
    for rows in (slice(None), slice(1, 4), slice(None, None, -1), slice(4, 0, -2), slice(9, 12)):
        assert LINKS[rows] == LINKS[everything[rows]]
        assert LINKS[rows, ...] == LINKS[rows]
    assert LINKS[...] == LINKS


def test_no_rows_are_a_selection_too():
    assert LINKS[[]] == LINKS[np.zeros(5, dtype=bool)] == Links(0)


def test_selecting_few_rows_of_very_many_costs_nothing_per_row():
    n = 10**12
    links = Links(n, must=[(5, n - 1), (5, 6)], cannot=[(6, n - 1)], weight=[1, 2, 3])
    few = Links(3, must=[(0, 2), (1, 2)], cannot=[(0, 1)], weight=[1, 2, 3])
    assert links[[n - 1, 6, 5]] == few
    assert links[n - 1 : n - 3 : -1] == Links(2)
    assert links[[5, 5, 6]] == Links(3, must=[(0, 2), (1, 2)], weight=[2, 2])


@pytest.mark.parametrize("n_selected", [3, 400])
def test_few_and_many_selected_rows_are_renumbered_alike(n_selected):
    rng = np.random.default_rng(0)
    links = Links(500, must=rng.permutation(500)[:200].reshape(-1, 2), cannot=[(0, 1), (1, 2)])
    rows = rng.choice(500, n_selected, replace=False)
    new = {row: place for place, row in enumerate(rows.tolist())}

    def between(pairs):
        return [(new[i], new[j]) for i, j in pairs.tolist() if i in new and j in new]

    assert links[rows] == Links(n_selected, between(links.must), between(links.cannot))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            3,
            "links[3] is a single row. Select rows with a list, a slice or a mask, "
            "such as links[[0, 1]].",
        ),
        ([0, 5], "rows[1] = 5 points outside the 5 rows (0 to 4)."),
        ([-6], "rows[0] = -6 points outside the 5 rows (0 to 4)."),
        ([True, False], "links[mask]: the mask has 2 values for 5 rows."),
        (
            (0, 1),
            "links has one axis, the rows, but got 2 of them. Select rows with a list: "
            "links[[0, 1]].",
        ),
        (
            [0.0, 1.0],
            "links[rows] reads a mask, whole numbers or a slice, "
            "got an array of shape (2,) and type float64.",
        ),
        (
            [[0, 1]],
            "links[rows] reads a mask, whole numbers or a slice, "
            "got an array of shape (1, 2) and type int64.",
        ),
    ],
)
def test_what_selects_no_rows_is_refused_in_a_sentence(rows, message):
    with pytest.raises(InvalidInput) as error:
        LINKS[rows]
    assert str(error.value) == message


def test_a_single_label_is_refused_in_the_same_words():
    with pytest.raises(InvalidInput) as error:
        PartialLabels(["a", "b"])[0]
    assert str(error.value) == (
        "labels[0] is a single row. Select rows with a list, a slice or a mask, "
        "such as labels[[0, 1]]."
    )
