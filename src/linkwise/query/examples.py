"""Strategies that show a landmark beside an example of a cluster.

The example of a cluster is the landmark that most answers are about, else the one with the surest
vote. A landmark must-linked to an example, through whatever chain, is placed and left alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwise.constraints.known_pairs import MAX_TRIES
from linkwise.query.situation import Floats, Ints, Pairs, Situation, as_pairs


def margin(situation: Situation, n: int) -> Pairs:
    """Ask about landmarks whose vote is nearly split, beside the cluster that leads."""
    order = np.argsort(situation.margin, kind="stable")
    return _ask(situation, n, order, lambda a: -situation.votes[a])


def disagreement(situation: Situation, n: int) -> Pairs:
    """Ask where the ensemble is most of two minds.

    Landmarks are taken in a random order, so that the answers stand for the whole data, each beside
    the cluster of whose votes it has most nearly half.
    """
    return _ask(situation, n, situation.order, lambda a: np.abs(situation.votes[a] - 0.5))


def _ask(situation: Situation, n: int, order: Ints, reluctance: Callable[[int], Floats]) -> Pairs:
    """Show each landmark the example of the cluster with the least reluctance not yet compared."""
    examples = _examples(situation)
    real = examples[examples >= 0]
    placed = set(situation.group[real].tolist())
    chosen: list[tuple[int, int]] = []
    for a in order.tolist():
        group = int(situation.group[a])
        if group in placed:
            continue
        for cluster in np.argsort(reluctance(a), kind="stable")[:MAX_TRIES].tolist():
            b = int(examples[cluster])
            if b >= 0 and not situation.known(a, b):
                chosen.append((a, b))
                placed.add(group)  # one question about it at a time
                break
        if len(chosen) == n:
            break
    return as_pairs(chosen)


def _examples(situation: Situation) -> Ints:
    """Return the example of each cluster; -1 where a cluster has no landmark."""
    both = np.concatenate([situation.links.must, situation.links.cannot])
    n_answers = np.bincount(both.ravel(), minlength=situation.n_landmarks)
    examples = np.full(situation.n_clusters, -1, dtype=np.int64)
    for c in range(situation.n_clusters):
        members = np.flatnonzero(situation.labels == c)
        if len(members):
            order = np.lexsort((-situation.margin[members], -n_answers[members]))
            examples[c] = members[order[0]]
    return examples
