"""People: how far those who answered about the same pairs agree, and how much each is to be heard.

A person's weight follows from how often the others, asked about the same pair, said the same;
:mod:`linkwise.session.state.weights` says how, and gives it to their answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from linkwise.session.events.event import Event
from linkwise.session.events.kinds import KINDS
from linkwise.session.state.weights import weight_of

Pair = tuple[int, int]
#: What each person said last of each pair.
Verdicts = dict[Pair, dict[str, str]]


@dataclass(frozen=True)
class Person:
    """Somebody who answered.

    Attributes
    ----------
    who : str
        The name they answer by; "" are all who gave none.
    answers, unsure : int
        Pairs they spoke about, and those among them they could not tell.
    compared, agreed : int
        Times that somebody else told the same pair, and that both said the same.
    weight : float
        How much they are to be heard, 0 to 1, going by these.
    """

    who: str
    answers: int
    unsure: int
    compared: int
    agreed: int
    weight: float


@dataclass(frozen=True)
class Agreement:
    """Two people, how many pairs both told, and of how many they said the same."""

    first: str
    second: str
    compared: int
    agreed: int


@dataclass(frozen=True)
class People:
    """Everybody who answered, by name, and any two who told the same pairs."""

    people: list[Person]
    agreements: list[Agreement]


def last_verdicts(events: Iterable[Event]) -> Verdicts:
    """Return what everybody said last of each pair, as far as it stands."""
    found: Verdicts = defaultdict(dict)
    for event in events:
        compared = KINDS[event.kind].effect.pair
        if compared and event.undone_by is None:
            i, j, verdict = compared(event.payload)
            found[min(i, j), max(i, j)][event.who] = verdict
    return found


def measure_people(events: Iterable[Event]) -> People:
    """Compare those who answered; who gave no name is compared with those who did."""
    verdicts = last_verdicts(events)
    answers: dict[str, int] = defaultdict(int)
    unsure: dict[str, int] = defaultdict(int)
    shared: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for said in verdicts.values():
        for who, verdict in said.items():
            answers[who] += 1
            unsure[who] += verdict == "unsure"
        sure = sorted(who for who, verdict in said.items() if verdict != "unsure")
        for first, second in combinations(sure, 2):
            shared[first, second].append(said[first] == said[second])
    agreements = [
        Agreement(first, second, len(same), sum(same))
        for (first, second), same in sorted(shared.items())
    ]
    people = []
    for who in sorted(answers):
        own = [pair for pair in agreements if who in (pair.first, pair.second)]
        compared, agreed = sum(p.compared for p in own), sum(p.agreed for p in own)
        weight = weight_of(agreed, compared)
        people.append(Person(who, answers[who], unsure[who], compared, agreed, weight))
    return People(people, agreements)
