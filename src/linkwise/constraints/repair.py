"""The lightest answers to withdraw so that no contradiction is left.

Every contradiction is a ring: a cannot-link together with a chain of must-links between its ends.
At least one link of each ring has to go, which is a multicut problem [1]_. There are too many rings
to list, so they are added as they appear: withdraw the lightest links that break all rings known so
far, look for rings that are still whole, and repeat until there are none. Where too many links
have to go for that, they are chosen greedily: link by link, each the one that breaks the most rings
for its weight, or those that a quick compromise breaks, whichever weigh less.

References
----------
.. [1] M.-C. Costa, L. Létocart, F. Roupin. Minimal multicut and maximal integer multiflow: a
   survey. European Journal of Operational Research, 2005.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from linkwise.constraints.chains import MustGraph
from linkwise.constraints.closure import component_numbers, contradicted, smallest_rows
from linkwise.constraints.compromise import compromise
from linkwise.constraints.narrow import narrow
from linkwise.constraints.pairs import Pairs, Weights

if TYPE_CHECKING:
    from linkwise.constraints.links import Links

#: The choice is exact in must-link components where a greedy choice is of at most so many links,
EXACT_LINKS = 25
#: unless an integer program needs more branch-and-bound nodes than this.
EXACT_NODES = 100

_RINGS_AT_ONCE = 30
_GREEDY_ROUNDS = 15
_TOLERANCE = 1e-6  # of the heaviest link: what the solver promises

Ring = list[int]
Choice = NDArray[np.int64]


class Repair(tuple["Links", "Links"]):
    """The links kept and the links withdrawn, as a pair; see :meth:`Links.repair`.

    Attributes
    ----------
    exact : bool
        Whether no lighter set of links could have been withdrawn. False means that the set was
        found greedily and may be heavier than necessary.
    """

    exact: bool

    def __new__(cls, kept: Links, withdrawn: Links, exact: bool) -> Repair:
        """Make the pair ``(kept, withdrawn)``."""
        repair = super().__new__(cls, (kept, withdrawn))
        repair.exact = exact
        return repair

    def __getnewargs__(self) -> tuple[Links, Links, bool]:
        """Return what a copy is made of."""
        return (*self, self.exact)

    def __repr__(self) -> str:
        return f"Repair(kept={self[0]!r}, withdrawn={self[1]!r}, exact={self.exact})"


def links_to_withdraw(must: Pairs, cannot: Pairs, weight: Weights) -> tuple[Choice, bool]:
    """Return the positions of the links to withdraw, must first, and whether they are lightest.

    Must-link components have no ring in common, so each is solved by itself.
    """
    wrong = contradicted(must, cannot)
    if not len(wrong):
        return wrong, True
    rows, smallest = smallest_rows(must)
    must_group = smallest[np.searchsorted(rows, must[:, 0])]
    wrong_group = smallest[np.searchsorted(rows, cannot[wrong, 0])]
    groups = np.unique(wrong_group)
    musts_of, wrong_of = _members(must_group, groups), _members(wrong_group, groups)
    withdrawn, all_exact = [], True
    for musts, wrongs in zip(musts_of, wrong_of, strict=True):
        links = np.concatenate((musts, len(must) + wrong[wrongs]))
        component = _Component(must[musts], cannot[wrong[wrongs]], weight[links])
        chosen, exact = component.solve()
        withdrawn.append(links[chosen])
        all_exact &= exact
    return np.sort(np.concatenate(withdrawn)), all_exact


def _members(group: NDArray[np.int64], groups: NDArray[np.int64]) -> list[Choice]:
    """Return where each of the sorted ``groups`` stands in ``group``."""
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], groups)
    stops = np.searchsorted(group[order], groups, side="right")
    return [order[i:j] for i, j in zip(starts.tolist(), stops.tolist(), strict=True)]


class _Component:
    """One must-link component and the cannot-links inside it; links are numbered must first."""

    def __init__(self, must: Pairs, cannot: Pairs, weight: Weights) -> None:
        rows, place = np.unique(np.concatenate((must, cannot)), return_inverse=True)
        self.n_rows, self.n_must = len(rows), len(must)
        self.pairs = place.reshape(-1, 2)
        self.weight = weight / max(weight.max(), np.finfo(float).tiny)
        self.number = {(i, j): link for link, (i, j) in enumerate(self.must.tolist())}

    @property
    def must(self) -> Pairs:
        return self.pairs[: self.n_must]

    @property
    def cannot(self) -> Pairs:
        return self.pairs[self.n_must :]

    def solve(self) -> tuple[Choice, bool]:
        """Return the links to withdraw, and whether no lighter ones would do."""
        if self.n_must == self.n_rows - 1 and len(self.cannot) == 1:  # a tree: the only ring
            (ring,) = self.whole_rings(np.empty(0, dtype=np.int64))
            return np.array([min(ring, key=lambda link: (self.weight[link], link))]), True
        rings, greedy = self.greedy()
        quick = [self.put_back(chosen) for chosen in (greedy, self.broken_by_compromise())]
        best = min(quick, key=lambda chosen: float(self.weight[chosen].sum()))
        if len(best) > EXACT_LINKS:
            return best, False
        if _least_weight(rings, self.weight) >= self.weight[best].sum() - _TOLERANCE:
            return best, True
        lightest = self.lightest(rings)
        return (best, False) if lightest is None else (self.put_back(lightest), True)

    def broken_by_compromise(self) -> Choice:
        """Return the links that a quick clustering breaks."""
        clusters = compromise(self.n_rows, self.must, self.cannot, self.weight)
        together = clusters[self.pairs[:, 0]] == clusters[self.pairs[:, 1]]
        return np.flatnonzero(together == (np.arange(len(together)) >= self.n_must))

    def put_back(self, chosen: Choice) -> Choice:
        """Return the chosen links less those, heaviest first, that contradict nothing."""
        keep = self._all_but(chosen)
        clusters = _Clusters(component_numbers(self.n_rows, self.must[keep[: self.n_must]]))
        for i, j in self.cannot[keep[self.n_must :]].tolist():
            clusters.separate(i, j)
        for link in chosen[np.lexsort((chosen, -self.weight[chosen]))].tolist():
            i, j = self.pairs[link].tolist()
            keep[link] = clusters.join(i, j) if link < self.n_must else clusters.separate(i, j)
        return np.flatnonzero(~keep)

    def greedy(self) -> tuple[list[Ring], Choice]:
        """Return rings, and links that leave none whole: all cannot-links if it takes too long."""
        rings: list[Ring] = []
        chosen = np.empty(0, dtype=np.int64)
        for _ in range(_GREEDY_ROUNDS):
            whole = self.whole_rings(chosen)
            if not whole:
                return rings, chosen
            rings += whole
            chosen = _greedy(rings, self.weight)
        return rings, np.arange(self.n_must, len(self.weight))

    def lightest(self, rings: list[Ring]) -> Choice | None:
        """Return the lightest links that leave no ring whole; None if that takes too long."""
        while True:
            chosen = _lightest(rings, self.weight)
            whole = [] if chosen is None else self.whole_rings(chosen)
            if not whole:
                return chosen
            rings = rings + whole

    def whole_rings(self, chosen: Choice) -> list[Ring]:
        """Return shortest rings without a chosen link; none are returned only if none are left."""
        keep = self._all_but(chosen)
        must = self.must[keep[: self.n_must]]
        cannots = np.flatnonzero(keep[self.n_must :])
        wrong = cannots[contradicted(must, self.cannot[cannots])]
        wrong = wrong[:: max(1, len(wrong) // _RINGS_AT_ONCE)]
        graph = MustGraph(must)
        rings = []
        for position, (i, j) in zip(wrong.tolist(), self.cannot[wrong].tolist(), strict=True):
            chain = graph.shortest_chain(i, j)
            links = [self.number[min(pair), max(pair)] for pair in chain]
            rings.append([*links, self.n_must + position])
        return rings

    def _all_but(self, chosen: Choice) -> NDArray[np.bool_]:
        keep = np.ones(len(self.weight), dtype=bool)
        keep[chosen] = False
        return keep


class _Clusters:
    """Clusters that are joined and kept apart, one link after the other, where nothing forbids it.

    The smaller list of those to keep apart from goes into the longer one, so that a thousand links
    take little more than ten times as long as a hundred.
    """

    def __init__(self, clusters: NDArray[np.int64]) -> None:
        self._cluster = clusters.tolist()
        self._joined_to = list(range(len(self._cluster)))
        self._apart: list[set[int]] = [set() for _ in self._cluster]

    def separate(self, i: int, j: int) -> bool:
        """Keep the clusters of two rows apart; returns whether they are two."""
        a, b = self._of(i), self._of(j)
        if a != b:
            self._apart[a].add(b)
            self._apart[b].add(a)
        return a != b

    def join(self, i: int, j: int) -> bool:
        """Make the clusters of two rows one; returns whether nothing keeps them apart."""
        a, b = self._of(i), self._of(j)
        if b in self._apart[a]:
            return False
        if len(self._apart[a]) < len(self._apart[b]):
            a, b = b, a
        if a != b:
            self._joined_to[b] = a
            for other in self._apart[b]:
                self._apart[other].remove(b)
                self._apart[other].add(a)
            self._apart[a] |= self._apart[b]
        return True

    def _of(self, row: int) -> int:
        cluster = self._cluster[row]
        while self._joined_to[cluster] != cluster:
            self._joined_to[cluster] = self._joined_to[self._joined_to[cluster]]
            cluster = self._joined_to[cluster]
        return int(cluster)


def _lightest(rings: list[Ring], weight: Weights) -> Choice | None:
    """Return the lightest links with one of every ring; None if that takes too long."""
    links, table = _table(rings)
    result = milp(
        weight[links],
        integrality=np.ones(len(links)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(table, lb=1),
        options={"node_limit": EXACT_NODES, "mip_rel_gap": 0.0},
    )
    return links[result.x > 0.5] if result.status == 0 else None


def _least_weight(rings: list[Ring], weight: Weights) -> float:
    """Return a weight that no choice of links with one of every ring can fall below."""
    links, table = _table(rings)
    result = milp(weight[links], bounds=Bounds(0, 1), constraints=LinearConstraint(table, lb=1))
    if result.status != 0:
        return 0.0
    counted = bool((weight[links] == 1).all())  # then the least weight is a whole number
    return float(np.ceil(result.fun - _TOLERANCE) if counted else result.fun)


def _greedy(rings: list[Ring], weight: Weights) -> Choice:
    """Take links one by one, each the one that breaks most rings for its weight."""
    links, table = _table(rings)
    rings_of = table.T.tocsr()
    price, whole = weight[links], np.ones(len(rings), dtype=bool)
    chosen = []
    while whole.any():
        n_broken = rings_of @ whole.astype(float)
        worth = np.full(len(links), np.inf)
        np.divide(price, n_broken, out=worth, where=n_broken > 0)
        best = int(worth.argmin())
        chosen.append(best)
        whole[rings_of.indices[rings_of.indptr[best] : rings_of.indptr[best + 1]]] = False
    return links[chosen]


def _table(rings: list[Ring]) -> tuple[Choice, csr_array]:
    """Return the links named by rings, and a table with a row per ring, a column per link."""
    links, column = np.unique(np.concatenate(rings), return_inverse=True)
    starts = np.cumsum([0, *map(len, rings)])
    ones = np.ones(len(column))
    return links, narrow(csr_array((ones, column, starts), shape=(len(rings), len(links))))
