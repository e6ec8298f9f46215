"""How far people agree, and who is asked what."""

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwise.errors import InvalidInput
from linkwise.session import Agreement, Event
from linkwise.session.advice.dealing import LEASE, Desk
from linkwise.session.advice.people import measure_people
from linkwise.session.advice.questions import Question
from linkwise.session.state.weights import weight_of

answers = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(3, 5),
        st.sampled_from(["same", "different", "unsure"]),
        st.sampled_from(["ann", "bob", "eve"]),
        st.booleans(),
    ),
    max_size=20,
)


def events_of(said):
    return [
        Event(seq, "answer", {"i": i, "j": j, "verdict": v}, who, undone_by=99 if undone else None)
        for seq, (i, j, v, who, undone) in enumerate(said, 1)
    ]


@given(said=answers)
def test_people_are_compared_as_defined(said):
    last = {}
    for i, j, verdict, who, undone in said:
        if not undone:
            last[i, j, who] = verdict
    expected = []
    for first, second in combinations(["ann", "bob", "eve"], 2):
        both = [
            (last[i, j, first], last[i, j, second])
            for i, j, who in last
            if who == first and (i, j, second) in last
        ]
        sure = [pair for pair in both if "unsure" not in pair]
        if sure:
            expected.append(Agreement(first, second, len(sure), sum(a == b for a, b in sure)))
    found = measure_people(events_of(said))
    assert found.agreements == expected
    for person in found.people:
        own = [a for a in expected if person.who in (a.first, a.second)]
        assert person.compared == sum(a.compared for a in own)
        assert person.agreed == sum(a.agreed for a in own)
        assert person.answers == sum(who == person.who for _, _, who in last)
        assert 0 <= person.weight <= 1


def test_nobody_contradicted_weighs_one_and_a_coin_weighs_nothing():
    assert weight_of(0, 0) == 1.0
    assert weight_of(1000, 1000) == 1.0
    assert weight_of(0, 1000) == 0.0
    rate = (8 + 9.8) / 20
    assert weight_of(8, 10) == pytest.approx(log(rate / (1 - rate)) / log(49))
    assert weight_of(8, 10) > weight_of(7, 10) > weight_of(70, 100)


def test_the_order_of_rows_does_not_matter_and_the_last_word_counts(session):
    session.answer(1, 2, "different", who="ann")
    session.answer(2, 1, "same", who="ann")
    session.answer(1, 2, "same", who="bob")
    found = session.people()
    assert found.agreements == [Agreement("ann", "bob", 1, 1)]
    assert [(p.who, p.answers) for p in found.people] == [("ann", 1), ("bob", 1)]


def pairs(questions):
    return {(q.i, q.j) for q in questions}


def test_two_people_never_get_the_same_question_at_once(session):
    ann, bob = session.query(5, who="ann"), session.query(5, who="bob")
    assert len(pairs(ann)) == len(pairs(bob)) == 5
    assert not pairs(ann) & pairs(bob)
    assert pairs(session.query(5, who="ann")) == pairs(ann)


def test_nor_do_they_when_all_ask_together(session):
    with ThreadPoolExecutor(4) as threads:
        asked = list(threads.map(lambda who: session.query(3, who=who), "abcd"))
    every = [pair for questions in asked for pair in pairs(questions)]
    assert len(every) == len(set(every)) == 12


def test_whoever_says_their_name_keeps_the_questions_they_were_given(session):
    given = session.query(3, who="~x")
    assert not {q.pair for q in given} & {q.pair for q in session.query(3, who="bob")}
    kept = session.query(3, who="ann", formerly="~x")
    assert [q.pair for q in kept] == [q.pair for q in given]
    assert not {q.pair for q in given} & {q.pair for q in session.query(3, who="~x")}


def test_questions_are_free_again_after_a_while():
    now = [0.0]
    desk = Desk(clock=lambda: now[0])
    desk.deal("ann", [Question(5, 2, "same", "")])
    assert desk.others("bob") == {(2, 5): "ann"}
    assert desk.others("ann") == {}
    now[0] = LEASE + 1
    assert desk.others("bob") == {}


def test_overlap_asks_for_second_opinions(session):
    session.answer(0, 1, "same", who="ann")
    session.answer(0, 2, "unsure", who="ann")
    session.answer(0, 30, "different", who="bob")
    asked = session.query(4, who="bob", overlap=0.5)
    assert (asked[0].i, asked[0].j) == (0, 1)
    assert asked[0].why.startswith("Somebody else has answered this")
    assert len(asked) == 4
    assert (0, 2) not in pairs(asked)
    assert (0, 30) not in pairs(asked)


def test_second_opinions_are_their_share_also_one_by_one(session):
    for row in range(1, 9):
        session.answer(0, row, "same", who="ann")
    told = 0
    for _ in range(8):
        (question,) = session.query(1, who="bob", overlap=0.25)
        told += question.why.startswith("Somebody else")
        session.answer(question.i, question.j, "same", who="bob")
    assert told == 2
    with pytest.raises(InvalidInput, match="overlap must be"):
        session.query(1, who="bob", overlap=2)
