"""Questions: pairs worth asking about, with what the clustering thinks and why it asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.query import STRATEGIES, choose_pairs
from linkwise.query.situation import Pairs
from linkwise.session.events.event import Event
from linkwise.session.events.kinds import KINDS
from linkwise.session.state.labelling import Labels, State
from linkwise.session.state.view import View

#: Lead of a row's first cluster over its second below which it could go either way.
NEARLY_SPLIT = 0.4


@dataclass(frozen=True)
class Question:
    """Are rows ``i`` and ``j`` the same? ``guess`` is what the clustering says so far."""

    i: int
    j: int
    guess: str
    why: str


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


def guess(labels: Labels, i: int, j: int) -> str:
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
