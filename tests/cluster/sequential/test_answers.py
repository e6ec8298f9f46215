"""Answers as arrays: what names entail, and what is left out together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from linkwise import Links, PartialLabels
from linkwise.cluster.sequential.answers import CONFIRMED, N_FOLDS, Answers
from linkwise.cluster.sequential.judge import judge

N = 40
NOTHING = PartialLabels(np.full(N, -1))


@st.composite
def links(draw):
    pairs = st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda p: p[0] != p[1])
    drawn = draw(st.dictionaries(pairs.map(lambda p: (min(p), max(p))), st.booleans(), max_size=30))
    must = [pair for pair, same in drawn.items() if same]
    cannot = [pair for pair, same in drawn.items() if not same]
    return Links(N, must=must, cannot=cannot)


@st.composite
def labels(draw):
    return PartialLabels(draw(st.lists(st.integers(-1, 3), min_size=N, max_size=N)))


def by_pair(answers):
    """Return what is known of each answer, by its rows and its kind."""
    i, j = answers.rows[answers.i], answers.rows[answers.j]
    known = zip(answers.folds.tolist(), answers.is_fact.tolist(), strict=True)
    keys = zip(i.tolist(), j.tolist(), answers.must.tolist(), strict=True)
    return dict(zip(keys, known, strict=True))


@given(links(), links())
def test_another_answer_moves_no_answer_to_another_fold(one, other):
    other = other.without(one)
    alone = by_pair(Answers.of(one, NOTHING))
    together = by_pair(Answers.of(one | other, NOTHING))
    assert alone.items() <= together.items()


@given(links(), labels())
def test_order_and_direction_of_links_are_irrelevant(given_links, names):
    turned = Links(N, must=given_links.must[::-1, ::-1], cannot=given_links.cannot[::-1, ::-1])
    assert by_pair(Answers.of(turned, names)) == by_pair(Answers.of(given_links, names))


@given(links(), labels())
def test_leaving_a_fold_out_leaves_out_exactly_that(given_links, names):
    answers = Answers.of(given_links, names)
    for fold in range(N_FOLDS):
        out, rest = answers.left_out(fold), answers.without(fold)
        assert_array_equal(out, [fold in pair for pair in answers.folds.tolist()])
        for part in ("i", "j", "must", "is_fact", "folds"):
            assert_array_equal(getattr(rest, part), getattr(answers, part)[~out])
        assert rest.n_links == (~out[: answers.n_links]).sum()
        assert_array_equal(rest.rows, answers.rows)
        hidden = answers.name_fold == fold
        assert (rest.named[hidden] == -1).all()
        assert_array_equal(rest.named[~hidden], answers.named[~hidden])


@given(links(), labels())
def test_every_link_is_left_out_once_and_nothing_that_a_hidden_name_entails_stays(
    given_links, names
):
    answers = Answers.of(given_links, names)
    times = sum(answers.left_out(fold).astype(int) for fold in range(N_FOLDS))
    assert (times[: answers.n_links] == 1).all()
    for fold in range(N_FOLDS):
        rest = answers.without(fold)
        ends = np.concatenate([rest.i[rest.n_links :], rest.j[rest.n_links :]])
        assert (rest.named[ends] >= 0).all()


@given(labels())
def test_names_entail_only_what_is_true_of_them_and_something_of_every_row(names):
    answers = Answers.of(Links(N), names)
    assert answers.n_links == 0
    assert answers.is_fact.all()
    assert_array_equal(answers.must, answers.named[answers.i] == answers.named[answers.j])
    assert_array_equal(answers.rows, np.flatnonzero(names.known))
    assert_array_equal(answers.named, names.codes[names.known])
    if len(names.classes) > 1:
        compared = np.concatenate([answers.i, answers.j])
        assert len(np.unique(compared)) == len(answers.rows)
        for row in range(len(answers.rows)):
            met = answers.must[(answers.i == row) | (answers.j == row)]
            assert not met.all()  # with a row of another class at least


def test_the_number_of_comparisons_grows_with_the_names_and_not_with_the_classes():
    names = np.arange(2000) % 100
    answers = Answers.of(Links(2000), PartialLabels(names))
    assert len(answers) <= 11 * 2000


def test_folds_are_about_equally_large():
    pairs = [(a, b) for a in range(100) for b in range(a)]
    answers = Answers.of(Links(100, must=pairs), PartialLabels(np.full(100, -1)))
    share = np.bincount(answers.folds[:, 0], minlength=N_FOLDS) / len(answers)
    assert_allclose(share, 1 / N_FOLDS, atol=0.03)


def test_heavy_links_and_names_are_facts_and_other_links_are_not():
    given_links = Links(N, must=[(0, 1)], cannot=[(2, 3), (4, 5)], weight=[CONFIRMED, 1.9, 50.0])
    answers = Answers.of(given_links, PartialLabels([7, 8, *[-1] * (N - 2)]))
    assert answers.is_fact.tolist() == [True, False, True, True]
    assert answers.n_links == 3
    assert_allclose(answers.error(0.1), [1e-6, 0.1, 1e-6, 1e-6])


def test_chances_by_hand():
    answers = Answers.of(Links(N, must=[(0, 1)], cannot=[(1, 2)]), NOTHING)
    memberships = np.array([[1.0, 0.0], [0.25, 0.75], [0.5, 0.5]])
    together = answers.together(memberships)
    assert_allclose(together, [0.25, 0.5])
    assert_allclose(answers.holds(together), [0.25, 0.5])
    assert_allclose(answers.holds(np.array([0.2, 0.2])), [0.2, 0.8])


@pytest.mark.parametrize("names", [NOTHING, PartialLabels([3, *[-1] * (N - 1)])])
def test_little_or_nothing_said_is_read_too(names):
    answers = Answers.of(Links(N), names)
    assert len(answers) == 0
    assert len(answers.rows) == answers.n_classes == names.n_known
    assert len(answers.without(0)) == 0


def test_odds_of_being_right_are_raised_to_the_power_of_the_weight():
    said = Links(N, must=[(0, 1), (2, 3), (4, 5), (6, 7)], weight=[1.0, 0.5, 1e-9, 3.0])
    error = Answers.of(said, NOTHING).error(0.02)
    assert_allclose(error, [0.02, 1 / (1 + 7), 0.5, 1e-6])  # odds of 49, and their root
    assert_allclose(Answers.of(said, NOTHING).without(99).error(0.02), error)


def test_whom_others_contradict_is_doubted_sooner():
    """Two rows that look alike are said to differ, by somebody of full weight or of little."""
    looks = np.repeat([[0.9, 0.1], [0.1, 0.9]], 20, axis=0)
    pairs = [(i, i + 1) for i in range(0, 38, 2)]

    def suspicion(weight):
        said = Links(N, must=pairs, cannot=[(1, 2)], weight=[1.0] * len(pairs) + [weight])
        answers = Answers.of(said, NOTHING)
        alike = np.full(len(answers), 0.9)
        return judge(answers, looks[answers.rows], alike).suspicion[-1]

    assert suspicion(0.3) > 1.5 * suspicion(1.0)
