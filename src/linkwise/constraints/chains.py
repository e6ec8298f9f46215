"""Shortest chains of must-links between two rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from linkwise.constraints.pairs import Pairs

Chain = tuple[tuple[int, int], ...]


class MustGraph:
    """Who is must-linked to whom, ready for walking."""

    def __init__(self, must: Pairs) -> None:
        both = np.concatenate((must, must[:, ::-1]))
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        rows, starts = np.unique(both[:, 0], return_index=True)
        others = both[:, 1].tolist()
        bounds = pairwise((*starts.tolist(), len(others)))
        self._neighbours: dict[int, list[int]] = {
            row: others[start:stop]
            for row, (start, stop) in zip(rows.tolist(), bounds, strict=True)
        }

    def shortest_chain(self, i: int, j: int) -> Chain:
        """Return the fewest must-links that lead from ``i`` to ``j`` in the same component.

        Two searches, one from each end, grow level by level until they meet, always the one with
        fewer links to follow, so that the rows visited are those near the chain and not the whole
        component.
        """
        came_from: dict[int, int] = {i: i}
        leads_to: dict[int, int] = {j: j}
        front, back = [i], [j]
        meeting = None
        while meeting is None:
            if self._n_links(front) <= self._n_links(back):
                front, meeting = self._grow(front, came_from, leads_to)
            else:
                back, meeting = self._grow(back, leads_to, came_from)
        path = _walk(meeting, came_from)[::-1] + _walk(meeting, leads_to)[1:]
        return tuple(pairwise(path))

    def _n_links(self, level: list[int]) -> int:
        return sum(map(len, map(self._neighbours.__getitem__, level)))

    def _grow(
        self, level: list[int], seen: dict[int, int], other_side: dict[int, int]
    ) -> tuple[list[int], int | None]:
        """Visit the next level; report the first row the other search has seen already."""
        following: list[int] = []
        for row in level:
            for neighbour in self._neighbours[row]:
                if neighbour in seen:
                    continue
                seen[neighbour] = row
                if neighbour in other_side:
                    return following, neighbour
                following.append(neighbour)
        return following, None


def _walk(row: int, previous: dict[int, int]) -> list[int]:
    """Return the rows from ``row`` back to where its search began."""
    path = [row]
    while previous[path[-1]] != path[-1]:
        path.append(previous[path[-1]])
    return path
