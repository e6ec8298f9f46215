"""A choice among examples, as links."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwise import Links
from linkwise.errors import InvalidInput, InvalidLinks


def test_the_row_is_linked_to_the_one_chosen_and_kept_from_the_others():
    links = Links.from_choice(4, chosen=7, among=(2, 7, 9), n_samples=10)
    assert links == Links(10, must=[(4, 7)], cannot=[(4, 2), (4, 9)])


def test_none_of_these_keeps_the_row_from_all():
    assert Links.from_choice(0, None, [2, 1], 3) == Links(3, cannot=[(0, 1), (0, 2)])


def test_one_example_is_a_question_about_a_pair():
    assert Links.from_choice(0, 1, [1], 3) == Links(3, must=[(0, 1)])
    assert Links.from_choice(0, None, [1], 3) == Links(3, cannot=[(0, 1)])


def test_rows_of_numpy_are_rows():
    rows = np.array([5, 3, 8])
    assert Links.from_choice(rows[0], rows[1], rows[1:], 9) == Links(9, [(3, 5)], [(5, 8)])


@st.composite
def choices(draw):
    n = draw(st.integers(2, 12))
    row, *among = draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=n, unique=True))
    return row, draw(st.sampled_from([None, *among])), among, n


@given(choices())
def test_a_choice_is_one_answer_per_example(choice):
    row, chosen, among, n = choice
    links = Links.from_choice(*choice)
    assert links.n_links == len(among)
    assert len(links.must) == (chosen is not None)
    assert links.linked_rows.tolist() == sorted([row, *among])
    assert (np.concatenate([links.must, links.cannot]) == row).any(axis=1).all()
    assert not links.conflicts()
    labels = np.arange(n)
    labels[row] = -1 if chosen is None else chosen
    assert links.satisfied(labels).all()


@given(choices(), st.randoms())
def test_the_order_of_the_examples_does_not_matter(choice, random):
    row, chosen, among, n = choice
    shuffled = list(among)
    random.shuffle(shuffled)
    assert Links.from_choice(row, chosen, shuffled, n) == Links.from_choice(*choice)


@pytest.mark.parametrize(
    ("choice", "complaint"),
    [
        (
            (4, 3, [2, 7], 10),
            "from_choice: row 3 was chosen among 2, 7. Choose one of these, or None for none of "
            "them.",
        ),
        (
            (4, 4, [2, 4], 10),
            "from_choice: row 4 is among its own examples. Compare it with other rows.",
        ),
        ((4, None, [], 10), "from_choice: among is empty. A choice needs one example or more."),
        (
            (4, None, [1, 10], 10),
            "from_choice: among[1] = 10 points outside the 10 rows (0 to 9).",
        ),
        ((-1, None, [1], 10), "from_choice: row = -1 points outside the 10 rows (0 to 9)."),
        ((4, None, 3, 10), "from_choice: among must be rows such as [3, 7, 8], got 3."),
        ((4, None, "37", 10), "from_choice: among must be rows such as [3, 7, 8], got '37'."),
    ],
)
def test_what_is_no_choice_is_refused(choice, complaint):
    with pytest.raises(InvalidLinks) as refused:
        Links.from_choice(*choice)
    assert str(refused.value) == complaint


@pytest.mark.parametrize("row", [1.5, "a", True])
def test_what_is_no_row_is_refused(row):
    with pytest.raises(InvalidInput, match="must be a whole number"):
        Links.from_choice(row, None, [1, 2], 10)
