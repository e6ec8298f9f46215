"""Big questions, pairs drawn at random, and answers that are asked about again."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from linkwise.errors import InvalidInput
from linkwise.session import Session
from linkwise.session.advice.questions import DRAW_EVERY


def test_groups_come_first_then_choices_then_pairs(session):
    kinds = [question.kind for question in session.query(60, kind="auto")]
    assert kinds == sorted(kinds, key=["groups", "choice", "pair"].index)
    assert kinds[0] == "groups"
    assert "choice" in kinds


def test_groups_are_of_ten_rows_at_most_and_hold_no_row_twice(session):
    for question in session.query(10, kind="groups"):
        groups = [question.one, question.other, *filter(None, [question.third])]
        assert all(1 <= len(group) <= 10 for group in groups)
        shown = [row for group in groups for row in group]
        assert len(set(shown)) == len(shown)


def test_groups_show_five_typical_rows_and_five_from_the_edge(tmp_path):
    X = load_digits().data[:600]
    with Session.create(tmp_path / "s", X, 10, n_partitions=50) as session:
        found = session.query(8, kind="groups")
    groups = [group for q in found for group in parts(q) if len(group) == 10]
    assert len(groups) >= 10

    def spread(rows):
        return np.linalg.norm(X[list(rows)] - X[list(rows)].mean(axis=0), axis=1).mean()

    tighter = [spread(group[:5]) < spread(group[5:]) for group in groups]
    assert np.mean(tighter) > 0.9


def test_three_groups_are_the_halves_of_a_cluster_and_one_much_alike_in_any_order(session):
    labels = session.labels()
    three = [question for question in session.query(10, kind="groups") if question.third]
    assert three
    odd = set()
    for question in three:
        firsts = [question.one[0], question.other[0], question.third[0]]
        clusters = labels[firsts].tolist()
        assert len(set(clusters)) == 2
        odd.add(min(range(3), key=lambda k: clusters.count(clusters[k])))
        assert {question.i, question.j} <= set(firsts)
        assert labels[question.i] != labels[question.j]
    assert len(odd) > 1 or len(three) == 1


def test_what_three_groups_ask_is_not_asked_singly_meanwhile(session):
    every = session.query(20, kind="groups")
    for question in every:
        left = session.query(20, skip=[question.pair], kind="groups")
        assert {q.pair for q in left} == {q.pair for q in every} - {question.pair}


def test_three_groups_that_nobody_could_tell_are_asked_about_singly(session):
    question = next(q for q in session.query(10, kind="groups") if q.third)
    session.answer(question.i, question.j, "unsure")
    again = session.query(20, kind="groups")
    assert question.pair not in [other.pair for other in again]
    assert any(not q.third and {q.one, q.other} <= set(parts(question)) for q in again)


def test_a_truthful_answer_about_three_groups_settles_all_of_it(session):
    question = next(q for q in session.query(10, kind="groups") if q.third)
    one, other, third = parts(question)
    for rows in (one, other, third):
        if len(rows) > 1:
            session.together(rows)
    for i, j in ((one[0], other[0]), (one[0], third[0]), (other[0], third[0])):
        session.answer(i, j, "different")
    assert question.pair not in [q.pair for q in session.query(20, kind="groups")]


def parts(question):
    return question.one, question.other, question.third


def test_a_group_that_was_told_is_not_asked_about_again(session):
    for _ in range(2):  # three groups at first, then two of them
        (question,) = session.query(1, kind="groups")
        session.answer(question.i, question.j, "unsure")
        again = session.query(20, kind="groups")
        assert question.pair not in [other.pair for other in again]


def test_a_choice_shows_up_to_five_examples_of_different_clusters(session):
    labels = session.labels()
    for question in session.query(10, kind="choice"):
        assert 1 <= len(question.among) <= 5
        assert question.i not in question.among
        assert len(set(labels[list(question.among)].tolist())) == len(question.among)


def test_the_order_of_examples_does_not_tell_what_the_clustering_thinks(session):
    labels, places = session.labels(), set()
    for question in session.query(20, kind="choice"):
        there = [labels[row] == labels[question.i] for row in question.among]
        places.add(there.index(True) if any(there) else None)
    assert {0, 1} <= places


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
    wrong = session.answer(0, 25, "same")
    (question,) = [q for q in session.query(3, asked=0) if q.again]
    assert (question.i, question.j, question.again) == (0, 25, wrong.seq)
    session.answer(0, 25, "same")
    assert (0, 25) not in [q.pair for q in session.query(3, asked=0)]
