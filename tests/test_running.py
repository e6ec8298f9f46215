"""Wishes about a run: they hold inside their block, and inner blocks add to outer ones."""

import threading

import pytest

from linkwise import run_options
from linkwise.running import NO_WISHES, RunOptions, current_options


def told(*_):
    """Take no notice."""


def test_nothing_is_wished_outside():
    assert current_options() is NO_WISHES


def test_an_inner_block_adds_to_the_outer_one():
    with run_options(progress=told, folder="here"):
        with run_options(folder="there"):
            assert current_options() == RunOptions(progress=told, folder="there")
        assert current_options() == RunOptions(progress=told, folder="here")
    assert current_options() is NO_WISHES


def test_an_error_ends_the_block():
    with pytest.raises(KeyError), run_options(progress=told):
        raise KeyError
    assert current_options() is NO_WISHES


def test_other_threads_do_not_see_it():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(current_options()))
    with run_options(progress=told):
        thread.start()
        thread.join()
    assert seen == [NO_WISHES]


def test_cancel_is_asked_or_looked_at():
    event = threading.Event()
    assert not RunOptions().wants_to_stop()
    assert not RunOptions(cancel=event).wants_to_stop()
    event.set()
    assert RunOptions(cancel=event).wants_to_stop()
    assert RunOptions(cancel=lambda: True).wants_to_stop()
