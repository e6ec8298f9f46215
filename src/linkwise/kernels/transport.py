"""Give every row a cluster as cheaply as the least and most rows of each cluster allow."""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit


@njit()
def assign_within(cost, low, high, prices):  # type: ignore[no-untyped-def]
    """Return the cheapest labels for which cluster ``k`` has ``low[k]`` to ``high[k]`` rows.

    A minimum cost flow by successive shortest paths: rows begin where ``cost + prices`` is least,
    and one at a time is sent, through as many clusters as it takes, from where there are too many
    to where there is room. A path has at most ``n_clusters`` moves, whatever the number of rows,
    because only the cheapest move between two clusters counts.

    Parameters
    ----------
    cost : float64 array of shape (n_rows, n_clusters)
        Price of each cluster for each row.
    low, high : int64 arrays of shape (n_clusters,)
        Least and most rows; 0 <= low <= high.
    prices : float64 array of shape (n_clusters,)
        Where to begin: zeros, or what a similar problem ended with. Good prices save paths; they
        do not change the cost of the result.

    Returns
    -------
    labels : int64 array of shape (n_rows,)
    prices : float64 array of shape (n_clusters,)
        What a place in each cluster costs: every row is where ``cost + prices`` is least; positive
        only in full clusters, negative only in those with no row to spare.
    possible : bool
        Whether there are such labels; without them the rest means nothing.
    """
    n_rows, n_clusters = cost.shape
    hub = n_clusters
    labels = np.empty(n_rows, dtype=np.int64)
    for i in range(n_rows):
        labels[i] = (cost[i] + prices).argmin()
    sizes = np.bincount(labels, minlength=n_clusters)
    after, before, first = _lists(labels, n_clusters)
    wanted = np.minimum(np.maximum(sizes, low), high)
    wanted = np.where(prices > 0, high, np.where(prices < 0, low, wanted))
    surplus = np.append(sizes - wanted, wanted.sum() - n_rows)
    step = np.full((hub + 1, hub + 1), np.inf)
    mover = np.full((n_clusters, n_clusters), -1)
    for a in range(n_clusters):
        _cheapest_moves(a, cost, after, first, step, mover)
    tiny = 1e-12 * max(np.abs(cost).max(), 1e-300) if cost.size else 0.0
    for source in range(hub + 1):
        while surplus[source] > 0:
            for a in range(n_clusters):
                step[a, hub] = 0.0 if wanted[a] < high[a] else np.inf
                step[hub, a] = 0.0 if wanted[a] > low[a] else np.inf
            length, came_from = _paths(step, source, tiny)
            target = -1
            for node in range(hub + 1):
                nearer = target < 0 or length[node] < length[target]
                if surplus[node] < 0 and length[node] < np.inf and nearer:
                    target = node
            if target < 0:
                return labels, prices, False
            surplus[source] -= 1
            surplus[target] += 1
            node = target
            touched = np.zeros(hub + 1, dtype=np.bool_)
            while node != source:
                start = came_from[node]
                touched[start] = touched[node] = True
                if node == hub:
                    wanted[start] += 1
                elif start == hub:
                    wanted[node] -= 1
                else:
                    row = mover[start, node]
                    _leave(row, start, after, before, first)
                    _enter(row, node, after, before, first)
                    labels[row] = node
                node = start
            for a in range(n_clusters):
                if touched[a]:
                    _cheapest_moves(a, cost, after, first, step, mover)
    return labels, _final_prices(step, wanted, low, high, tiny), True


@njit()
def _lists(labels, n_clusters):  # type: ignore[no-untyped-def]
    """Return the members of each cluster as doubly linked lists; -1 is the end."""
    after = np.full(len(labels), -1)
    before = np.full(len(labels), -1)
    first = np.full(n_clusters, -1)
    for i in range(len(labels) - 1, -1, -1):
        _enter(i, labels[i], after, before, first)
    return after, before, first


@njit()
def _enter(i, k, after, before, first):  # type: ignore[no-untyped-def]
    after[i], before[i] = first[k], -1
    if first[k] >= 0:
        before[first[k]] = i
    first[k] = i


@njit()
def _leave(i, k, after, before, first):  # type: ignore[no-untyped-def]
    if before[i] >= 0:
        after[before[i]] = after[i]
    else:
        first[k] = after[i]
    if after[i] >= 0:
        before[after[i]] = before[i]


@njit()
def _cheapest_moves(a, cost, after, first, step, mover):  # type: ignore[no-untyped-def]
    """Note for each other cluster what the cheapest move of a row of ``a`` costs, and whose."""
    n_clusters = cost.shape[1]
    step[a, :n_clusters] = np.inf
    i = first[a]
    while i >= 0:
        for b in range(n_clusters):
            more = cost[i, b] - cost[i, a]
            if b != a and (more < step[a, b] or (more == step[a, b] and i < mover[a, b])):
                step[a, b] = more
                mover[a, b] = i
        i = after[i]


@njit()
def _paths(step, source, tiny):  # type: ignore[no-untyped-def]
    """Return the length of the shortest path to each node, and the node before it."""
    n_nodes = len(step)
    length = np.full(n_nodes, np.inf)
    came_from = np.full(n_nodes, -1)
    length[source] = 0.0
    for _ in range(n_nodes):
        changed = False
        for a in range(n_nodes):
            if length[a] == np.inf:
                continue
            for b in range(n_nodes):
                if b != source and length[a] + step[a, b] < length[b] - tiny:
                    length[b] = length[a] + step[a, b]
                    came_from[b] = a
                    changed = True
        if not changed:
            break
    return length, came_from


@njit()
def _final_prices(step, wanted, low, high, tiny):  # type: ignore[no-untyped-def]
    """Return prices under which nothing wants to move: path lengths to the hub."""
    hub = len(step) - 1
    for a in range(hub):
        step[a, hub] = 0.0 if wanted[a] < high[a] else np.inf
        step[hub, a] = 0.0 if wanted[a] > low[a] else np.inf
    level = np.zeros(hub + 1)
    for _ in range(hub + 1):
        changed = False
        for a in range(hub + 1):
            for b in range(hub + 1):
                if step[a, b] + level[b] < level[a] - tiny:
                    level[a] = step[a, b] + level[b]
                    changed = True
        if not changed:
            break
    level -= level[hub]
    return np.where(np.abs(level) <= 2 * hub * tiny, 0.0, level)[:hub]
