import threading

import pytest

from linkwise.session import Session
from linkwise.session.errors import StorageTrouble
from linkwise.session.events.event import Entry


class Faulty:
    """A journal that fails when told to: before the write, or after it."""

    def __init__(self, journal):
        self._journal, self.fail = journal, None
        self.n_appends = 0

    def append(self, records):
        self.n_appends += 1
        if self.fail == "before":
            raise StorageTrouble("the disk is full.")
        self._journal.append(records)
        if self.fail == "after":
            raise StorageTrouble("the connection was lost.")

    def __getattr__(self, name):
        return getattr(self._journal, name)


@pytest.fixture
def faulty(session):
    journal = Faulty(session._history._journal)
    session._history._writer._journal = journal
    return journal


def test_a_write_that_fails_is_told_and_the_session_goes_on(session, faulty):
    session.answer(0, 1, "same", key="a")
    faulty.fail = "before"
    with pytest.raises(StorageTrouble) as caught:
        session.answer(0, 2, "same", key="b")
    assert str(caught.value) == "the disk is full."
    assert session.seq == 1
    faulty.fail = None
    assert session.answer(0, 2, "same", key="b").seq == 2


def test_a_write_whose_confirmation_was_lost_is_found_by_its_key(session, faulty, folder):
    faulty.fail = "after"
    heard = []
    session.listen(heard.extend)
    with pytest.raises(StorageTrouble):
        session.answer(0, 1, "same", key="a")
    assert session.seq == 1
    assert [event.seq for event in heard] == [1]
    faulty.fail = None
    again = session.answer(0, 1, "same", key="a")
    assert (again.seq, again.repeated) == (1, True)
    session.close()
    with Session.open(folder) as reopened:
        assert reopened.seq == 1


def test_an_undo_that_was_not_written_is_forgotten(session, faulty):
    session.answer(0, 1, "same")
    faulty.fail = "before"
    with pytest.raises(StorageTrouble):
        session.undo(1)
    faulty.fail = None
    assert session.history()[0].undone_by is None
    session.undo(1)
    assert session.history()[0].undone_by == 2


def test_callers_that_wait_share_a_commit(session, faulty):
    gate = threading.Event()
    append = faulty._journal.append

    def slow(records):
        gate.wait(5)
        append(records)

    faulty._journal = type("Slow", (), {})()
    faulty._journal.append = slow
    faulty._journal.by_key = session._history._journal.by_key
    answers = [
        session.submit([Entry("answer", {"i": 0, "j": row, "verdict": "same"})])
        for row in range(1, 41)
    ]
    gate.set()
    assert [answer.result()[0].seq for answer in answers] == list(range(1, 41))
    assert faulty.n_appends <= 3


def test_a_wrong_call_does_not_spoil_the_others_in_its_commit(session, faulty):
    gate = threading.Event()
    by_key = faulty._journal.by_key
    faulty.by_key = lambda keys: gate.wait(5) and by_key(keys)
    entries = [
        Entry("answer", {"i": 0, "j": 1, "verdict": "same"}, key="x"),
        Entry("undo", {"event": 77}),
        Entry("answer", {"i": 0, "j": 2, "verdict": "same"}, key="x"),
        Entry("undo", {"event": 1}),
        Entry("undo", {"event": 1}),
    ]
    answers = [session.submit([entry]) for entry in entries]
    gate.set()
    told = [str(a.exception()) if a.exception() else a.result()[0].seq for a in answers]
    assert told == [
        1,
        "there is no event 77 to undo; the last one is 1.",
        "the key 'x' already stands for event 1, which says something else. "
        "Give every new entry a new key.",
        2,
        "event 1 is undone already. Undo the event that undid it to get it back.",
    ]


def test_a_call_that_was_cancelled_is_not_recorded_and_harms_nobody(session, faulty):
    gate = threading.Event()
    append = faulty._journal.append
    faulty._journal.append = lambda records: gate.wait(5) and append(records)
    entries = [Entry("answer", {"i": 0, "j": row, "verdict": "same"}) for row in (1, 2, 3)]
    first = session.submit(entries[:1])
    while not first.running():
        pass
    second, third = session.submit(entries[1:2]), session.submit(entries[2:])
    assert second.cancel()
    assert not first.cancel()
    gate.set()
    assert (first.result()[0].seq, third.result()[0].seq) == (1, 2)
    assert [event.payload["j"] for event in session.history()] == [1, 3]
