"""Give neighbours different clusters: a cheap colouring of a graph, with stepping back."""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit

COLOURED = 1 << 60  # larger than any priority of a node that still waits


@njit()
def colour_groups(cost, indptr, indices, max_retreats):  # type: ignore[no-untyped-def]
    """Colour the nodes of a graph so that no edge joins two of the same colour.

    The node with the fewest colours left is coloured next (then the one with most neighbours, then
    the one whose cheapest colour stands out most) and takes its cheapest free colour; where none is
    free the search steps back. With two colours it never has to: every choice but the first of each
    component is forced, and a dead end is a proof.

    Parameters
    ----------
    cost : float array of shape (n_nodes, n_colours)
        Price of each colour for each node.
    indptr, indices : int arrays
        Neighbours of each node, CSR; symmetric, no loops.
    max_retreats : int
        Give up after stepping back this often.

    Returns
    -------
    labels : int array of shape (n_nodes,)
        Colours; of the deepest attempt (-1 where not reached) if there is no colouring.
    stuck : int
        -1, or the node that had no colour left in the deepest attempt.
    proven : bool
        Whether every colouring was ruled out (True also on success).
    """
    n_nodes, n_colours = cost.shape
    rank = _static_rank(cost, indptr)
    labels = np.full(n_nodes, -1)
    taken = np.zeros((n_nodes, n_colours), dtype=np.int32)  # neighbours with that colour
    n_free = np.full(n_nodes, n_colours)
    tried = np.zeros((n_nodes, n_colours), dtype=np.bool_)
    trail = np.empty(n_nodes, dtype=np.int64)
    depth, deepest, retreats = 0, -1, 0
    dead_end, stuck = labels.copy(), -1
    node = -1
    while depth < n_nodes:
        if node < 0:
            node = (n_free * n_nodes + rank + (labels >= 0) * COLOURED).argmin()
            tried[node] = False
        best = -1
        for k in range(n_colours):
            free = taken[node, k] == 0 and not tried[node, k]
            if free and (best < 0 or cost[node, k] < cost[node, best]):
                best = k
        if best >= 0:
            labels[node] = best
            tried[node, best] = True
            _mark(node, best, 1, indptr, indices, taken, n_free)
            trail[depth] = node
            depth += 1
            node = -1
            continue
        if depth > deepest:
            deepest, stuck = depth, node
            dead_end[:] = labels
        retreats += 1
        if retreats > max_retreats:
            return dead_end, stuck, False
        depth -= 1
        node = trail[depth]
        _mark(node, labels[node], -1, indptr, indices, taken, n_free)
        labels[node] = -1
        if n_free[node] == n_colours:  # the first of its component: colours are alike for it
            return dead_end, stuck, True
    return labels, -1, True


@njit()
def _static_rank(cost, indptr):  # type: ignore[no-untyped-def]
    """Number the nodes: most neighbours first, then the clearest preference."""
    n_nodes, n_colours = cost.shape
    sureness = np.zeros(n_nodes)
    for i in range(n_nodes):
        if n_colours > 1:
            ranked = np.sort(cost[i])
            sureness[i] = ranked[1] - ranked[0]
    by_sureness = np.argsort(-sureness, kind="mergesort")
    degree = indptr[1:] - indptr[:-1]
    order = by_sureness[np.argsort(-degree[by_sureness], kind="mergesort")]
    rank = np.empty(n_nodes, dtype=np.int64)
    rank[order] = np.arange(n_nodes)
    return rank


@njit()
def _mark(node, colour, change, indptr, indices, taken, n_free):  # type: ignore[no-untyped-def]
    """Tell the neighbours of ``node`` that it took (1) or gave back (-1) ``colour``."""
    for edge in range(indptr[node], indptr[node + 1]):
        j = indices[edge]
        before = taken[j, colour]
        taken[j, colour] = before + change
        if change > 0 and before == 0:
            n_free[j] -= 1
        elif change < 0 and before == 1:
            n_free[j] += 1
