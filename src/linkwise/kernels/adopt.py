"""Take over a new clustering group by group, as far as the links ask for it."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def adopt_groups(member, share, source, target, i, j, must, weight, doubt):  # type: ignore[no-untyped-def]
    """Return which groups to move, adopting the surest gain first until none is sure.

    Parameters
    ----------
    member : float array of shape (n_rows, n_clusters)
        Present membership of the linked rows; changed in place as groups are adopted.
    share : float array of shape (n_groups, n_rows)
        Part of each row that moves with each group.
    source, target : int arrays of shape (n_groups,)
        Each group leaves one cluster and joins another.
    i, j : int arrays of shape (n_links,)
        Ends of the links.
    must : bool array of shape (n_links,)
        Kind of the links.
    weight : float array of shape (n_links,)
        What breaking each link costs.
    doubt : float
        A group is adopted if the total drop in cost exceeds this many standard errors.
    """
    n_groups = len(source)
    adopted = np.zeros(n_groups, dtype=np.bool_)
    while True:
        best, best_gain = -1, 0.0
        for g in range(n_groups):
            if adopted[g]:
                continue
            a, b = source[g], target[g]
            total, squares = 0.0, 0.0
            for link in range(len(i)):
                x, y = i[link], j[link]
                moves_x, moves_y = share[g, x], share[g, y]
                if moves_x == 0.0 and moves_y == 0.0:
                    continue
                together = (
                    (member[x, a] - moves_x) * (member[y, a] - moves_y)
                    + (member[x, b] + moves_x) * (member[y, b] + moves_y)
                    - member[x, a] * member[y, a]
                    - member[x, b] * member[y, b]
                )
                drop = weight[link] * (together if must[link] else -together)
                total += drop
                squares += drop * drop
            gain = total - doubt * np.sqrt(squares)
            if gain > best_gain:
                best, best_gain = g, gain
        if best < 0:
            return adopted
        adopted[best] = True
        for x in range(len(member)):
            member[x, source[best]] -= share[best, x]
            member[x, target[best]] += share[best, x]
