"""Statements: what the standing events say about rows, and the links they amount to.

Links are a function of the *set* of statements: the order in which they were made does not matter,
and what was taken back leaves no trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links
from linkwise.session.journal.log import SAME, UNSURE, Log

Ints = NDArray[np.int64]


class RowSet(NamedTuple):
    """Rows that one event put together, with a name or without."""

    seq: int
    name: str | None
    rows: Ints


@dataclass(frozen=True, eq=False)
class Statements:
    """Standing answers, as columns, and standing sets of rows.

    ``seq``, ``i``, ``j`` and ``same`` hold one entry per answer that is not "unsure".
    """

    n_rows: int
    seq: Ints
    i: Ints
    j: Ints
    same: NDArray[np.bool_]
    sets: tuple[RowSet, ...]

    def links(self) -> Links:
        """Return all links; the weight of each is the number of times it was said."""
        sets_must, sets_cannot = self._links_of_sets()
        must = np.concatenate([self._pairs(self.same), sets_must])
        cannot = np.concatenate([self._pairs(~self.same), sets_cannot])
        must, times = _counted(must, self.n_rows)
        cannot, cannot_times = _counted(cannot, self.n_rows)
        weight = np.concatenate([times, cannot_times]).astype(np.float64)
        return Links(self.n_rows, must, cannot, weight)

    def about(self, rows: Ints) -> Statements:
        """Return the statements that name only, or for sets any, of ``rows`` (sorted)."""
        inside = _among(self.i, rows) & _among(self.j, rows)
        sets = tuple(s for s in self.sets if _among(s.rows, rows).any())
        return Statements(
            self.n_rows, self.seq[inside], self.i[inside], self.j[inside], self.same[inside], sets
        )

    def without(self, seq: int) -> Statements:
        """Return what is left when one event is taken back."""
        keep = self.seq != seq
        sets = tuple(s for s in self.sets if s.seq != seq)
        return Statements(
            self.n_rows, self.seq[keep], self.i[keep], self.j[keep], self.same[keep], sets
        )

    def named(self) -> dict[str, list[RowSet]]:
        """Return the sets of each name, names sorted."""
        by_name: dict[str, list[RowSet]] = {}
        for one in self.sets:
            if one.name is not None:
                by_name.setdefault(one.name, []).append(one)
        return dict(sorted(by_name.items()))

    def namesakes(self) -> list[tuple[str, str, int]]:
        """Return names that were given to one and the same single row, which no link can say."""
        single = {
            name: rows[0] for name, sets in self.named().items() if len(rows := _union(sets)) == 1
        }
        return [
            (a, b, int(single[a])) for a, b in combinations(single, 2) if single[a] == single[b]
        ]

    def _pairs(self, chosen: NDArray[np.bool_]) -> Ints:
        return np.column_stack([self.i[chosen], self.j[chosen]])

    def _links_of_sets(self) -> tuple[Ints, Ints]:
        """Return a chain through every set, chains that join namesakes, and names held apart."""
        chains = [_chain(one.rows) for one in self.sets]
        named = self.named()
        rows = {name: _union(sets) for name, sets in named.items()}
        chains += [_chain(np.unique([one.rows[0] for one in sets])) for sets in named.values()]
        apart = [pair for a, b in combinations(rows, 2) if (pair := _one_of_each(rows[a], rows[b]))]
        must = np.concatenate([np.empty((0, 2), dtype=np.int64), *chains])
        return must, np.array(apart, dtype=np.int64).reshape(-1, 2)


def read_statements(log: Log, n: int, standing: NDArray[np.bool_], n_rows: int) -> Statements:
    """Return what the first ``n`` events say, as far as they stand."""
    verdict = log.column("verdict", n)
    at = np.flatnonzero(log.compares(n) & (verdict != UNSURE) & standing)
    sets = []
    for seq, payload in log.others.items():
        put_together = log.kind(seq).effect.rows
        if put_together and seq <= n and standing[seq - 1]:
            rows, name = put_together(payload)
            sets.append(RowSet(seq, name, np.array(rows, dtype=np.int64)))
    i, j = log.column("i", n)[at], log.column("j", n)[at]
    return Statements(n_rows, at + 1, i, j, verdict[at] == SAME, tuple(sets))


def unsure_pairs(log: Log, n: int, standing: NDArray[np.bool_]) -> Ints:
    """Return the pairs of which someone said that they cannot tell, smaller row first."""
    unsure = log.compares(n) & (log.column("verdict", n) == UNSURE) & standing
    pairs = np.column_stack([log.column("i", n)[unsure], log.column("j", n)[unsure]])
    return np.sort(pairs, axis=1)


def events_of_pair(statements: Statements, i: int, j: int, same: bool) -> list[int]:
    """Return the events that say this of the pair, directly or through a set of rows."""
    fits = (statements.same == same) & (
        ((statements.i == i) & (statements.j == j)) | ((statements.i == j) & (statements.j == i))
    )
    found = statements.seq[fits].tolist()
    if same:
        found += [s.seq for s in statements.sets if _among(np.array([i, j]), s.rows).all()]
    if not found:  # a link between namesakes, or between two names
        found = [
            s.seq for s in statements.sets if s.name and _among(np.array([i, j]), s.rows).any()
        ]
    return sorted(found)


def _counted(pairs: Ints, n_rows: int) -> tuple[Ints, Ints]:
    """Return the distinct pairs, smaller row first, and how often each occurs."""
    low, high = np.minimum(pairs[:, 0], pairs[:, 1]), np.maximum(pairs[:, 0], pairs[:, 1])
    codes, times = np.unique(low * n_rows + high, return_counts=True)
    return np.column_stack([codes // n_rows, codes % n_rows]), times


def _chain(rows: Ints) -> Ints:
    return np.column_stack([rows[:-1], rows[1:]])


def _union(sets: Sequence[RowSet]) -> Ints:
    return np.unique(np.concatenate([one.rows for one in sets]))


def _one_of_each(a: Ints, b: Ints) -> tuple[int, int] | None:
    """Return the first row of each of two names; other rows where both begin with the same."""
    if a[0] != b[0]:
        return int(a[0]), int(b[0])
    if len(b) > 1:
        return int(a[0]), int(b[1])
    return (int(a[1]), int(b[0])) if len(a) > 1 else None


def _among(values: Ints, rows: Ints) -> NDArray[np.bool_]:
    """Tell which values are among the sorted ``rows``."""
    if not len(rows):
        return np.zeros(len(values), dtype=bool)
    at = np.minimum(np.searchsorted(rows, values), len(rows) - 1)
    return np.asarray(rows[at] == values)
