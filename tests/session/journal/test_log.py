import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwise.session.errors import InvalidEvent
from linkwise.session.journal.journal import Record
from linkwise.session.journal.log import COLUMNS, Log, outlives


def records_of(events):
    return [
        Record(seq, kind, json.dumps(payload), "", "", None)
        for seq, (kind, payload) in enumerate(events, 1)
    ]


@st.composite
def histories(draw):
    """Draw answers and undos of any earlier event that stands, undos included."""
    events, standing = [], []
    for seq in range(1, draw(st.integers(1, 25)) + 1):
        candidates = [k for k in range(1, seq) if standing[k - 1]]
        if candidates and draw(st.booleans()):
            events.append(("undo", {"event": draw(st.sampled_from(candidates))}))
        else:
            events.append(("answer", {"i": 0, "j": seq, "verdict": "same"}))
        standing = slow_standing(events)
    return events


def slow_standing(events):
    """By the definition: an event stands unless a later event that stands takes it back."""
    standing = [True] * len(events)
    for k in reversed(range(len(events))):
        kind, payload = events[k]
        if kind == "undo" and standing[k]:
            standing[payload["event"] - 1] = False
    return standing


def filled(events):
    log = Log()
    log.extend(records_of(events))
    return log


@settings(deadline=None)
@given(histories())
def test_what_stands_is_what_the_definition_says_for_every_prefix(events):
    log = filled(events)
    for n in range(len(events) + 1):
        assert log.standing(n).tolist() == slow_standing(events[:n])


@settings(deadline=None)
@given(histories())
def test_a_fallen_event_names_a_standing_undo(events):
    log = filled(events)
    for seq in range(1, len(events) + 1):
        undo = log.undone_by(seq)
        assert (undo is None) == log.stands(seq)
        assert undo is None or (log.stands(undo) and log.target(undo) == seq)
        later = range(log.n, undo or log.n, -1)
        assert not any(log.target(k) == seq and log.stands(k) for k in later)


@settings(deadline=None)
@given(histories())
def test_a_restored_log_is_the_same_log(events):
    log = filled(events)
    twin = Log.restore(
        {name: log.column(name).copy() for name in COLUMNS}, dict(log.others), list(log.people)
    )
    seqs = range(1, log.n + 1)
    assert [twin.stands(seq) for seq in seqs] == [log.stands(seq) for seq in seqs]
    assert [twin.undone_by(seq) for seq in seqs] == [log.undone_by(seq) for seq in seqs]
    assert (twin.standing(twin.n) == log.standing(log.n)).all()


@settings(deadline=None)
@given(histories())
def test_one_event_is_asked_about_without_the_others(events):
    log = filled(events)
    slow = slow_standing(events)
    assert [outlives(seq, log.undos) for seq in range(1, log.n + 1)] == slow


def test_the_work_for_a_chain_of_undos_does_not_grow_with_its_length():
    def steps(n):
        """Count what is looked at while a chain of undos is read, and while one more is added."""
        events = [("answer", {"i": 0, "j": 1, "verdict": "same"})]
        events += [("undo", {"event": k}) for k in range(1, n)]
        log = filled(events)
        looked = []

        def undos(seq):
            looked.append(seq)
            return log.undos(seq)

        assert outlives(n, undos)
        assert log.standing(n).tolist() == [(n - k) % 2 == 1 for k in range(n)]
        return len(looked)

    assert steps(2000) == steps(20) == 1


def test_the_log_grows_beyond_its_first_room():
    log = filled([("answer", {"i": k, "j": k + 1, "verdict": "same"}) for k in range(3000)])
    assert np.array_equal(log.column("i"), np.arange(3000))


def test_a_gap_in_the_journal_is_refused():
    with pytest.raises(InvalidEvent) as caught:
        Log().extend([Record(2, "undo", '{"event":1}', "", "", None)])
    assert str(caught.value) == "event 2 follows event 0: the journal has a gap."
