"""Compiling the kernels: announced, and kept for the next process where a file can be written.

A kernel is compiled when it is first called, for the processor that calls it. That can take long
enough for people to wonder, so the first time is said in one line to whoever looks on.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core import caching, dispatcher, event

ANNOUNCEMENT = (
    "linkwise compiles its inner loops for this processor, which can take half a minute{kept}."
)
KEPT = " and is kept for the next time"
NOT_KEPT = (
    " in every process: no folder can be written to keep them. NUMBA_CACHE_DIR names one that can"
)

_log = logging.getLogger(__name__)


def njit(fastmath: bool | set[str] = False) -> Any:
    """Return a decorator that compiles a function, which then lets go of the interpreter.

    What was compiled is kept in a file beside the source, or else in the home folder. Where neither
    can be written, as in many containers, or the disk is full, it is compiled anew in every
    process. ``fastmath`` is numba's.
    """

    def decorate(function: Callable[..., object]) -> Any:
        try:
            with _kept_if_there_is_room():
                return numba.njit(cache=True, nogil=True, fastmath=fastmath)(function)
        except RuntimeError as error:
            if "cannot cache function" not in str(error):
                raise
            announcer.kept = NOT_KEPT
            return numba.njit(nogil=True, fastmath=fastmath)(function)

    return decorate


class KeptIfThereIsRoom(caching.FunctionCache):
    """Lets a disk that is full, or a folder that is gone, cost the next process its time alone."""

    def save_overload(self, signature: object, data: object) -> None:
        try:
            super().save_overload(signature, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            if announcer.kept != NOT_KEPT:  # once is enough
                announcer.kept = NOT_KEPT
                _log.warning("what was compiled is not kept for the next time: %s", error)


@contextmanager
def _kept_if_there_is_room() -> Iterator[None]:
    """Have functions that are decorated meanwhile kept this way; numba has no option for it."""
    module: Any = dispatcher
    usual = module.FunctionCache
    module.FunctionCache = KeptIfThereIsRoom
    try:
        yield
    finally:
        module.FunctionCache = usual


class Announcer(event.Listener):
    """Says once that something of ours is compiled, and nothing about what was kept."""

    def __init__(self) -> None:
        self.kept = KEPT
        self.is_silent = False

    def on_start(self, event: event.Event) -> None:
        module = event.data["dispatcher"].py_func.__module__
        if self.is_silent or not module.startswith("linkwise."):
            return
        self.is_silent = True
        line = ANNOUNCEMENT.format(kept=self.kept)
        _log.info(line)
        if _somebody_looks_on():
            sys.stderr.write(f"{line}\n")

    def on_end(self, event: event.Event) -> None:
        """Nothing is said any more."""


def _somebody_looks_on() -> bool:
    """Tell whether what is written is read at once: on a terminal, or in a notebook."""
    return sys.stderr is not None and (sys.stderr.isatty() or hasattr(sys, "ps1"))


announcer = Announcer()
event.register("numba:compile", announcer)  # type: ignore[no-untyped-call]
