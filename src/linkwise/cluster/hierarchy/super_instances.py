"""Rows in small groups that are believed to belong together, and what answers say of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import euclidean_distances
from threadpoolctl import threadpool_limits

from linkwise.constraints import Links
from linkwise.typing import Matrix

Ints = NDArray[np.int64]

#: Says whether two rows belong together; None is cannot tell.
Ask = Callable[[int, int], bool | None]
#: Signed weights of answers by the pair they are about.
Said = dict[tuple[int, int], float]


class Evidence:
    """Answers about pairs of rows: those given, and those asked for, up to a number.

    Of two rows it is known what answers entail: friends of friends are friends, and their enemies
    enemies. Of two sets of rows the weight of the answers between them is known.
    """

    def __init__(self, links: Links, ask: Ask | None, n_questions: int) -> None:
        self._ask, self._left = ask, n_questions if ask is not None else 0
        pairs = np.concatenate([links.must, links.cannot]).tolist()
        sign = np.repeat([1.0, -1.0], [len(links.must), len(links.cannot)]) * links.weight
        self._given: Said = {(i, j): s for (i, j), s in zip(pairs, sign.tolist(), strict=True)}
        self._said = dict(self._given)
        self._leader = list(range(len(links)))
        self._enemies: dict[int, set[int]] = {}
        for (i, j), weight in self._given.items():
            if weight != 0:
                self._conclude(i, j, weight > 0)
        self.asked: dict[tuple[int, int], bool | None] = {}

    @property
    def asks(self) -> bool:
        """Whether there is somebody to ask, be it that no question is left."""
        return self._ask is not None

    @property
    def may_ask(self) -> bool:
        """Whether a question is left."""
        return self._left > 0

    def leader(self, row: int) -> int:
        """Return the row that stands for all that are known to belong with this one."""
        while self._leader[row] != row:
            self._leader[row] = row = self._leader[self._leader[row]]
        return row

    def enemies(self, leader: int) -> set[int]:
        """Return the leaders of the rows that are known not to belong with a leader's."""
        return self._enemies.get(leader, set())

    def _conclude(self, i: int, j: int, same: bool) -> None:
        """Note an answer that does not contradict what is known."""
        a, b = self.leader(i), self.leader(j)
        if not same:
            self._enemies.setdefault(a, set()).add(b)
            self._enemies.setdefault(b, set()).add(a)
        elif a != b:
            self._leader[b] = a
            for enemy in self._enemies.pop(b, set()):
                self._enemies[enemy].discard(b)
                self._enemies[enemy].add(a)
                self._enemies.setdefault(a, set()).add(enemy)

    def between(self, place: Ints) -> NDArray[np.float64]:
        """Return the signed weight of answers between any two sets; ``place`` is that of each row.

        On the diagonal it is the weight of answers inside a set.
        """
        return _summed(self._said, place)

    def given_inside(self, place: Ints) -> NDArray[np.float64]:
        """Return the signed weight of what was given, not asked for, inside each set."""
        return np.diag(_summed(self._given, place))

    def known(self, i: int, j: int) -> bool | None:
        """Return what answers entail about two rows; None where that is nothing."""
        a, b = self.leader(i), self.leader(j)
        if a == b:
            return True
        return False if b in self.enemies(a) else None

    def question(self, i: int, j: int) -> bool | None:
        """Ask about two rows, unless it is known, no question is left or nobody could tell."""
        known, pair = self.known(i, j), (min(i, j), max(i, j))
        if known is not None or pair in self.asked or self._ask is None or self._left == 0:
            return known
        self._left -= 1
        answer = self._ask(*pair)
        self.asked[pair] = answer
        if answer is not None:
            self._said[pair] = self._said.get(pair, 0.0) + (1.0 if answer else -1.0)
            self._conclude(i, j, bool(answer))
        return answer


def _summed(said: Said, place: Ints) -> NDArray[np.float64]:
    """Return the signed weight between any two sets, and inside each on the diagonal."""
    n_sets = int(place.max()) + 1
    total = np.zeros((n_sets, n_sets))
    if said:
        pairs = np.array(list(said))
        a, b = place[pairs[:, 0]], place[pairs[:, 1]]
        np.add.at(total, (np.minimum(a, b), np.maximum(a, b)), np.array(list(said.values())))
    return total + np.triu(total, 1).T


def split_rows(X: Matrix, rows: Ints, n_parts: int, rng: np.random.RandomState) -> list[Ints]:
    """Split rows by k-means; fewer parts come back where rows are the same."""
    seed = int(rng.randint(2**31 - 1))
    n_parts = min(n_parts, len(rows))
    if not (euclidean_distances(X[rows], X[rows[:1]]) > 0).any():
        return [rows]
    few = min(n_parts, _n_distinct(X, rows, n_parts))
    with threadpool_limits(limits=1, user_api="openmp"):  # quicker on few rows, and repeatable
        label = KMeans(few, n_init=3, random_state=seed).fit(X[rows]).labels_
    return [rows[label == k] for k in range(few) if (label == k).any()]


def mean_of(X: Matrix, rows: Ints) -> NDArray[Any]:
    """Return the mean row, as a table of one."""
    return np.asarray(X[rows].mean(axis=0)).reshape(1, -1)


def example_of(X: Matrix, rows: Ints) -> int:
    """Return the row nearest to the mean."""
    return int(rows[euclidean_distances(X[rows], mean_of(X, rows))[:, 0].argmin()])


def _n_distinct(X: Matrix, rows: Ints, most: int) -> int:
    """Return how many rows differ, as far as ``most``."""
    found = [int(rows[0])]
    away = euclidean_distances(X[rows], X[rows[:1]])[:, 0]
    while len(found) < most and away.max() > 0:
        far = int(rows[away.argmax()])
        found.append(far)
        away = np.minimum(away, euclidean_distances(X[rows], X[[far]])[:, 0])
    return len(found)
