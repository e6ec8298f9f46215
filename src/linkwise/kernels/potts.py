"""A few things that attract each other or push each other away: groups of them.

Groups are worth the sum of the couplings between all pairs of things that share one.
"""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit

_LEAST_GAIN = 1e-9


@njit()
def worth(couplings, labels):  # type: ignore[no-untyped-def]
    """Return the sum of the couplings between things of one group."""
    total = 0.0
    for a in range(len(labels)):
        for b in range(a):
            if labels[a] == labels[b]:
                total += couplings[a, b]
    return total


@njit()
def polish(couplings, labels, n_groups):  # type: ignore[no-untyped-def]
    """Move one thing at a time, the one that gains most, while any does; return the labels.

    The last thing of a group stays: there are as many groups as somebody asked for.
    """
    labels = labels.copy()
    n = len(labels)
    size = np.bincount(labels, minlength=n_groups)
    pull = np.zeros((n, n_groups))
    for a in range(n):
        for b in range(n):
            if a != b:
                pull[a, labels[b]] += couplings[a, b]
    while True:
        best, thing, group = _LEAST_GAIN, -1, -1
        for a in range(n):
            if size[labels[a]] == 1:
                continue
            for c in range(n_groups):
                if pull[a, c] - pull[a, labels[a]] > best:
                    best, thing, group = pull[a, c] - pull[a, labels[a]], a, c
        if thing < 0:
            return labels
        for b in range(n):
            if b != thing:
                pull[b, labels[thing]] -= couplings[b, thing]
                pull[b, group] += couplings[b, thing]
        size[labels[thing]] -= 1
        size[group] += 1
        labels[thing] = group


@njit()
def cut(couplings, members):  # type: ignore[no-untyped-def]
    """Return which of the members to part from the others, and what that gains.

    From each member alone on its side, one changes sides while that gains; the best end counts.
    """
    m = len(members)
    chosen, most = np.zeros(m, dtype=np.bool_), -np.inf
    for seed in range(m):
        side = np.zeros(m, dtype=np.bool_)
        side[seed] = True
        n_apart = 1
        hold = np.zeros(m)  # what keeps each member on its side
        for k in range(m):
            for q in range(m):
                if q != k:
                    bond = couplings[members[k], members[q]]
                    hold[k] += bond if side[q] == side[k] else -bond
        while True:
            least, mover = -_LEAST_GAIN, -1
            for k in range(m):
                alone = n_apart == 1 if side[k] else n_apart == m - 1
                if hold[k] < least and not alone:
                    least, mover = hold[k], k
            if mover < 0:
                break
            side[mover] = not side[mover]
            n_apart += 1 if side[mover] else -1
            hold[mover] = -hold[mover]
            for q in range(m):
                if q != mover:
                    bond = 2.0 * couplings[members[mover], members[q]]
                    hold[q] += bond if side[q] == side[mover] else -bond
        gain = 0.0
        for k in range(m):
            for q in range(k):
                if side[k] != side[q]:
                    gain -= couplings[members[k], members[q]]
        if gain > most:
            chosen, most = side, gain
    return chosen, most


@njit()
def give_up(couplings, labels, n_groups, freed):  # type: ignore[no-untyped-def]
    """Return the labels when the things of a group go where they are attracted most."""
    n = len(labels)
    after = labels.copy()
    for a in range(n):
        if labels[a] == freed:
            pull = np.zeros(n_groups)
            for b in range(n):
                if labels[b] != freed:
                    pull[labels[b]] += couplings[a, b]
            pull[freed] = -np.inf
            after[a] = pull.argmax()
    return after


@njit()
def exchanges(couplings, labels, n_groups, n_tried):  # type: ignore[no-untyped-def]
    """Give up each group in turn and cut each other in two; polish what comes out.

    Of many groups, the ``n_tried`` that are given up most cheaply, and of the others those whose
    cut gains most. Returns the labels, one exchange a row, and what each is worth.
    """
    n = len(labels)
    cost = np.zeros(n_groups)
    for freed in range(n_groups):
        cost[freed] = -worth(couplings, give_up(couplings, labels, n_groups, freed))
    given = np.argsort(cost)[:n_tried]
    found = np.empty((len(given) * n_tried, n), dtype=np.int64)
    values = np.empty(len(found))
    count = 0
    for freed in given:
        without = give_up(couplings, labels, n_groups, freed)
        gains = np.full(n_groups, -np.inf)
        apart = np.zeros(n, dtype=np.bool_)
        for c in range(n_groups):
            members = np.flatnonzero(without == c)
            if len(members) > 1 and c != freed:
                side, gains[c] = cut(couplings, members)
                apart[members] = side
        for c in np.argsort(-gains)[:n_tried]:
            if gains[c] > -np.inf:
                new = np.where((without == c) & apart, freed, without)
                found[count] = polish(couplings, new, n_groups)
                values[count] = worth(couplings, found[count])
                count += 1
    return found[:count], values[:count]
