"""Strategies that grow neighbourhoods: find one example of every cluster, then sort others in.

A neighbourhood is a set of landmarks known to belong together; any two of them are known to be
different. Exploring asks about the landmark that looks least like all neighbourhoods, until there
are as many as clusters. Then a landmark is compared with the neighbourhoods, the likeliest first,
until one of them is the right one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwise.constraints.known_pairs import MAX_TRIES
from linkwise.query.situation import Floats, Ints, Pairs, Situation, as_pairs

#: Landmarks of a neighbourhood that others are compared with.
N_COMPARED = 3
#: Beyond so many neighbourhoods one of each has to do.
FEW_NEIGHBOURHOODS = 30


def explore_consolidate(situation: Situation, n: int) -> Pairs:
    """Explore, then sort in landmarks in a random order (Basu, Banerjee, Mooney, 2004)."""
    return _grow(situation, n, lambda _: situation.order)


def min_max(situation: Situation, n: int) -> Pairs:
    """Explore, then sort in the landmark least like anything known (Mallapragada et al., 2008)."""
    return _grow(situation, n, lambda likeness: np.argsort(likeness, kind="stable"))


def _grow(situation: Situation, n: int, order: Callable[[Floats], Ints]) -> Pairs:
    """Explore while clusters are missing an example, then sort in landmarks in an ``order``."""
    neighbourhoods = _neighbourhoods(situation)
    if not neighbourhoods:
        first = int(np.argmax(situation.margin))
        neighbourhoods = [np.array([first])]
    likeness = _likeness(situation, neighbourhoods)
    nearest = likeness.max(axis=1)
    exploring = len(neighbourhoods) < situation.n_clusters
    ranked = np.argsort(nearest, kind="stable") if exploring else order(nearest)
    tries = len(neighbourhoods) if exploring else min(MAX_TRIES, len(neighbourhoods))
    return _ask(situation, n, ranked, likeness, [int(one[0]) for one in neighbourhoods], tries)


def _ask(
    situation: Situation, n: int, ranked: Ints, likeness: Floats, examples: list[int], tries: int
) -> Pairs:
    """Show each landmark, in the order given, the next example it has not been compared with.

    Landmarks that have been compared with some example come first: what was begun is finished.
    """
    begun: list[tuple[int, int]] = []
    fresh: list[tuple[int, int]] = []
    used: set[int] = set()
    neighbourhoods = {int(situation.group[b]) for b in examples}
    for a in ranked.tolist():
        group = int(situation.group[a])
        if group in used or group in neighbourhoods:
            continue
        nearest = np.argsort(-likeness[a], kind="stable")[:tries].tolist()
        refused = [k for k in nearest if situation.known(a, examples[k])]
        waiting = [k for k in nearest if k not in refused]
        if waiting:
            used.add(group)
            (begun if refused else fresh).append((a, examples[waiting[0]]))
        if len(fresh) >= n + 5 and len(used) > 200:
            break
    return as_pairs([*begun, *fresh][:n])


def _neighbourhoods(situation: Situation) -> list[Ints]:
    """Return sets of landmarks known to be pairwise different, the best known first."""
    linked = situation.group[situation.links.linked_rows]
    groups, counts = np.unique(linked, return_counts=True)
    chosen: list[Ints] = []
    for g in groups[np.argsort(-counts, kind="stable")].tolist():
        members = np.flatnonzero(situation.group == g)
        a = int(members[0])
        if all(situation.known(a, int(one[0])) for one in chosen):
            chosen.append(members)
        if len(chosen) == situation.n_clusters:
            break
    return chosen


def _likeness(situation: Situation, neighbourhoods: list[Ints]) -> Floats:
    """Return how often landmarks share a block with the surest members of each neighbourhood."""
    n_compared = N_COMPARED if len(neighbourhoods) <= FEW_NEIGHBOURHOODS else 1
    shown = [
        one[np.argsort(-situation.margin[one], kind="stable")[:n_compared]]
        for one in neighbourhoods
    ]
    everyone = np.arange(situation.n_landmarks)
    share = situation.together(np.concatenate(shown), everyone)
    first = np.concatenate([[0], np.cumsum([len(members) for members in shown])[:-1]])
    size = np.array([len(members) for members in shown])
    return np.asarray((np.add.reduceat(share, first, axis=0) / size[:, None]).T)
