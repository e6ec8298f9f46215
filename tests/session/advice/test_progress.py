"""Honest advice: from pairs drawn at random, and from how left-out answers are foretold."""

import random

import numpy as np
import pytest

from linkwise.session import Session
from linkwise.session.advice.progress import interval


def test_seventeen_of_twenty_is_between_65_and_96_percent():
    low, high = interval(17, 20)
    assert (round(100 * low), round(100 * high)) == (65, 96)


@pytest.mark.parametrize(("right", "n", "end"), [(0, 5, 0), (5, 5, 1)])
def test_always_and_never_reach_the_end(right, n, end):
    assert interval(right, n)[end] == end


@pytest.mark.parametrize(
    ("k", "useless", "advice"),
    [(2, False, "number"), (4, False, "more"), (7, False, "number"), (4, True, "columns")],
)
def test_the_advice_tells_what_is_wrong(tmp_path, k, useless, advice):
    rng, truth = np.random.default_rng(1), np.arange(120) % 4
    middles = np.array([[0, 0], [0, 9], [9, 0], [9, 9]])[truth]
    heaps = rng.normal(size=(120, 2)) + (0 if useless else middles)
    draw = random.Random(0)
    pairs = [draw.sample(range(120), 2) for _ in range(150)]
    with Session.create(tmp_path / "s", heaps, k, n_partitions=20) as session:
        session.view()
        told = [(i, j, "same" if truth[i] == truth[j] else "different") for i, j in pairs]
        session.answer_many(told)
        session.weigh()
        progress = session.progress()
        assert progress.advice == advice
        assert "change little" not in progress.hint
        assert session.suspects() == []  # the answers are true: nobody is accused


@pytest.mark.parametrize(
    ("k", "doubted"), [(4, True), (2, False), (7, False)], ids=["right", "too few", "too many"]
)
def test_no_answer_is_doubted_while_another_number_would_explain_them_better(tmp_path, k, doubted):
    """A wrong answer among many true ones; where the number is wrong, it may be the number."""
    truth, draw = np.arange(120) % 4, random.Random(0)
    middles = np.array([[0, 0], [0, 9], [9, 0], [9, 9]])[truth]
    heaps = middles + np.random.default_rng(1).normal(size=(120, 2))
    pairs = [draw.sample(range(120), 2) for _ in range(150)]
    told = [(i, j, "same" if truth[i] == truth[j] else "different") for i, j in pairs]
    with Session.create(tmp_path / "s", heaps, k, n_partitions=20) as session:
        session.view()
        session.answer_many([*told, (0, 1, "same")])
        assert session.suspects() or k < 4  # with two clusters nothing looks wrong
        session.weigh()
        assert [(one.i, one.j) for one in session.suspects()] == ([(0, 1)] if doubted else [])


def test_a_clustering_that_is_right_is_told_to_be_after_twenty_random_pairs(session):
    truth, session_view = np.arange(60) // 20, session.view()
    assert session_view.seq == 0
    for number in range(1, 24):
        (question,) = session.query(1, asked=10 * number - 1)
        i, j = question.i, question.j
        session.answer(i, j, "same" if truth[i] == truth[j] else "different")
    session.weigh()
    progress = session.progress()
    assert (progress.drawn, progress.right) == (20, 20)
    assert progress.advice == "enough"
    assert progress.hint == (
        "Of the last 20 random pairs it got 20 right (88–100 %). More answers will change little."
    )


def test_one_answer_that_is_missing_is_counted_as_one(session):
    for row in range(18):
        session.answer(row, row + 1, "same")
    assert session.progress().hint == "Too early to tell: give some 2 more answers."
    session.answer(18, 19, "same")
    assert session.progress().hint == "Too early to tell: give one more answer."


def test_answers_that_move_nothing_are_not_said_to_pay(session):
    truth = np.arange(60) // 20
    for number in range(24):
        (question,) = session.query(1, kind="pair", asked=10 * number - 1 if number < 6 else 0)
        i, j = question.i, question.j
        session.answer(i, j, "same" if truth[i] == truth[j] else "different")
        session.view()
    progress = session.progress()
    assert (progress.drawn, progress.right, progress.advice) == (6, 6, "more")
    assert progress.hint == (
        "Of the last 6 random pairs it got 6 right (67–100 %). The last 10 changes moved no row; "
        "some 50 more answers will tell whether that is all."
    )


def test_answers_are_counted_before_the_history_is_locked(session, monkeypatch):
    count, locked = session._clicks.count, session._history.lock._is_owned

    def counted():
        assert not locked()  # whoever reads it meanwhile would wait for us, and we for them
        return count()

    monkeypatch.setattr(session._clicks, "count", counted)
    assert session.progress().answers == 0
