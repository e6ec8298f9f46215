"""Looks: what the answers say about the clustering as a whole, and what of it lasts.

Which number of clusters foretells the answers best changes with a few of them, and one click may
say a lot about few rows. So a number counts only if every other click, heard alone, speaks for it
by what any change must be worth, and so do the rest of them. It is looked at after every five
answers, by the answers there were then, and what is proposed is the median of the last five looks:
it takes three of them to propose a number, and three to take it back. All of it is a function of
the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from linkwise.cluster.sequential.answers import CHANGE
from linkwise.cluster.sequential.follow import Proposal, Weighing, least_gain
from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.session.state.labelling import State

#: Answers until the first look, from one look to the next at least, and as a share of all.
FIRST, EVERY, SHARE = 20, 5, 0.1
#: So many looks count.
COUNTED = 5
#: Pairs told from which on it is said that they do not fit the columns.
ENOUGH_TO_JUDGE = 50


class Look(NamedTuple):
    """What the first ``seq`` events said: of so many clusters, by so many answers and pairs.

    ``found`` is what all answers say, ``proposal`` another number that each half of them speaks
    for.
    """

    seq: int
    answers: int
    pairs: int
    number: int
    found: Weighing
    proposal: Proposal | None

    @property
    def k(self) -> int:
        """The number of clusters they spoke for."""
        return self.number if self.proposal is None else self.proposal.k

    @property
    def most(self) -> float:
        """By how many nats any number foretold the answers better than the share of "same"."""
        better = self.found.proposal.gain if self.found.proposal is not None else 0.0
        return self.found.gain + better


def look_at(
    state: State, answers: int, model: SequentialClustering, halves: Sequence[set[int]]
) -> Look:
    """Look at what was said, with the model that was told nothing of it."""
    said, number = state.statements, state.number
    found = model.weigh_k(*said.told(number))
    proposal = found.proposal
    if proposal is not None:
        parts = [said.of(half).told(number) for half in halves]
        gains = [model.compare_k(proposal.k, *part) for part in parts]
        proposal = proposal if min(gains) > CHANGE else None
    return Look(state.seq, answers, len(said.seq), number, found, proposal)


@dataclass(frozen=True)
class Weighed:
    """What the answers say about the clustering as a whole.

    Attributes
    ----------
    answers : int
        How many there were at the last look.
    proposal : Proposal or None
        Another number of clusters that they speak for, and have for a while.
    fits : bool
        Whether what rows are grouped by has to do with what was said; True while unknown.
    settled : bool
        Whether the last look found nothing that may be better, neither another number nor columns.
    """

    answers: int = 0
    proposal: Proposal | None = None
    fits: bool = True
    settled: bool = True


def moments(n_answers: int) -> list[int]:
    """Return after how many answers there is a look, up to ``n_answers``."""
    found, at = [], FIRST
    while at <= n_answers:
        found.append(at)
        at += max(EVERY, int(SHARE * at))
    return found


def weigh(looks: list[Look]) -> Weighed:
    """Return what lasts of the last looks, which were about the same number of clusters."""
    if not looks:
        return Weighed()
    last, number = looks[-1], looks[-1].number
    silent = [number] * (COUNTED - len(looks))
    k = median([look.k for look in looks] + silent)
    agreeing = [look.proposal for look in looks if look.k == k]
    judged = [look.most for look in looks if look.pairs >= ENOUGH_TO_JUDGE]
    fits = not judged or median(judged) > least_gain()
    return Weighed(
        last.answers,
        None if k == number else agreeing[-1],
        fits,
        settled=fits and last.found.proposal is None,
    )


class Looks:
    """The last looks at a session.

    Parameters
    ----------
    ends : callable
        Returns the last event of every answer.
    number : callable
        Returns how many clusters there were after an event.
    look : callable
        ``look(seq, answers)`` looks at the first ``seq`` events; takes some seconds.
    """

    def __init__(
        self,
        ends: Callable[[], list[int]],
        number: Callable[[int], int],
        look: Callable[[int, int], Look],
    ) -> None:
        self._ends, self._number, self._look = ends, number, look
        self._known: dict[int, Look] = {}

    def due(self, present: int) -> list[tuple[int, int]]:
        """Return when to have looked: events and answers, of the last looks that count.

        Those before there were ``present`` clusters count no more.
        """
        ends = self._ends()
        last = [(ends[at - 1], at) for at in moments(len(ends))[-COUNTED:]]
        for place, (seq, _) in reversed(list(enumerate(last))):
            if self._number(seq) != present:
                return last[place + 1 :]
        return last

    def is_behind(self, present: int) -> bool:
        """Tell whether something is to be looked at."""
        return any(seq not in self._known for seq, _ in self.due(present))

    def take(self, present: int) -> Weighed:
        """Look at what was not looked at yet; what was found stays, also if one is cancelled."""
        due = self.due(present)
        for seq, answers in due:
            if seq not in self._known:
                self._known[seq] = self._look(seq, answers)
        self._known = {seq: self._known[seq] for seq, _ in due}
        return weigh(list(self._known.values()))
