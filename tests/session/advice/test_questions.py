"""Big questions, pairs drawn at random, and answers that are asked about again."""

import numpy as np
import pytest

from linkwise.errors import InvalidInput
from linkwise.session.advice.questions import DRAW_EVERY


def test_groups_come_first_then_choices_then_pairs(session):
    kinds = [question.kind for question in session.query(60, kind="auto")]
    assert kinds == sorted(kinds, key=["groups", "choice", "pair"].index)
    assert kinds[0] == "groups"
    assert "choice" in kinds


def test_groups_are_of_ten_rows_at_most_and_hold_no_row_twice(session):
    for question in session.query(10, kind="groups"):
        assert 1 <= len(question.one) <= 10
        assert 1 <= len(question.other) <= 10
        assert len({*question.one, *question.other}) == len(question.one) + len(question.other)


def test_a_group_that_was_told_is_not_asked_about_again(session):
    (question,) = session.query(1, kind="groups")
    session.answer(question.one[0], question.other[0], "unsure")
    again = session.query(20, kind="groups")
    assert question.pair not in [other.pair for other in again]


def test_a_choice_shows_up_to_five_examples_of_different_clusters(session):
    labels = session.labels()
    for question in session.query(10, kind="choice"):
        assert 1 <= len(question.among) <= 5
        assert question.i not in question.among
        assert len(set(labels[list(question.among)].tolist())) == len(question.among)


def test_two_people_are_not_asked_to_place_the_same_row(session):
    ann = {question.i for question in session.query(5, kind="choice", who="ann")}
    bob = {question.i for question in session.query(5, kind="choice", who="bob")}
    assert ann.isdisjoint(bob)


def test_another_kind_is_refused(session):
    with pytest.raises(InvalidInput) as caught:
        session.query(1, kind="triplet")
    assert str(caught.value) == (
        "kind is 'triplet', expected one of pair, choice, groups and auto."
    )


def test_every_tenth_question_is_drawn_at_random_half_of_them_within_a_cluster(session):
    labels, inside = session.labels(), []
    for number in range(4):
        found = session.query(10, asked=10 * number)
        assert [question.drawn for question in found] == [False] * 9 + [True]
        inside.append(bool(labels[found[-1].i] == labels[found[-1].j]))
        session.answer(found[-1].i, found[-1].j, "unsure")
    assert inside == [True, False, True, False]


def test_what_is_drawn_is_recorded_as_such_and_survives_a_checkpoint(session, folder):
    session.view()
    found = session.query(1, asked=DRAW_EVERY - 1)[0]
    event = session.answer(found.i, found.j, "same")
    assert event.payload["drawn"] is True
    assert "drawn" not in session.answer(0, 1, "same").payload
    before = session.progress()
    assert before.drawn == 1
    session.close()
    with type(session).open(folder) as again:
        assert again.progress().drawn == 1


def test_a_doubted_answer_is_asked_about_once_more(session):
    truth = np.arange(60) // 20
    rng = np.random.default_rng(0)
    pairs = [rng.choice(60, 2, replace=False).tolist() for _ in range(60)]
    for i, j in pairs:
        session.answer(i, j, "same" if truth[i] == truth[j] else "different")
    session.answer(0, 25, "same")
    (suspect,) = [s for s in session.suspects() if (s.i, s.j) == (0, 25)]
    (question,) = [q for q in session.query(3, asked=0) if q.again]
    assert (question.i, question.j, question.again) == (0, 25, suspect.event)
    session.answer(0, 25, "same")
    assert (0, 25) not in [q.pair for q in session.query(3, asked=0)]
