"""A process that measures cells, and is ended when one takes too long."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from linkwise.bench.common.measuring import Cell, Line, measure

Measure = Callable[[Cell], Line]
#: A child of its own, started anew: nothing that threads hold is copied.
_CONTEXT = multiprocessing.get_context("spawn")
#: Seconds that loading a set and the libraries may take on top of the limit.
START = 600.0
#: Seconds between two looks at how long a cell has computed.
PATIENCE = 0.5


class Worker:
    """Measures cells in a child process.

    Parameters
    ----------
    limit : float
        Seconds of computing a cell may take, in the child and whatever it starts: a machine that
        is busy with other things makes no method slow. Where the system does not tell, seconds by
        the clock.
    measured_by : callable, default=measure
        What the child calls with each cell.
    """

    def __init__(self, limit: float, measured_by: Measure = measure) -> None:
        self._limit, self._measured_by = limit, measured_by
        self._child: multiprocessing.process.BaseProcess | None = None
        self._door: Connection | None = None

    def run(self, cell: Cell) -> Line:
        """Return the line of a cell; "too slow" when the limit was passed."""
        door = self._open()
        try:
            door.send(cell)
            if not door.poll(START) or door.recv() != "started":
                raise EOFError
            if self._waited_for(door):
                line: Line = door.recv()
                return line
        except (EOFError, OSError):
            self.close()
            return cell.line("failed", said="the process ended, perhaps for want of memory")
        self.close()
        return cell.line("too slow", seconds=self._limit)

    def _waited_for(self, door: Connection) -> bool:
        """Wait for the answer; tell whether it came before the limit."""
        group = self._child.pid if self._child is not None and self._child.pid is not None else 0
        start = computed_by(group)
        while not door.poll(min(PATIENCE, self._limit)):
            if computed_by(group) - start > self._limit:
                return False
        return True

    def close(self) -> None:
        """End the child."""
        if self._child is not None and self._child.pid is not None:
            _end(self._child.pid)
            self._child.kill()
            self._child.join()
        if self._door is not None:
            self._door.close()
        self._child = self._door = None

    def _open(self) -> Connection:
        if self._door is None or self._child is None or not self._child.is_alive():
            self.close()
            self._door, theirs = _CONTEXT.Pipe()
            self._child = _CONTEXT.Process(
                target=_serve, args=(theirs, self._measured_by), daemon=False
            )
            self._child.start()
            theirs.close()
        return self._door


def computed_by(group: int) -> float:
    """Return the seconds that a group of processes has computed; the clock where nobody tells."""
    if sys.platform != "linux":
        return time.monotonic()
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[2]) == group:
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def _end(group: int) -> None:
    """End whatever the child has started; it leads a group of its own."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)


def _serve(door: Connection, measured_by: Measure) -> None:
    """Measure what comes through the door until it is closed; one thread each."""
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    os.environ["NUMBA_NUM_THREADS"] = "1"
    while True:
        try:
            cell = door.recv()
            door.send("started")
            door.send(measured_by(cell))
        except (EOFError, OSError):  # who asked is gone
            return
