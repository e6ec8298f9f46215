"""What was freed goes back to the system."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from linkwise.server.live import memory

pytestmark = pytest.mark.skipif(memory._library() is None, reason="not the GNU C library")

COUNT_POOLS = """
import ctypes, sys, threading
from linkwise.server.live.memory import keep_few_pools

if sys.argv[1] == "few":
    keep_few_pools()
hold = threading.Barrier(9)

def work():
    blocks = [bytes(1000) for _ in range(100)]
    hold.wait()
    return blocks

threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
library = ctypes.CDLL(None)
library.fdopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(library.fdopen(1, b"w"))
hold.wait()
library.malloc_info(0, file)
library.fflush(file)
"""


def resident():
    """Return the memory this process holds, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_memory_freed_between_what_is_in_use_is_given_back():
    blocks = [bytes(1000) for _ in range(100_000)]
    kept = blocks[::200]  # the C library gives back by itself only what is free at the end
    del blocks
    before = resident()
    memory.give_back()
    assert before - resident() > 50
    assert len(kept) == 500


def test_threads_share_few_pools():
    def count(how):
        command = [sys.executable, "-c", COUNT_POOLS, how]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.count(
            "<heap nr="
        )

    assert count("few") <= memory.MOST_POOLS < count("many")


def test_without_a_c_library_to_ask_nothing_happens(monkeypatch):
    def refuse(*_):
        raise OSError("no such library")

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    memory._library.cache_clear()
    try:
        memory.keep_few_pools()
        memory.give_back()
        assert memory._library() is None
    finally:
        memory._library.cache_clear()
