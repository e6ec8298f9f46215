"""Dealing: a question goes to one person at a time, unless two are to be compared."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from threading import Lock

from linkwise.session.advice.people import Pair, Verdicts
from linkwise.session.advice.questions import Question

#: Seconds for which a question belongs to who got it.
LEASE = 600.0
#: Pairs drawn at random that are remembered as such until they are answered.
MOST_DRAWN = 10_000
#: Questions at least from one doubted answer that somebody is asked about again to the next.
AGAIN_EVERY = 5
SECOND_OPINION = "Somebody else has answered this: a second opinion shows how far people agree."


class Desk:
    """Remembers who was given which question; forgotten when the session closes.

    Whoever deals takes ``lock``, chooses, and deals before letting go.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held: dict[Pair, tuple[str, float]] = {}
        self._owed: dict[str, float] = defaultdict(float)
        self._drawn: dict[Pair, None] = {}
        self._again: dict[str, tuple[int, Pair]] = {}
        self.lock = Lock()

    def others(self, who: str) -> dict[Pair, str]:
        """Return the pairs that somebody else is being asked about, and whom."""
        now = self._clock()
        self._held = {pair: held for pair, held in self._held.items() if held[1] > now}
        return {pair: holder for pair, (holder, _) in self._held.items() if holder != who}

    def deal(self, who: str, questions: Iterable[Question]) -> None:
        """Give questions to somebody for a while; those given before stay theirs."""
        until = self._clock() + LEASE
        for question in questions:
            self._held[question.pair] = (who, until)

    def hand_over(self, formerly: str, who: str) -> None:
        """Let what was given to somebody under a former name be theirs under the new one."""
        for pair, (holder, until) in self._held.items():
            if holder == formerly:
                self._held[pair] = who, until

    def ask_again(self, who: str, asked: int, doubted: Sequence[Pair]) -> Pair | None:
        """Return which of the pairs doubted somebody is to be asked about now, if any.

        It is theirs until it is settled; then some other questions come before the next.
        """
        at, last = self._again.get(who, (-AGAIN_EVERY, None))
        if last in doubted:
            return last
        if not doubted or at <= asked < at + AGAIN_EVERY:
            return None
        self._again[who] = asked, doubted[0]
        return doubted[0]

    def remember_drawn(self, questions: Iterable[Question]) -> None:
        """Know of pairs that were drawn at random, whoever is asked about them."""
        for question in questions:
            if question.drawn:
                self._drawn[question.pair] = None
        while len(self._drawn) > MOST_DRAWN:
            del self._drawn[next(iter(self._drawn))]

    def was_drawn(self, i: int, j: int) -> bool:
        """Tell whether somebody was given this pair because it was drawn at random."""
        return (min(i, j), max(i, j)) in self._drawn

    def second_opinions_owed(self, who: str, n: int, overlap: float) -> int:
        """Return how many of somebody's next ``n`` questions are to be second opinions.

        In the long run it is the share ``overlap`` of them, also when they come one by one.
        """
        self._owed[who] += n * overlap
        owed = min(n, int(self._owed[who]))
        self._owed[who] -= owed
        return owed


def second_opinions(
    verdicts: Verdicts, who: str, n: int, held: dict[Pair, str], skip: set[Pair]
) -> list[Pair]:
    """Return up to ``n`` pairs that others told and ``who`` did not, those told least first."""
    told = [
        (len(said), pair)
        for pair, said in verdicts.items()
        if who not in said and set(said.values()) != {"unsure"} and pair not in skip
        if pair not in held or held[pair] in said
    ]
    return [pair for _, pair in sorted(told)[:n]]
