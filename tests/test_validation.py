import numpy as np
import pytest

from linkwise.errors import InvalidInput, LinkwiseError
from linkwise.validation import check_choice, check_number, require_number


class Model:
    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize("value", [0, 1.5, np.float32(2), np.int64(3), "auto"])
def test_numbers_in_range_pass(value):
    check_number(Model(value), "value", low=0, high=3, or_in=("auto",))


@pytest.mark.parametrize(
    ("value", "options", "wanted"),
    [
        (-1, {"low": 0}, "a number >= 0"),
        (4, {"high": 3}, "a number <= 3"),
        (9, {"low": 0, "high": 1}, "a number from 0 to 1"),
        (1.5, {"low": 0, "integer": True}, "a whole number >= 0"),
        (True, {"integer": True}, "a whole number"),
        (float("nan"), {}, "a number"),
        ("many", {"low": 1, "or_in": ("auto",)}, "a number >= 1 or 'auto'"),
        (None, {}, "a number"),
    ],
)
def test_anything_else_is_refused_in_one_wording(value, options, wanted):
    with pytest.raises(InvalidInput) as caught:
        check_number(Model(value), "value", **options)
    assert str(caught.value) == f"Model(value={value!r}): value must be {wanted}."
    with pytest.raises(InvalidInput) as caught:
        require_number("query", "n", value, **options)
    assert str(caught.value) == f"query(n={value!r}): n must be {wanted}."


def test_a_choice_is_one_of_those_listed():
    check_choice(Model("a"), "value", ("a", "b"))
    with pytest.raises(InvalidInput) as caught:
        check_choice(Model("c"), "value", ("a", "b"))
    assert str(caught.value) == "Model(value='c'): value must be one of 'a', 'b'."


def test_errors_about_values_are_value_errors_and_ours():
    assert issubclass(InvalidInput, ValueError)
    assert issubclass(InvalidInput, LinkwiseError)
