"""Merges along a graph of near clusters, while there are too many to compare all with all."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import kneighbors_graph

from linkwise.typing import Dense

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def merge_along_graph(
    means: Dense,
    spreads: Floats,
    sizes: Ints,
    part: Ints,
    apart: Ints,
    *,
    n_neighbors: int,
    ward: bool,
    n_left: int,
) -> list[tuple[int, int, float]]:
    """Merge near clusters, the nearest first, until ``n_left`` are left or no edge remains.

    The distance is Ward's, or the mean squared distance of rows, which the means and the spreads
    (mean squared distances to the mean) of two clusters give. Clusters of different ``part``, and
    those that must be ``apart``, given as pairs, never merge. Returns (cluster that lives on,
    cluster that becomes part of it, squared distance).
    """
    centre, size = means.astype(np.float64), sizes.astype(np.float64)
    spread = spreads.astype(np.float64)
    edges = _edges(centre, part, n_neighbors)
    enemies: list[set[int]] = [set() for _ in centre]
    for i, j in apart.tolist():
        enemies[i].add(j)
        enemies[j].add(i)

    def nearest(a: int) -> tuple[float, int, int, int, int] | None:
        """Return how far the nearest is, and the versions of both for which that is true."""
        others = sorted(edges[a] - enemies[a])
        if not others:
            return None
        squared = np.square(centre[others] - centre[a]).sum(axis=1)
        if ward:
            squared *= 2 * size[a] * size[others] / (size[a] + size[others])
        else:
            squared += spread[a] + spread[others]
        best = int(squared.argmin())
        b = others[best]
        return float(squared[best]), a, b, version[a], version[b]

    version = [0] * len(centre)
    queue = [found for a in range(len(centre)) if (found := nearest(a)) is not None]
    heapify(queue)
    merges: list[tuple[int, int, float]] = []
    while queue and len(centre) - len(merges) > n_left:
        d, a, b, version_a, version_b = heappop(queue)
        if version[a] != version_a:
            continue  # it has become part of another, or has an entry of its own by now
        if version[b] == version_b:
            a, b = min(a, b), max(a, b)
            merges.append((a, b, d))
            share = size[b] / (size[a] + size[b])
            step = centre[b] - centre[a]
            spread[a] += share * (spread[b] - spread[a]) + share * (1 - share) * (step @ step)
            centre[a] += share * step
            size[a] += size[b]
            version[a] += 1
            version[b] = -1
            _join(edges, a, b)
            _join(enemies, a, b)
        found = nearest(a)
        if found is not None:
            heappush(queue, found)
    return merges


def _edges(centre: Floats, part: Ints, n_neighbors: int) -> list[set[int]]:
    """Return for each cluster its near ones of the same part, in both directions."""
    graph = kneighbors_graph(centre, min(n_neighbors, len(centre) - 1)).tocoo()
    edges: list[set[int]] = [set() for _ in centre]
    for i, j in zip(graph.row.tolist(), graph.col.tolist(), strict=True):
        if part[i] == part[j]:
            edges[i].add(j)
            edges[j].add(i)
    return edges


def _join(edges: list[set[int]], a: int, b: int) -> None:
    """Give the neighbours of ``b`` to ``a``."""
    for c in edges[b]:
        edges[c].discard(b)
        if c != a:
            edges[a].add(c)
            edges[c].add(a)
    edges[b] = set()
