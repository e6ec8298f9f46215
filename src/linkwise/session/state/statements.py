"""Statements: what the standing events say about rows, and what the model is told of it.

Answers are links, and can be wrong. Rows put together are confirmed links. Names are facts about
rows, and the model is told them as labels; a row that was given two names has none until one of
them is withdrawn. All this is a function of the *set* of statements: the order in which they were
made does not matter, and what was taken back leaves no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.sequential.answers import CONFIRMED
from linkwise.constraints import Links, PartialLabels
from linkwise.session.journal.log import SAME, UNSURE, Log
from linkwise.session.state.weights import answer_weights

Ints = NDArray[np.int64]

#: Of one row, the most pairs of names that are told to clash.
MAX_CLASHES = 50
_NO_PAIRS = np.empty((0, 2), dtype=np.int64)


class RowSet(NamedTuple):
    """Rows that one event put together, with a name or without."""

    seq: int
    name: str | None
    rows: Ints


class Told(NamedTuple):
    """What the model is told."""

    links: Links
    labels: PartialLabels


@dataclass(frozen=True, eq=False)
class Statements:
    """Standing answers, as columns, and standing sets of rows.

    ``seq``, ``i``, ``j``, ``same`` and ``weight`` hold one entry per answer that is not "unsure";
    all weigh 1 where no weights are given.
    """

    n_rows: int
    seq: Ints
    i: Ints
    j: Ints
    same: NDArray[np.bool_]
    sets: tuple[RowSet, ...]
    weight: NDArray[np.float64] | None = None

    def links(self) -> Links:
        """Return everything as links, names too: a chain for each, and cannot-links between them.

        Two names are kept apart by a cannot-link where must-links join them: elsewhere nothing
        speaks against it, and all pairs of many names would be very many. The weight of a link is
        the sum of those of its answers; what sets of rows entail is confirmed.
        """
        joined = self.together()
        first = np.array([rows[0] for rows in self.names.values()], dtype=np.int64)
        component = joined.components()[first]
        order = np.argsort(component, kind="stable")
        same = component[order[:-1]] == component[order[1:]]
        apart = np.column_stack([first[order[:-1]][same], first[order[1:]][same]])
        return self._links([*self._unnamed(), *self.names.values()], apart)

    def all_links(self) -> Links:
        """Return the same with a cannot-link for any two names, as readers elsewhere need it."""
        first = np.array([rows[0] for rows in self.names.values()], dtype=np.int64)
        i, j = np.triu_indices(len(first), k=1)
        apart = np.column_stack([first[i], first[j]])
        return self._links([*self._unnamed(), *self.names.values()], apart)

    def together(self) -> Links:
        """Return everything as links, but nothing of names being apart."""
        return self._links([*self._unnamed(), *self.names.values()], _NO_PAIRS)

    def told(self, n_clusters: int) -> Told:
        """Return what a model with so many clusters is told.

        Of more names than clusters, those with the most rows are labels; the rows of the others
        are put together.
        """
        names = self.clustered_names(n_clusters)
        surplus = [rows for name, rows in self.names.items() if name not in names]
        labels = {row: name for name, rows in names.items() for row in rows.tolist()}
        return Told(
            self._links([*self._unnamed(), *surplus], _NO_PAIRS),
            PartialLabels.of_rows(labels, self.n_rows),
        )

    @cached_property
    def names(self) -> dict[str, Ints]:
        """The rows of each name, names sorted; rows that were given two names are in neither."""
        given = {name: _union(sets) for name, sets in self.named().items()}
        if len(given) < 2:
            return given
        rows, times = np.unique(np.concatenate(list(given.values())), return_counts=True)
        twice = rows[times > 1]
        clear = {name: held[~_among(held, twice)] for name, held in given.items()}
        return {name: held for name, held in clear.items() if len(held)}

    def clustered_names(self, n_clusters: int) -> dict[str, Ints]:
        """Return the rows of the names that have a cluster: those with the most rows, if not all.

        Names are sorted.
        """
        ranked = sorted(self.names, key=lambda name: (-len(self.names[name]), name))
        return {name: self.names[name] for name in sorted(ranked[:n_clusters])}

    def rows(self) -> Ints:
        """Return the rows that anything is said about, increasing."""
        return np.unique(np.concatenate([self.i, self.j, *(one.rows for one in self.sets)]))

    def about(self, rows: Ints) -> Statements:
        """Return the statements that name only, or for sets any, of ``rows`` (sorted)."""
        inside = _among(self.i, rows) & _among(self.j, rows)
        sets = tuple(s for s in self.sets if _among(s.rows, rows).any())
        return Statements(
            self.n_rows,
            self.seq[inside],
            self.i[inside],
            self.j[inside],
            self.same[inside],
            sets,
            None if self.weight is None else self.weight[inside],
        )

    def without(self, seq: int) -> Statements:
        """Return what is left when one event is taken back."""
        return self._kept(self.seq != seq, lambda one: one != seq)

    def of(self, events: set[int]) -> Statements:
        """Return what some of the events say."""
        return self._kept(np.isin(self.seq, list(events)), events.__contains__)

    def _kept(self, keep: NDArray[np.bool_], is_kept: Callable[[int], bool]) -> Statements:
        return Statements(
            self.n_rows,
            self.seq[keep],
            self.i[keep],
            self.j[keep],
            self.same[keep],
            tuple(one for one in self.sets if is_kept(one.seq)),
            None if self.weight is None else self.weight[keep],
        )

    def named(self) -> dict[str, list[RowSet]]:
        """Return the sets of each name, names sorted."""
        by_name: dict[str, list[RowSet]] = {}
        for one in self.sets:
            if one.name is not None:
                by_name.setdefault(one.name, []).append(one)
        return dict(sorted(by_name.items()))

    def clashes(self) -> list[tuple[str, str, Ints]]:
        """Return two names that were given to the same rows, and these rows; any such two but few.

        Of many names of one row only the first pairs are told.
        """
        given = {name: _union(sets) for name, sets in self.named().items()}
        if len(given) < 2:
            return []
        names = list(given)
        rows = np.concatenate(list(given.values()))
        owner = np.repeat(np.arange(len(names)), [len(held) for held in given.values()])
        order = np.argsort(rows, kind="stable")
        rows, owner = rows[order], owner[order]
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        shared: dict[tuple[str, str], list[int]] = {}
        for start, stop in zip(starts, [*starts[1:], len(rows)], strict=True):
            if stop - start > 1:
                held = (names[k] for k in owner[start:stop].tolist())
                for pair in islice(combinations(held, 2), MAX_CLASHES):
                    shared.setdefault(pair, []).append(int(rows[start]))
        return [(a, b, np.array(both)) for (a, b), both in sorted(shared.items())]

    def _unnamed(self) -> list[Ints]:
        return [one.rows for one in self.sets if one.name is None]

    def _pairs(self, chosen: NDArray[np.bool_]) -> Ints:
        return np.column_stack([self.i[chosen], self.j[chosen]])

    def _weighed(self, chosen: NDArray[np.bool_]) -> tuple[Ints, NDArray[np.float64]]:
        """Return the distinct pairs among some answers, smaller row first, and their weights."""
        pairs = self._pairs(chosen)
        low, high = np.minimum(pairs[:, 0], pairs[:, 1]), np.maximum(pairs[:, 0], pairs[:, 1])
        codes, of = np.unique(low * self.n_rows + high, return_inverse=True)
        each = np.ones(len(pairs)) if self.weight is None else self.weight[chosen]
        weights = np.bincount(of, weights=each, minlength=len(codes)).astype(np.float64)
        return np.column_stack([codes // self.n_rows, codes % self.n_rows]), weights

    def _links(self, sets: Sequence[Ints], apart: Ints) -> Links:
        """Return the answers, a chain through each set of rows, and pairs that are apart."""
        must, must_weight = self._weighed(self.same)
        cannot, cannot_weight = self._weighed(~self.same)
        chains = np.concatenate([np.empty((0, 2), dtype=np.int64), *map(_chain, sets)])
        apart = apart.reshape(-1, 2)
        sure = [np.full(len(pairs), CONFIRMED) for pairs in (chains, apart)]
        return Links(
            self.n_rows,
            np.concatenate([must, chains]),
            np.concatenate([cannot, apart]),
            np.concatenate([must_weight, sure[0], cannot_weight, sure[1]]),
        )


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
    weight = answer_weights(log, n, standing, n_rows)[at]
    return Statements(n_rows, at + 1, i, j, verdict[at] == SAME, tuple(sets), weight)


def left_out_rows(log: Log, n: int, standing: NDArray[np.bool_]) -> Ints:
    """Return the rows that belong nowhere, by the first ``n`` events as far as they stand."""
    rows: set[int] = set()
    for seq, payload in log.others.items():
        leaves_out = log.kind(seq).effect.leaves_out
        if leaves_out and seq <= n and standing[seq - 1]:
            rows.update(leaves_out(payload))
    return np.array(sorted(rows), dtype=np.int64)


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


def known_pairs(statements: Statements, *, same: bool = False) -> set[tuple[int, int]]:
    """Return the pairs that were answered, smaller row first; with ``same``, by that alone."""
    told = statements.same if same else np.ones(len(statements.i), dtype=bool)
    pairs = np.sort(np.column_stack([statements.i[told], statements.j[told]]), axis=1)
    return {(i, j) for i, j in pairs.tolist()}


def _chain(rows: Ints) -> Ints:
    return np.column_stack([rows[:-1], rows[1:]])


def _union(sets: Sequence[RowSet]) -> Ints:
    return np.unique(np.concatenate([one.rows for one in sets]))


def _among(values: Ints, rows: Ints) -> NDArray[np.bool_]:
    """Tell which values are among the sorted ``rows``."""
    if not len(rows):
        return np.zeros(len(values), dtype=bool)
    at = np.minimum(np.searchsorted(rows, values), len(rows) - 1)
    return np.asarray(rows[at] == values)
