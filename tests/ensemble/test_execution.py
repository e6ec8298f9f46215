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


def test_no_more_items_are_drawn_than_threads_and_one():
    drawn = []
    items = (drawn.append(i) or i for i in range(20))
    results = Execution(n_threads=2).map(abs, items)
    next(results)
    assert len(drawn) == 3
    results.close()


def test_an_error_in_one_item_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        list(Execution(n_threads=2).map(lambda x: 1 // x, [2, 1, 0, 1]))
