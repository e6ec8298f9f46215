"""Questions worth asking, with what the clustering thinks and why it asks.

Big ones first: are two or three groups of rows one thing or several, with which of these does a row
belong, are two rows the same. Every tenth is a pair drawn at random, for honest evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.query import STRATEGIES, choose_pairs
from linkwise.query.situation import Pairs
from linkwise.session.events.event import Event
from linkwise.session.events.kinds import KINDS
from linkwise.session.state.labelling import State
from linkwise.session.state.view import View

#: Lead of a row's first cluster over its second below which it could go either way.
NEARLY_SPLIT = 0.4
#: One question in so many is a pair drawn at random.
DRAW_EVERY = 10
_TRIES = 100

QUESTION_KINDS = ("pair", "choice", "groups")
WHY_CHOICE = "One answer compares this row with an example of each group it may belong to."
WHY_GROUPS = "One answer tells whether these are one cluster or two."
WHY_THREE = "One answer tells whether these are one cluster, two or three."
WHY_DRAWN = "This pair was drawn at random, to see how often the clustering is right."
WHY_AGAIN = "The other answers speak against what was said of this pair."

Unwanted = set[tuple[int, int]]


@dataclass(frozen=True)
class Question:
    """Are rows ``i`` and ``j`` the same? ``guess`` is what the clustering says so far.

    Attributes
    ----------
    i, j : int
        Two rows; of a bigger question, the two that stand for it.
    guess, why : str
        What the clustering thinks, and why it asks.
    kind : {"pair", "choice", "groups"}
        "choice": with which of ``among`` does row ``i`` belong? "groups": are ``one`` and
        ``other`` one thing or two, or with ``third``, where it is not empty, one, two or three?
    among, one, other, third : tuple of int
        The rows that a bigger question shows.
    drawn : bool
        Whether the pair was drawn at random.
    again : int or None
        The answer that is doubted, where the pair is asked about once more.
    """

    i: int
    j: int
    guess: str
    why: str
    kind: str = "pair"
    among: tuple[int, ...] = ()
    one: tuple[int, ...] = ()
    other: tuple[int, ...] = ()
    third: tuple[int, ...] = ()
    drawn: bool = False
    again: int | None = None

    @property
    def pair(self) -> tuple[int, int]:
        """What the question goes by: its two rows, or its one row where it is a choice."""
        if self.kind == "choice":
            return self.i, self.i
        return min(self.i, self.j), max(self.i, self.j)


def ask(
    model: SequentialClustering,
    view: View,
    state: State,
    n: int,
    strategy: str,
    skip: Iterable[tuple[int, int]],
    name: Callable[[int], str],
) -> list[Question]:
    """Return up to ``n`` questions; pairs that nobody could tell are not asked again."""
    unwanted = {(min(p), max(p)) for p in skip} | {(i, j) for i, j in state.unsure.tolist()}
    pairs = choose_pairs(model, n, strategy, unwanted)
    whys = _whys(model, view, state, pairs, STRATEGIES[strategy].why, name)
    return [
        Question(i, j, guess(view.labels, i, j), why)
        for (i, j), why in zip(pairs.tolist(), whys, strict=True)
    ]


def ask_choices(
    model: SequentialClustering, view: View, state: State, n: int, skip: Unwanted
) -> list[Question]:
    """Return up to ``n`` rows to place; what nobody could tell of a row is not asked again.

    The order of the examples tells nothing of what the clustering thinks.
    """
    skip = skip | {(i, j) for i, j in state.unsure.tolist()}
    found: list[Question] = []
    for row, examples in model.query(n + 2 * len(skip), kind="choice"):
        among = tuple(sorted(e for e in examples if (min(row, e), max(row, e)) not in skip))
        if among and (row, row) not in skip:
            expected = guess(view.labels, row, among[0])
            found.append(Question(row, among[0], expected, WHY_CHOICE, "choice", among))
        if len(found) == n:
            break
    return found


def ask_groups(
    model: SequentialClustering, view: View, state: State, n: int, skip: Unwanted
) -> list[Question]:
    """Return up to ``n`` questions about groups; those somebody joined or split are settled.

    The halves of a cluster are shown together with another cluster that is much alike, where both
    are to be asked about: one answer tells both. Where nobody could tell, they are asked singly.
    """
    unsure = {(i, j) for i, j in state.unsure.tolist()}
    waiting = []
    for one, other in model.query(n + len(skip | unsure) + 2 * len(view.clusters), kind="groups"):
        i, j = one[0], other[0]
        expected, by_model = guess(view.labels, i, j), guess(model.labels_, i, j)
        question = Question(i, j, expected, WHY_GROUPS, "groups", one=one, other=other)
        if question.pair not in skip | unsure and (not state.changes or expected == by_model):
            waiting.append(question)
    found: list[Question] = []
    while waiting and len(found) < n:
        question = waiting.pop(0)
        for later in waiting:
            three = _three_groups(question, later, model.labels_)
            if three is not None and three.pair not in unsure:
                waiting.remove(later)
                question = three
                break
        if question.pair not in skip:
            found.append(question)
    return found


def _three_groups(a: Question, b: Question, labels: NDArray[np.integer[Any]]) -> Question | None:
    """Return halves of a cluster, and a cluster it may be one with, as one question of three.

    None where the two questions are not of that sort. The order of the groups tells nothing.
    """
    halves, alike = (a, b) if labels[a.i] == labels[a.j] else (b, a)
    cluster, ends = labels[halves.i], labels[[alike.i, alike.j]]
    if labels[halves.j] != cluster or ends[0] == ends[1] or cluster not in ends:
        return None
    beside = alike.other if ends[0] == cluster else alike.one
    i = halves.j if halves.i in (alike.i, alike.j) else halves.i  # no pair that is asked singly
    groups = (halves.one, halves.other, beside)
    first = (i + beside[0]) % 3
    one, other, third = (*groups[first:], *groups[:first])
    return Question(
        i, beside[0], "different", WHY_THREE, "groups", one=one, other=other, third=third
    )


def draw_pair(view: View, skip: Unwanted, number: int) -> Question | None:
    """Draw the ``number``-th pair at random: of one cluster and of two clusters in turns."""
    labels = view.labels
    rng = np.random.default_rng([len(labels), number])
    rows = np.flatnonzero(labels != view.nowhere) if view.nowhere is not None else None
    choices = np.arange(len(labels)) if rows is None else rows
    for _ in range(_TRIES if len(choices) > 1 else 0):
        i = int(rng.choice(choices))
        others = choices[(labels[choices] == labels[i]) == (number % 2 == 0)]
        others = others[others != i]
        if len(others) == 0:
            continue
        j = int(rng.choice(others))
        if (min(i, j), max(i, j)) not in skip:
            low, high = min(i, j), max(i, j)
            return Question(low, high, guess(labels, low, high), WHY_DRAWN, drawn=True)
    return None


def _whys(
    model: SequentialClustering,
    view: View,
    state: State,
    pairs: Pairs,
    otherwise: str,
    name: Callable[[int], str],
) -> list[str]:
    """Say between which clusters the less sure row of each pair hangs, where one does."""
    if not len(pairs) or state.changes or model.n_clusters_ < 2:
        return [otherwise] * len(pairs)
    unsure = pairs[np.arange(len(pairs)), view.margins[pairs].argmin(axis=1)]
    votes = model.votes(unsure)
    names = {cluster.number: cluster.name for cluster in view.clusters}
    whys = []
    for row, share in zip(unsure.tolist(), votes, strict=True):
        first, second = np.argsort(-share, kind="stable")[:2].tolist()
        split = share[first] - share[second] < NEARLY_SPLIT
        known = first in names and second in names
        between = f"Between {names.get(min(first, second))} and {names.get(max(first, second))} "
        whys.append(f"{between}{name(row)} could go either way." if split and known else otherwise)
    return whys


def guess(labels: NDArray[np.integer[Any]], i: int, j: int) -> str:
    """Return what the labels say about a pair."""
    return "same" if labels[i] == labels[j] else "different"


def pairs_since(events: Iterable[Event]) -> set[tuple[int, int]]:
    """Return the pairs that these events answer."""
    answered = set()
    for event in events:
        if compared := KINDS[event.kind].effect.pair:
            i, j, _ = compared(event.payload)
            answered.add((min(i, j), max(i, j)))
    return answered
