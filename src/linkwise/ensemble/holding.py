"""A file that is mapped and must not be cut short meanwhile.

Whoever touches a page of a mapped file that is gone is killed by the system (SIGBUS), and to look
at the file's length before is not enough: it may be cut in the next moment. Linux lends a *lease*:
as long as it is held, who wants to write to the file or cut it waits. It is held for as long as
labels are read, which is milliseconds. Where there are no leases, or somebody has the file open for
writing, the bytes are read instead, which cannot kill anybody.
"""

from __future__ import annotations

import os
import signal
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.ensemble.npy import read_npy_header
from linkwise.errors import InvalidInput
from linkwise.files.headed import refuse_pipe


class HeldFile:
    """A ``.npy`` file that is mapped: what it says of itself, and how to keep it so for a while.

    It is opened once. Whoever opened it by name again might get another one, put in its place.
    """

    def __init__(self, path: Path) -> None:
        refuse_pipe(path)
        self._path = path
        self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        weakref.finalize(self, os.close, self._file)
        self._lock, self._holders = Lock(), 0
        with open(self._file, "rb", closefd=False) as file:
            self.header = read_npy_header(file, path)
        self._size = self.header.offset + self.header.n_bytes

    def mapped(self) -> np.memmap[Any, np.dtype[np.uint8]]:
        """Map the values, which are bytes; one must not touch them but while they are held."""
        with open(self._file, "rb", closefd=False) as file:
            try:
                return np.memmap(file, np.uint8, "r", self.header.offset, self.header.shape)
            except ValueError:  # shorter than its header said a moment ago
                self.check()
                raise

    def check(self) -> None:
        """Refuse to go on if the file is shorter now."""
        size = os.fstat(self._file).st_size
        if size < self._size:
            raise self._cut_short(size)

    def _cut_short(self, size: int) -> InvalidInput:
        return InvalidInput(
            f"{self._path} was cut short while it was in use: it had {self._size} bytes and "
            f"has {size}. Put a copy back, and open it again."
        )

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Keep everybody from writing to the file during a block; tells whether that is so.

        Of a file that was cut short already nothing is lent.
        """
        with self._lock:
            is_held = self._holders > 0 or _lease(self._file)
            self._holders += is_held
        try:
            self.check()
            yield is_held
        finally:
            with self._lock:
                self._holders -= is_held
                if is_held and self._holders == 0:
                    _give_back(self._file)

    def read(self, start: int, into: NDArray[np.uint8]) -> None:
        """Fill an array with the bytes from ``start`` on."""
        waiting = into.data
        while len(waiting):
            n_read = os.preadv(self._file, [waiting], start)
            if n_read == 0:  # whatever length it has by now: nobody waits for a file to come back
                raise self._cut_short(min(start, os.fstat(self._file).st_size))
            start, waiting = start + n_read, waiting[n_read:]


if sys.platform == "linux":
    import fcntl

    def _lease(file: int) -> bool:
        """Take a lease; tells whether it was given."""
        try:
            # who waits is announced by a signal, and the usual one would end the process
            fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError:
            return False
        return True

    def _give_back(file: int) -> None:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)

else:

    def _lease(file: int) -> bool:
        """Tell that nobody can cut a mapped file, which is so where bytes cannot be read apart."""
        return not hasattr(os, "preadv") or file < 0

    def _give_back(file: int) -> None:
        """Nothing was lent."""
