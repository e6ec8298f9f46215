"""Work in a child process: its result, its refusals, and its death."""

import os
import signal
import time
from pathlib import Path

import pytest

from linkwise.errors import Advice, InvalidFile, InvalidInput, MissingData, Remedy
from linkwise.server.files.child import Nursery, Unforeseen, in_child


@pytest.fixture(autouse=True, scope="module")
def tasks():
    """Let children find the functions of this folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        nursery = Nursery()
        patch.setattr("linkwise.server.files.child._NURSERY", nursery)
        import child_tasks

        yield child_tasks
        nursery.close()


def test_plain_data_go_there_and_come_back(tasks):
    got = in_child(tasks.echo, Path("/a/b.csv"), {"x": [1, None, "é"]})
    assert got == ["/a/b.csv", {"x": [1, None, "é"]}]


def test_it_is_another_process(tasks):
    first, second = in_child(tasks.who), in_child(tasks.who)
    assert len({first, second, os.getpid()}) == 3


def test_the_librarys_own_errors_come_back_whole(tasks):
    with pytest.raises(InvalidFile) as refused:
        in_child(tasks.refuse_file, Path("t.csv"))
    assert refused.value.advice == (Advice(Remedy.LEAVE_COLUMN_OUT, "a"), Advice(Remedy.FILL_IN))
    assert str(refused.value) == "t.csv line 3: no value. Leave the column out, or fill it in."
    with pytest.raises(MissingData, match="not there"):
        in_child(tasks.refuse_data)
    with pytest.raises(InvalidInput, match="an odd error"):
        in_child(tasks.refuse_oddly)


def test_faults_and_failures_of_the_machine_are_told_apart(tasks):
    with pytest.raises(Unforeseen, match=r"ZeroDivisionError, .*child_tasks\.py:\d+"):
        in_child(tasks.stumble)
    with pytest.raises(FileNotFoundError):
        in_child(tasks.open_nothing)


@pytest.mark.parametrize("task", ["crash", "exit_early", "say_half"])
def test_a_child_that_dies_is_a_sentence_about_the_file(tasks, task):
    with pytest.raises(InvalidFile) as refused:
        in_child(getattr(tasks, task), Path("a/t.npz"))
    assert str(refused.value) == (
        "t.npz ends the program that reads it. It is damaged, or made to do harm."
    )
    assert in_child(tasks.who) != os.getpid()  # the next one lives


def test_memory_is_limited(tasks):
    with pytest.raises(InvalidFile) as refused:
        in_child(tasks.take_memory, Path("t.npz"), 2**30, memory=2**28)
    assert str(refused.value) == "t.npz cannot be read within 256 MB of memory."
    assert in_child(tasks.take_memory, Path("t.npz"), 2**26, memory=2**28) == 2**26


def test_time_is_limited_and_the_child_is_gone(tasks, tmp_path):
    began = time.monotonic()
    with pytest.raises(InvalidFile) as refused:
        in_child(tasks.sleep, tmp_path / "t.npz", seconds=1.5)
    assert str(refused.value) == "t.npz cannot be read within 1.5 seconds."
    assert time.monotonic() - began < 30
    pid = int((tmp_path / "t.npz").read_text())
    while Path(f"/proc/{pid}").exists():
        time.sleep(0.01)


def test_a_nursery_that_was_killed_is_started_again(tasks):
    in_child(tasks.who)
    os.kill(in_child(tasks.parent), signal.SIGKILL)
    assert in_child(tasks.who) != os.getpid()
