"""A long history: read wherever one likes, and little of it kept in memory."""

import pytest

from linkwise.session import Entry
from linkwise.session.state.history import TAIL


def answers(n):
    return [Entry("answer", {"i": k % 59, "j": 59, "verdict": "same"}, "ann") for k in range(n)]


@pytest.fixture
def long(session):
    """Return a session with more events than are kept in memory."""
    session.append(answers(TAIL + 500))
    return session


def test_the_latest_events_are_kept_in_memory_and_no_others(long):
    assert [record.seq for record in long._history._tail] == list(range(501, TAIL + 501))


@pytest.mark.parametrize("after", [0, 498, 499, 500, 501, TAIL + 499, TAIL + 500])
def test_events_are_the_same_from_memory_and_from_the_journal(long, after):
    found = long.history(after)
    assert [event.seq for event in found] == list(range(after + 1, TAIL + 501))
    assert [event.payload["i"] for event in found] == [k % 59 for k in range(after, TAIL + 500)]


@pytest.mark.parametrize("after", [0, 450, 499, 500, 700])
def test_a_page_has_as_many_events_as_asked_for(long, after):
    assert [event.seq for event in long.history(after, 100)] == list(range(after + 1, after + 101))
