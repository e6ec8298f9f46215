"""Moves of linked rows when every cluster measures distances in its own way."""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit


@njit()
def move_groups_by_metric(  # type: ignore[no-untyped-def]
    cost, first, members, indptr, indices, weight, distance, farthest, labels
):
    """Move each group of rows to the cluster where rows plus broken links are cheapest.

    Group ``g`` is ``members[first[g]:first[g + 1]]`` and moves as one, if that is cheaper than
    where its rows are now. ``cost[i, k]`` is the price of row ``i`` in cluster ``k``; ``weight``
    holds the links in CSR order, negative for cannot-links, and ``distance[edge, k]`` how far apart
    the two rows are as cluster ``k`` sees it. A broken must-link costs the mean of its two
    clusters' distances, a broken cannot-link what it lacks to ``farthest[k]``. Rows labelled -1 do
    not count yet; ``labels`` is changed in place. Returns how many groups moved.
    """
    n_clusters = cost.shape[1]
    group_of = np.full(len(labels), -1)
    total = np.empty(n_clusters)
    moved = 0
    for g in range(len(first) - 1):
        group = members[first[g] : first[g + 1]]
        group_of[group] = g
        total[:] = 0.0
        now = 0.0
        settled = True
        for i in group:
            own = labels[i]
            settled = settled and own >= 0
            total += cost[i]
            now += cost[i, own] if own >= 0 else 0.0
            for edge in range(indptr[i], indptr[i + 1]):
                j = indices[edge]
                inside = group_of[j] == g
                if labels[j] < 0 and not inside:
                    continue
                share = 0.5 if inside else 1.0  # links inside the group are met twice
                now += share * _price(weight[edge], distance[edge], farthest, own, labels[j])
                for k in range(n_clusters):
                    other = k if inside else labels[j]
                    total[k] += share * _price(weight[edge], distance[edge], farthest, k, other)
        best = total.argmin()
        already = True
        for i in group:
            already = already and labels[i] == best
        if not already and (not settled or total[best] < now):
            moved += 1
            labels[group] = best
    return moved


@njit()
def _price(weight, distance, farthest, a, b):  # type: ignore[no-untyped-def]
    """Return what a link costs when its rows are in clusters ``a`` and ``b``."""
    if a < 0 or b < 0:
        return 0.0
    if weight > 0 and a != b:
        return 0.5 * weight * (distance[a] + distance[b])
    if weight < 0 and a == b:
        return -weight * max(farthest[a] - distance[a], 0.0)
    return 0.0
