"""Interruptible work: it ends between two steps, and nothing else ends with it."""

from threading import Event, Thread

import pytest

from linkwise.server.live.interrupting import Interrupted, Interruptible


def test_what_work_returns_is_returned():
    assert Interruptible().run(lambda: 7) == 7


def test_work_in_a_thread_is_ended_though_it_catches_errors():
    steps, begun, seen = Interruptible(), Event(), []

    def count():
        while True:
            try:
                begun.set()
                sum(range(1000))
            except Exception as error:  # pragma: no cover
                seen.append(error)

    def work():
        try:
            steps.run(count)
        except Interrupted:
            seen.append("interrupted")

    thread = Thread(target=work, daemon=True)
    thread.start()
    assert begun.wait(60)
    steps.interrupt()
    thread.join(60)
    assert not thread.is_alive()
    assert seen == ["interrupted"]


def test_none_begins_once_it_is_over_and_who_has_left_is_spared():
    steps = Interruptible()
    steps.run(lambda: None)
    steps.interrupt()
    assert sum(range(100_000)) > 0  # nothing is raised in a thread whose work was done
    with pytest.raises(Interrupted):
        steps.run(lambda: 7)


def test_an_error_is_passed_on_but_not_one_that_follows_from_the_interruption():
    steps = Interruptible()

    def fail():
        raise RuntimeError("no compiled object yet")

    def never_hear_of_the_interruption_and_fail():
        steps.run(lambda: None)  # who has left is spared: as if a callback had forgotten it
        steps.interrupt()
        fail()

    with pytest.raises(RuntimeError, match="no compiled object yet"):
        steps.run(fail)
    with pytest.raises(Interrupted):
        steps.run(never_hear_of_the_interruption_and_fail)
