"""Side information drawn from a truth."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from linkwise.constraints import Links, PartialLabels
from linkwise.constraints.sampling import _pairs_by_number
from linkwise.errors import InvalidInput

Y = np.array([0, 0, 1, 2, 1, 0, 2, 2, -1, 1])


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 36), st.floats(0, 1), st.integers(0, 1000))
def test_exactly_the_share_of_answers_asked_for_is_wrong(n_links, noise, seed):
    links = Links.sample(Y, n_links, noise=noise, random_state=seed)
    assert links.n_links == n_links
    assert (~links.satisfied(Y)).sum() == round(noise * n_links)
    assert 8 not in links.linked_rows


def test_every_pair_of_labelled_rows_is_drawn_equally_often():
    pairs = list(combinations([i for i in range(10) if i != 8], 2))
    counts = dict.fromkeys(pairs, 0)
    for seed in range(600):
        links = Links.sample(Y, 6, random_state=seed)
        for pair in np.concatenate((links.must, links.cannot)).tolist():
            counts[tuple(pair)] += 1
    assert sum(counts.values()) == 600 * 6
    assert chisquare(list(counts.values())).pvalue > 0.01  # the seeds are fixed


def test_all_pairs_can_be_drawn():
    links = Links.sample(Y, 36, random_state=0)
    assert links.n_links == 36


def test_numbers_stand_for_all_pairs_once():
    pairs = list(map(tuple, _pairs_by_number(np.arange(4950)).tolist()))
    assert sorted(pairs) == list(combinations(range(100), 2))


def test_numbers_of_pairs_among_ten_million_rows_are_exact():
    for high in (10**7 - 1, 9_876_543, 94_906_267):
        first = high * (high - 1) // 2
        numbers = np.array([first - 1, first, first + high - 1, first + high])
        expected = [[high - 2, high - 1], [0, high], [high - 1, high], [0, high + 1]]
        assert _pairs_by_number(numbers).tolist() == expected


def test_pairs_among_millions_of_rows_are_drawn_without_listing_them():
    y = np.arange(3_000_000) % 7
    links = Links.sample(y, 1000, random_state=0)
    assert links.n_links == 1000
    assert links.satisfied(y).all()


def test_the_seed_decides_the_draw():
    draws = [Links.sample(Y, 9, noise=0.3, random_state=seed) for seed in (0, 0, 1)]
    assert draws[0] == draws[1]
    assert draws[0] != draws[2]
    generators = [np.random.default_rng(3), np.random.default_rng(3)]
    assert Links.sample(Y, 9, random_state=generators[0]) == Links.sample(
        Y, 9, random_state=generators[1]
    )
    states = [np.random.RandomState(3), np.random.RandomState(3)]
    assert Links.sample(Y, 9, random_state=states[0]) == Links.sample(Y, 9, random_state=states[1])


@pytest.mark.parametrize(
    ("n_links", "noise", "message"),
    [
        (37, 0.0, "Links.sample(n_links=37): 9 labelled rows have only 36 pairs."),
        (-1, 0.0, "Links.sample(n_links=-1): n_links must be a whole number >= 0."),
        (1.5, 0.0, "Links.sample(n_links=1.5): n_links must be a whole number >= 0."),
        (True, 0.0, "Links.sample(n_links=True): n_links must be a whole number >= 0."),
        (3, 1.5, "Links.sample(noise=1.5): noise must be a number from 0 to 1."),
        (3, -0.1, "Links.sample(noise=-0.1): noise must be a number from 0 to 1."),
        (3, "0", "Links.sample(noise='0'): noise must be a number from 0 to 1."),
        (3, np.nan, "Links.sample(noise=nan): noise must be a number from 0 to 1."),
    ],
)
def test_draws_that_cannot_be_made_are_refused(n_links, noise, message):
    with pytest.raises(InvalidInput) as error:
        Links.sample(Y, n_links, noise=noise)
    assert str(error.value) == message


@settings(deadline=None, max_examples=60)
@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 1000))
def test_labels_are_revealed_and_falsified_in_the_shares_asked_for(fraction, noise, seed):
    names = np.array(["x", "y", "z", None], dtype=object)[Y]
    labels = PartialLabels.sample(names, fraction, noise=noise, random_state=seed)
    revealed = labels.known
    assert labels.n_known == round(fraction * 9)
    assert not revealed[8]
    wrong = labels.labels[revealed] != names[revealed]
    assert wrong.sum() == round(noise * labels.n_known)


def test_a_wrong_label_needs_a_second_class():
    with pytest.raises(InvalidInput) as error:
        PartialLabels.sample([4, 4, 4], 1.0, noise=0.5)
    assert str(error.value) == (
        "PartialLabels.sample(noise=0.5): a wrong label needs a second class, "
        "but all labelled rows are of one."
    )


def test_a_fraction_is_a_share():
    with pytest.raises(InvalidInput) as error:
        PartialLabels.sample(Y, 2)
    assert str(error.value) == (
        "PartialLabels.sample(fraction=2): fraction must be a number from 0 to 1."
    )
