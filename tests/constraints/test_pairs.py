"""What Links says about pairs and weights that cannot be meant."""

import numpy as np
import pandas as pd
import pytest

from linkwise.constraints import Links
from linkwise.errors import InvalidInput, InvalidLinks

SHAPE = "must must be pairs of rows such as [(0, 1), (2, 3)], of shape (k, 2), got shape {}."


@pytest.mark.parametrize(
    ("must", "message"),
    [
        ([(0, 1), (0, 9)], "must[1] = (0, 9) points outside the 4 rows (0 to 3)."),
        ([(0, 1), (2, 4)], "must[1] = (2, 4) points outside the 4 rows (0 to 3)."),
        ([(-1, 2)], "must[0] = (-1, 2) points outside the 4 rows (0 to 3)."),
        ([(0, 2**70)], f"must[0] = (0, {2**70}) points outside the 4 rows (0 to 3)."),
        (
            np.array([[0, 2**64 - 1]], dtype=np.uint64),
            f"must[0] = (0, {2**64 - 1}) points outside the 4 rows (0 to 3).",
        ),
        ([(0, 1), (2, 2)], "must[1] = (2, 2) links row 2 to itself."),
        ([(0, 1.5)], "must[0] = (0.0, 1.5) is not a pair of row numbers."),
        ([(0, np.nan)], "must[0] = (0.0, nan) is not a pair of row numbers."),
        ([(0, np.inf)], "must[0] = (0.0, inf) is not a pair of row numbers."),
        ([(0, None)], "must[0] = (0, None) is not a pair of row numbers."),
        ([(True, False)], "must[0] = (True, False) is not a pair of row numbers."),
        (
            [("a", "b")],
            "must[0] = ('a', 'b') is not a pair of row numbers. Give ids= if rows go by id.",
        ),
        ([(0, 1j)], "must[0] = (0j, 1j) is not a pair of row numbers."),
        ([(0, 1), (2,)], "must[1] = (2,) is not a pair of rows."),
        ([(0, 1), 2], "must[1] = 2 is not a pair of rows."),
        ((0, 1), SHAPE.format("(2,)")),
        ([(0, 1, 2)], SHAPE.format("(1, 3)")),
        (np.zeros((1, 2, 2)), SHAPE.format("(1, 2, 2)")),
        ("ab", "must must be pairs of rows such as [(0, 1)], got 'ab'."),
        (7, "must must be pairs of rows such as [(0, 1)], got 7."),
    ],
)
def test_pairs_that_cannot_be_meant_are_refused_by_name(must, message):
    with pytest.raises(InvalidLinks) as error:
        Links(4, must=must)
    assert str(error.value) == message


def test_a_wrong_cannot_link_is_named_as_such():
    with pytest.raises(InvalidLinks) as error:
        Links(4, must=[(0, 1)], cannot=[(0, 1), (3, 4)])
    assert str(error.value) == "cannot[1] = (3, 4) points outside the 4 rows (0 to 3)."


def test_no_pair_fits_into_no_rows():
    with pytest.raises(InvalidLinks) as error:
        Links(0, must=[(0, 1)])
    assert str(error.value) == "must[0] = (0, 1) points outside the data, which has no rows."


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -1], "weight[1] = -1 must be a finite number >= 0."),
        ([np.nan, 1], "weight[0] = nan must be a finite number >= 0."),
        ([1, np.inf], "weight[1] = inf must be a finite number >= 0."),
        (["x", "y"], "weight[0] = 'x' must be a finite number >= 0."),
        ([1, None], "weight[1] = None must be a finite number >= 0."),
        ([True, False], "weight[0] = True must be a finite number >= 0."),
        ([1], "weight has 1 values for 2 links: give one per pair, must first."),
        ([[1, 2]], "weight has shape (1, 2) for 2 links: give one per pair, must first."),
        (2, "weight must be one number per pair, got 2."),
        ("ab", "weight must be one number per pair, got 'ab'."),
    ],
)
def test_weights_that_cannot_be_meant_are_refused_by_name(weight, message):
    with pytest.raises(InvalidLinks) as error:
        Links(4, must=[(0, 1)], cannot=[(2, 3)], weight=weight)
    assert str(error.value) == message


@pytest.mark.parametrize("n_samples", [np.eye(9), "a name that is longer than any number " * 3])
def test_what_is_far_from_a_number_is_not_told_in_full(n_samples):
    with pytest.raises(InvalidInput) as error:
        Links(n_samples)
    assert str(error.value) == (
        f"Links(n_samples={type(n_samples).__name__}(...)): n_samples must be a whole number >= 0."
    )


@pytest.mark.parametrize("n_samples", [-1, 2.0, "4", None, True, np.nan])
def test_the_number_of_rows_is_a_whole_number(n_samples):
    with pytest.raises(InvalidInput) as error:
        Links(n_samples)
    assert str(error.value) == (
        f"Links(n_samples={n_samples!r}): n_samples must be a whole number >= 0."
    )


@pytest.mark.parametrize(
    "must",
    [
        [(2, 0), (1, 2)],
        ((2, 0), (1, 2)),
        {(2, 0), (1, 2)},
        zip([2, 1], [0, 2], strict=True),
        np.array([[2, 0], [1, 2]], dtype=np.uint8),
        np.array([[2.0, 0.0], [1.0, 2.0]]),
        np.array([[2, 0], [1, 2]], dtype=object),
        pd.DataFrame({"i": [2, 1], "j": [0, 2]}),
    ],
    ids=lambda must: type(must).__name__,
)
def test_pairs_may_come_as_any_list_set_array_or_table(must):
    assert Links(4, must=must).must.tolist() == [[0, 2], [1, 2]]


@pytest.mark.parametrize("nothing", [(), [], np.empty((0, 2)), np.empty(0), iter(()), set()])
def test_no_pairs_at_all_are_fine(nothing):
    links = Links(3, must=nothing, weight=[])
    assert links.must.shape == (0, 2)
    assert links == Links(3)


def test_a_pair_given_twice_is_kept_once_with_the_larger_weight():
    links = Links(4, must=[(1, 0), (2, 3), (0, 1)], cannot=[(0, 3)], weight=[2, 1, 5, 4])
    assert links.must.tolist() == [[0, 1], [2, 3]]
    assert links.weight.tolist() == [5, 1, 4]
