"""Edges of a graph on which alone the connection of two hubs depends."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def lone_joints(indptr, indices, edges, is_hub, n_edges):  # type: ignore[no-untyped-def]
    """Tell for each edge whether taking it away would part some hub from another.

    The graph is undirected and given by rows: ``indices[indptr[v]:indptr[v + 1]]`` are the
    neighbours of ``v`` and ``edges`` at the same places the number of the edge, so every edge
    stands twice. Depth-first without recursion: an edge down to a subtree that has no other way up
    is a bridge, and it counts if there are hubs both in the subtree and outside of it.
    """
    n = len(indptr) - 1
    order = np.full(n, -1)
    lowest = np.zeros(n, dtype=np.int64)
    hubs = is_hub.astype(np.int64)
    came_by = np.full(n, -1)
    parent = np.full(n, -1)
    following = indptr[:-1].copy()
    stack = np.empty(n, dtype=np.int64)
    below = np.empty(n, dtype=np.int64)  # the lower ends of this component's bridges
    found = np.zeros(n_edges, dtype=np.bool_)
    count = 0
    for root in range(n):
        if order[root] >= 0:
            continue
        depth, stack[0] = 0, root
        order[root] = lowest[root] = count
        count += 1
        n_bridges = 0
        while depth >= 0:
            v = stack[depth]
            if following[v] < indptr[v + 1]:
                at = following[v]
                following[v] += 1
                w = indices[at]
                if order[w] < 0:
                    order[w] = lowest[w] = count
                    count += 1
                    came_by[w], parent[w] = edges[at], v
                    depth += 1
                    stack[depth] = w
                elif edges[at] != came_by[v]:
                    lowest[v] = min(lowest[v], order[w])
                continue
            depth -= 1
            if parent[v] >= 0:
                u = parent[v]
                hubs[u] += hubs[v]
                lowest[u] = min(lowest[u], lowest[v])
                if lowest[v] > order[u]:
                    below[n_bridges] = v
                    n_bridges += 1
        for v in below[:n_bridges]:
            found[came_by[v]] = 0 < hubs[v] < hubs[root]
    return found
