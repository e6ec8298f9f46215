import threading

import pytest

from linkwise.ensemble.execution import Execution
from linkwise.errors import Cancelled


def test_progress_is_passed_on():
    calls = []
    Execution(progress=lambda *call: calls.append(call)).step(2, 5, "counting")
    assert calls == [(2, 5, "counting")]


@pytest.mark.parametrize("kind", ["callable", "event"])
def test_the_caller_can_stop_the_work(kind):
    event = threading.Event()
    execution = Execution(cancel=event if kind == "event" else event.is_set)
    execution.step(1, 5, "counting")
    event.set()
    with pytest.raises(Cancelled) as caught:
        execution.step(2, 5, "counting")
    assert str(caught.value) == "cancelled while counting, 2 of 5 done."


def test_work_that_is_finished_is_not_cancelled():
    Execution(cancel=lambda: True).step(5, 5, "counting")


def test_results_come_in_the_order_of_the_items():
    assert list(Execution(n_threads=3).map(lambda x: x * x, range(20))) == [
        x * x for x in range(20)
    ]
