"""What must-links and cannot-links entail, at the level of components.

Must-links are transitive: rows joined by a chain of them form a *component*. A cannot-link between
two components separates all their rows. Everything here is written in terms of components, so the
cost grows with the number of links, never with the number of pairs they entail.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree

from linkwise.constraints.narrow import narrow
from linkwise.constraints.pairs import Pairs, Weights, in_order
from linkwise.errors import InvalidLinks

Rows = NDArray[np.int64]

#: Cannot-links between classes that labels may turn into, about 160 MB of them.
MOST_SEPARATIONS = 10_000_000


def component_numbers(n_samples: int, must: Pairs) -> Rows:
    """Number the must-link components of all rows by first appearance."""
    smallest = np.arange(n_samples, dtype=np.int64)
    rows, smallest_linked = smallest_rows(must)
    smallest[rows] = smallest_linked
    numbers = np.cumsum(smallest == np.arange(n_samples), dtype=np.int64) - 1
    return numbers[smallest]


def smallest_rows(must: Pairs) -> tuple[Rows, Rows]:
    """Return the rows named by must-links, and for each the smallest row of its component."""
    rows, graph = _compact_graph(must, np.ones(len(must)))
    _, component = connected_components(graph, directed=False)
    _, first = np.unique(component, return_index=True)
    return rows, rows[first[component]]


def contradicted(must: Pairs, cannot: Pairs) -> Rows:
    """Return the positions of the cannot-links whose two ends lie in one component."""
    ends = _replace(*smallest_rows(must), cannot)
    return np.flatnonzero(ends[:, 0] == ends[:, 1])


def closed(must: Pairs, cannot: Pairs, weight: Weights) -> tuple[Pairs, Pairs, Weights]:
    """Return the canonical links that entail the same as consistent links do.

    Every component becomes a star around its smallest row, every pair of separated components one
    cannot-link between their smallest rows. A link weighs as much as the weakest link of the
    strongest chain that proves it.
    """
    n_must = len(must)
    rows, smallest = smallest_rows(must)
    strength = _strength_of_tie(must, weight[:n_must], smallest)
    spoke = rows != smallest
    star = np.column_stack((smallest[spoke], rows[spoke]))

    ends = _replace(rows, smallest, cannot)
    tie = np.full(cannot.shape, np.inf)
    place, present = _find(rows, cannot)
    tie[present] = strength[place[present]]
    separation = np.minimum(weight[n_must:], tie.min(axis=1, initial=np.inf))

    star, star_weight = in_order(star, strength[spoke])
    ends, separation = in_order(ends, separation)
    return star, ends, np.concatenate((star_weight, separation))


def pairs_of_classes(codes: Rows) -> tuple[Pairs, Pairs]:
    """Chain the rows of each class, and separate the classes' first rows from each other."""
    rows = np.flatnonzero(codes >= 0)
    rows = rows[np.argsort(codes[rows], kind="stable")]
    neighbours = np.column_stack((rows[:-1], rows[1:]))
    same = codes[neighbours[:, 0]] == codes[neighbours[:, 1]]
    first = rows[np.concatenate(([True], ~same))] if len(rows) else rows
    n_pairs = len(first) * (len(first) - 1) // 2
    if n_pairs > MOST_SEPARATIONS:
        raise InvalidLinks(
            f"labels name {len(first)} classes: keeping them apart takes {n_pairs} cannot-links, "
            f"and {MOST_SEPARATIONS} is the most. Group them into fewer classes."
        )
    a, b = np.triu_indices(len(first), k=1)
    return neighbours[same], np.column_stack((first[a], first[b]))


def _strength_of_tie(must: Pairs, weight: Weights, smallest: Rows) -> Weights:
    """Return how strongly each linked row is tied to the smallest row of its component.

    A chain is as strong as its weakest link and the strongest chains run along a maximum spanning
    forest. The smallest row itself is tied with infinite strength.
    """
    order = np.argsort(-weight, kind="stable")
    rank = np.empty(len(must))
    rank[order] = np.arange(1, len(must) + 1)
    rows, graph = _compact_graph(must, rank)
    forest = minimum_spanning_tree(graph).tocoo()
    parent = _parents(forest, rows, smallest)

    strength: Weights = np.full(len(rows), np.inf)
    link = weight[order[forest.data.astype(np.int64) - 1]]
    for child, other in ((forest.row, forest.col), (forest.col, forest.row)):
        below = parent[child] == other
        strength[child[below]] = link[below]
    while True:  # each round doubles the stretch of chain looked at
        above = parent[parent]
        strength = np.minimum(strength, strength[parent])
        if np.array_equal(above, parent):
            return strength
        parent = above


def _parents(forest: coo_array, rows: Rows, smallest: Rows) -> Rows:
    """Hang every tree of ``forest`` from its smallest row, which is its own parent."""
    n = len(rows)
    roots = np.flatnonzero(rows == smallest)
    start = np.concatenate((forest.row, np.full(len(roots), n)))
    end = np.concatenate((forest.col, roots))
    graph = coo_array((np.ones(len(start)), (start, end)), shape=(n + 1, n + 1)).tocsr()
    _, parent = breadth_first_order(narrow(graph), n, directed=False)
    hung: Rows = parent[:n].astype(np.int64)
    hung[roots] = roots
    return hung


def _compact_graph(pairs: Pairs, data: NDArray[np.float64]) -> tuple[Rows, Any]:
    """Return the rows named by ``pairs`` and the graph between them, numbered by place."""
    rows, place = np.unique(pairs, return_inverse=True)
    start, end = place.reshape(-1, 2).T
    return rows, narrow(coo_array((data, (start, end)), shape=(len(rows), len(rows))).tocsr())


def _find(rows: Rows, ends: Pairs) -> tuple[Pairs, NDArray[np.bool_]]:
    """Return where each end stands in the sorted ``rows`` and whether it is there at all."""
    if not len(rows):
        return np.zeros_like(ends), np.zeros(ends.shape, dtype=bool)
    place = np.minimum(np.searchsorted(rows, ends), len(rows) - 1)
    return place, rows[place] == ends


def _replace(rows: Rows, new: Rows, ends: Pairs) -> Pairs:
    """Write ``new[k]`` for every end equal to ``rows[k]``; others stay."""
    place, present = _find(rows, ends)
    replaced = ends.copy()
    replaced[present] = new[place[present]]
    return replaced
