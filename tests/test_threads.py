import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from linkwise.errors import InvalidInput
from linkwise.threads import Team, count_openmp_threads, count_threads, map_in_order


def test_as_many_threads_are_used_as_asked_for():
    assert count_threads(3) == 3
    assert count_threads(None) == count_threads() >= 1


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "2"])
def test_a_number_of_threads_that_is_none_is_refused(wrong):
    with pytest.raises(InvalidInput) as caught:
        count_threads(wrong)
    assert str(caught.value) == (
        f"n_threads is {wrong!r}, but must be None or a whole number >= 1."
    )


def test_openmp_threads_follow_threadpoolctl():
    with threadpool_limits(1):
        assert count_openmp_threads() == 1


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 5), st.lists(st.integers(0, 20), max_size=3))
def test_a_team_does_every_part_once_and_answers_by_part(n_threads, tasks):
    done = []

    def work(part):
        done.append(part)
        return part * part

    with Team(n_threads) as team:
        for n_parts in tasks:
            done.clear()
            assert team.each(work, n_parts) == [part * part for part in range(n_parts)]
            assert sorted(done) == list(range(n_parts))


def test_the_threads_of_a_team_work_at_the_same_time():
    meeting = threading.Barrier(3, timeout=10)
    with Team(3) as team:
        assert sorted(team.each(lambda _: meeting.wait(), 3)) == [0, 1, 2]


def test_a_team_of_one_is_the_calling_thread():
    with Team(1) as team:
        assert set(team.each(lambda _: threading.get_ident(), 5)) == {threading.get_ident()}


def test_an_error_in_one_part_reaches_the_caller_of_a_team():
    for n_threads in (1, 3):
        with pytest.raises(ZeroDivisionError), Team(n_threads) as team:
            team.each(lambda part: 1 // (part - 7), 20)


def test_mapped_results_come_in_the_order_of_the_items():
    assert list(map_in_order(lambda x: x * x, range(20), 3)) == [x * x for x in range(20)]


def test_no_more_items_are_drawn_than_threads_and_one():
    drawn = []
    items = (drawn.append(i) or i for i in range(20))
    results = map_in_order(abs, items, 2)
    next(results)
    assert len(drawn) == 3
    results.close()
    assert len(drawn) == 3


def test_an_error_in_one_item_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        list(map_in_order(lambda x: 1 // x, [2, 1, 0, 1], 2))


CORES = """
import os
os.cpu_count = lambda: 1  # no limit, and no affinity, is below it
import linkwise as lw
from sklearn.cluster import KMeans
lw.PCKMeans(2, random_state=0).fit([[0.0], [1.0], [5.0], [6.0]])
KMeans(2, n_init=1, random_state=0).fit([[0.0], [1.0], [5.0], [6.0]])
"""


def test_a_machine_that_cannot_count_its_cores_prints_no_traceback():
    done = subprocess.run(
        [sys.executable, "-c", CORES],
        env={"PATH": "", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "physical cores" not in done.stderr
    assert "Traceback" not in done.stderr
    assert 'File "' not in done.stderr
