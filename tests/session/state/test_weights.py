"""Weights: those of people, given to what they say."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwise.session import Event, Session
from linkwise.session.advice.people import measure_people
from linkwise.session.journal.journal import Record
from linkwise.session.journal.log import Log
from linkwise.session.state.statements import read_statements
from linkwise.session.state.weights import answer_weights, weight_of

N = 6
told = st.lists(
    st.one_of(
        st.tuples(
            st.integers(0, 2),
            st.integers(3, 5),
            st.sampled_from(["same", "different", "unsure"]),
            st.sampled_from(["ann", "bob", "eve", ""]),
        ),
        st.integers(1, 12),
    ),
    max_size=20,
)


def log_of(said):
    """Return a log of answers, and of undos where there is a number."""
    log = Log()
    for seq, one in enumerate(said, 1):
        if isinstance(one, int):
            payload, who, kind = {"event": min(one, seq - 1)}, "x", "undo"
        else:
            i, j, verdict, who = one
            payload, kind = {"i": i, "j": j, "verdict": verdict}, "answer"
        log.extend([Record(seq, kind, json.dumps(payload), who, "", None)])
    return log


@given(told)
def test_answers_weigh_as_much_as_those_who_gave_them(said):
    while said and isinstance(said[0], int):  # there is nothing to undo yet
        said = said[1:]
    log = log_of(said)
    standing = log.standing(log.n)
    found = answer_weights(log, log.n, standing, N)
    events = [
        Event(seq, "answer", {"i": one[0], "j": one[1], "verdict": one[2]}, one[3])
        for seq, one in enumerate(said, 1)
        if not isinstance(one, int) and standing[seq - 1]
    ]
    weight = {person.who: person.weight for person in measure_people(events).people}
    same = [
        (*sorted((e.payload["i"], e.payload["j"])), e.payload["verdict"], e.who) for e in events
    ]
    for event, what in zip(events, same, strict=True):
        expected = 1.0 if same.count(what) > 1 else weight[event.who]
        assert found[event.seq - 1] == expected


def test_of_those_who_contradict_each_other_two_do_not_confirm():
    differ = [
        (0, 3 + k, v, who) for k in range(3) for v, who in (("same", "ann"), ("different", "bob"))
    ]
    log = log_of([*differ, (1, 4, "same", "ann"), (1, 4, "same", "bob"), (2, 5, "same", "eve")])
    said = read_statements(log, log.n, log.standing(log.n), N)
    weights = {(i, j): weight for i, j, kind, weight in said.links() if kind == "must"}
    careless = weight_of(1, 4)
    assert 0 < careless < 1
    assert weights[1, 4] == pytest.approx(2 * careless)
    assert weights[2, 5] == 1.0
    log.extend(
        [Record(log.n + 1, "answer", '{"i": 4, "j": 1, "verdict": "same"}', "ann", "", None)]
    )
    said = read_statements(log, log.n, log.standing(log.n), N)
    weights = {(i, j): weight for i, j, kind, weight in said.links() if kind == "must"}
    assert weights[1, 4] == pytest.approx(2 + careless)  # she looked twice


def test_the_model_hears_weights_and_forgets_them_with_an_undo(tmp_path):
    X = np.repeat([[0.0], [5.0], [9.0]], 20, axis=0) + np.linspace(0, 1, 60)[:, None]
    with Session.create(tmp_path / "s", X, 3, n_partitions=20) as session:
        for who in ("ann", "bob"):
            session.answer(0, 59, "same", who=who)
        assert session.model.links_.weight.tolist() == [2.0]
        labels = session.labels()
        contradiction = session.answer(1, 30, "same", who="ann")
        session.answer(30, 1, "different", who="bob")
        weights = {(i, j): w for i, j, _, w in session.model.links_}
        assert weights[0, 59] == pytest.approx(2 * weight_of(1, 2))
        people = {person.who: person.weight for person in session.people().people}
        assert weights[1, 30] == people["bob"]
        session.undo(contradiction.seq)
        session.undo(4)
        assert session.model.links_.weight.tolist() == [2.0]
        np.testing.assert_array_equal(session.labels(), labels)
        session.undo(6)
        told = list(session.model.links_)
    with Session.open(tmp_path / "s") as session:  # from the checkpoint
        assert list(session.model.links_) == told
        session.export(tmp_path / "all.jsonl", "history")
    with Session.create(tmp_path / "t", X, 3, n_partitions=20) as again:
        again.replay(tmp_path / "all.jsonl")
        assert list(again.model.links_) == told
