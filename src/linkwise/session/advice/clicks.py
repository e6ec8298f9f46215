"""Clicks: answers as people count them. One may be several events, and is one answer.

*Two things* is recorded as rows that are together and pairs that differ, a choice as a pair with
each example. The page gives the events of one click keys that begin alike, ``abc#0``, ``abc#1``.
"""

from __future__ import annotations

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from linkwise.session.events.event import Event
from linkwise.session.events.kinds import KINDS
from linkwise.session.journal.log import UNSURE
from linkwise.session.state.history import History

#: What stands between the key of a click and the place of an event in it.
MARK = "#"


def click_of(event: Event) -> str:
    """Return what the events of one click have in common."""
    head, mark, _ = (event.key or "").rpartition(MARK)
    return head if mark else f"{MARK}{event.seq}"


def answers(event: Event) -> bool:
    """Tell whether an event says of rows that they are the same or different, or cannot be told."""
    effect = KINDS[event.kind].effect
    return effect.pair is not None or (
        effect.rows is not None and effect.rows(event.payload)[1] is None
    )


class Clicks:
    """The answers of a session, click by click; every event is read once."""

    def __init__(self, history: History) -> None:
        self._history, self._lock = history, Lock()
        self._read_to, self._last = 0, ""
        self._events: list[int] = []  # that answer
        self._click: list[int] = []  # which click each of them is part of
        self._ends: list[int] = []  # the last event of each click

    def ends(self) -> list[int]:
        """Return the last event of every click that answered, standing or not."""
        with self._lock:
            self._catch_up()
            return list(self._ends)

    def halves(self, seq: int) -> tuple[set[int], set[int]]:
        """Return the events of every other click among the first ``seq`` events, and the rest."""
        with self._lock:
            self._catch_up()
            said = [(e, c % 2) for e, c in zip(self._events, self._click, strict=True) if e <= seq]
        odd = {event for event, parity in said if parity}
        return odd, {event for event, _ in said} - odd

    def count(self) -> tuple[int, int]:
        """Return how many clicks stand, at least in part, and how many of them tell nothing."""
        with self._lock:
            self._catch_up()
            events = np.array(self._events, dtype=np.int64) - 1
            click = np.array(self._click, dtype=np.int64)
        with self._history.lock:
            log = self._history.log
            stands = log.standing(log.n)[events]
            tells = ~log.compares(log.n)[events] | (log.column("verdict")[events] != UNSURE)
        told, all_ = _distinct(click[stands & tells]), _distinct(click[stands])
        return all_, all_ - told

    def _catch_up(self) -> None:
        for event in self._history.read(self._read_to):
            self._read_to = event.seq
            if not answers(event):
                continue
            click = click_of(event)
            if click == self._last:
                self._ends[-1] = event.seq
            else:
                self._ends.append(event.seq)
            self._last = click
            self._events.append(event.seq)
            self._click.append(len(self._ends))


def _distinct(values: NDArray[np.int64]) -> int:
    return len(np.unique(values))
