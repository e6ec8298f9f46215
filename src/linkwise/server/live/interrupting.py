"""Work that can be ended between two steps, so that nobody who stops the service waits for it.

Labels of very many answers take a while, and what is computed is never needed: the journal holds
everything that was said, and the next start computes the labels again. So a thread that computes
is ended from outside: the interpreter raises :class:`Interrupted` in it before its next step in
Python. That is done when the service ends and at no other time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from threading import Lock, get_ident
from typing import TypeVar

Result = TypeVar("Result")


class Interrupted(BaseException):  # not an Exception: nobody on the way may hold it up
    """The work was ended from outside."""


class Interruptible:
    """Threads whose work may be ended at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._threads: set[int] = set()
        self._over = False

    def run(self, work: Callable[[], Result]) -> Result:
        """Return what ``work`` returns, or raise :class:`Interrupted`.

        An interruption that falls into a call from another language, such as one of the compiler's,
        is forgotten there, and what was left undone fails later: that is an interruption, too.
        """
        with self._lock:
            if self._over:
                raise Interrupted
            self._threads.add(get_ident())
        try:
            return work()
        except Exception:
            if self._over:
                raise Interrupted from None
            raise
        finally:
            with self._lock:  # whoever is interrupted from here on is so before this ends
                self._threads.discard(get_ident())

    def interrupt(self) -> None:
        """End all work, and begin no other."""
        with self._lock:
            self._over = True
            for thread in self._threads:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(thread), ctypes.py_object(Interrupted)
                )
