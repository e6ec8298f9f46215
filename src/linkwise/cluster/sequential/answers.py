"""What people said, as arrays: pairs of rows that are the same or not, and rows that have a name.

A name is a fact about a row. So that names can be left out and predicted like answers, every named
row is also compared with one row of its own class and with one of each of some other classes. An
answer belongs to a fold that follows from its two row numbers alone, a named row to one that
follows from its own: the same answer is left out together with the same others, whatever else is
said. So everything learned from folds is a function of the set of answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links, PartialLabels

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: Weight from which on an answer is confirmed: a fact, never doubted.
CONFIRMED = 2.0
#: People are right 98 times of 100, until their own answers say otherwise.
ERROR_RATE = 0.02
#: Answers that what was known before anybody spoke is worth.
PRIOR_ANSWERS = 100
#: Nats that a change must be worth: what is thought of a change before answers speak for it.
CHANGE = 2.0
#: Share of an answer that is news: answers share rows and err together, so four count as one where
#: ways of learning are weighed against each other.
NEWS = 0.25
#: Answers are left out in so many parts, one part after the other.
N_FOLDS = 5
#: With how many other classes a named row is compared.
_MAX_COMPARED = 10


@dataclass(frozen=True, eq=False)
class Answers:
    """Pairs with their answers, and names, among the rows that are spoken about.

    Attributes
    ----------
    rows : int64 array of shape (n_rows,)
        The rows spoken about, increasing.
    i, j : int64 arrays of shape (n_pairs,)
        The pairs, as positions in ``rows``: first the links, then what the names entail.
    must : bool array of shape (n_pairs,)
        Whether the answer is "same".
    is_fact : bool array of shape (n_pairs,)
        Whether it cannot be wrong.
    weight : float64 array of shape (n_pairs,)
        How far those who said it are believed, in log-odds: 1 as anybody, 0 not at all.
    folds : int64 array of shape (n_pairs, 2)
        An answer is left out in either of these folds.
    named : int64 array of shape (n_rows,)
        Number of the row's class, -1 where it has no name.
    name_fold : int64 array of shape (n_rows,)
        The fold in which the row's name is left out.
    n_links : int
        How many of the pairs are links, as people gave them.
    """

    rows: Ints
    i: Ints
    j: Ints
    must: Bools
    is_fact: Bools
    weight: Floats
    folds: Ints
    named: Ints
    name_fold: Ints
    n_links: int

    @classmethod
    def of(cls, links: Links, labels: PartialLabels) -> Answers:
        """Gather what links and labels about the same rows say."""
        same, different = _comparisons(labels)
        rows = np.union1d(links.linked_rows, labels.known_rows)
        pairs = np.concatenate([links.must, links.cannot, same, different]).reshape(-1, 2)
        n_links, n_entailed = links.n_links, len(same) + len(different)
        name_fold = _fold(rows, rows)
        i, j = np.searchsorted(rows, pairs).T
        link_fold = _fold(pairs[:n_links, 0], pairs[:n_links, 1])
        entailed_folds = np.column_stack([name_fold[i[n_links:]], name_fold[j[n_links:]]])
        return cls(
            rows=rows.astype(np.int64),
            i=np.ascontiguousarray(i, dtype=np.int64),
            j=np.ascontiguousarray(j, dtype=np.int64),
            must=np.repeat(
                [True, False, True, False],
                [len(links.must), len(links.cannot), len(same), len(different)],
            ),
            is_fact=np.append(links.weight >= CONFIRMED, np.ones(n_entailed, dtype=bool)),
            weight=np.append(np.minimum(links.weight, 1.0), np.ones(n_entailed)),
            folds=np.concatenate([np.column_stack([link_fold, link_fold]), entailed_folds]),
            named=labels.codes[rows],
            name_fold=name_fold,
            n_links=n_links,
        )

    def __len__(self) -> int:
        return len(self.i)

    @property
    def n_classes(self) -> int:
        """Number of classes that have a name."""
        return int(self.named.max(initial=-1)) + 1

    def left_out(self, fold: int) -> Bools:
        """Tell which answers the fold leaves out."""
        return np.asarray((self.folds == fold).any(axis=1))

    def without(self, fold: int) -> Answers:
        """Return what is left of the answers when a fold is left out."""
        keep = ~self.left_out(fold)
        return replace(
            self,
            i=self.i[keep],
            j=self.j[keep],
            must=self.must[keep],
            is_fact=self.is_fact[keep],
            weight=self.weight[keep],
            folds=self.folds[keep],
            named=np.where(self.name_fold == fold, -1, self.named),
            n_links=int(keep[: self.n_links].sum()),
        )

    @property
    def reach(self) -> Floats:
        """How far each answer carries beyond its own rows: facts fully, few answers a little."""
        n = self.weight[~self.is_fact].sum()
        return np.where(self.is_fact, 1.0, self.weight * n / (n + PRIOR_ANSWERS))

    @property
    def is_sure(self) -> Bools:
        """Whether those who gave an answer are believed rather than not."""
        return np.asarray(self.weight > 0.5)

    def together(self, memberships: Floats) -> Floats:
        """Return, per pair, the chance that its rows are of one class."""
        return self.products(memberships, memberships)

    def products(self, left: Floats, right: Floats) -> Floats:
        """Return, per pair, the product of what is said of its first row and of its second."""
        return np.asarray(np.einsum("lc,lc->l", left[self.i], right[self.j]))

    def holds(self, together: Floats) -> Floats:
        """Return, per pair, the chance of what was answered if ``together`` is that of "same"."""
        return np.where(self.must, together, 1.0 - together)

    def error(self, rate: float | Floats) -> Floats:
        """Return the chance that each answer is wrong, going by the error rate and its weight."""
        odds = ((1.0 - rate) / rate) ** self.weight
        return np.where(self.is_fact, 1e-6, 1.0 / (1.0 + odds))

    def chances(self, rate: float) -> tuple[Floats, Floats]:
        """Return the chance of each answer if its rows are of one class, and if they are not."""
        error = self.error(rate)
        right, wrong = 1.0 - error, error
        return np.where(self.must, right, wrong), np.where(self.must, wrong, right)


def _comparisons(labels: PartialLabels) -> tuple[Ints, Ints]:
    """Compare every named row with the next of its class and one of each of the next classes."""
    known = np.flatnonzero(labels.known)
    members = [known[labels.codes[known] == k] for k in range(len(labels.classes))]
    same, different = [np.empty((0, 2), dtype=np.int64)], [np.empty((0, 2), dtype=np.int64)]
    for k, own in enumerate(members):
        if len(own) > 1:
            same.append(np.column_stack([own, np.roll(own, -1)]))
        for step in range(1, min(len(members), _MAX_COMPARED + 1)):
            other = members[(k + step) % len(members)]
            different.append(np.column_stack([own, np.resize(other, len(own))]))
    return _pairs(same), _pairs(different)


def _pairs(parts: list[Ints]) -> Ints:
    return np.unique(np.sort(np.concatenate(parts), axis=1), axis=0)


def _fold(i: Ints, j: Ints) -> Ints:
    """Draw a fold for each pair from its two numbers: always the same, and as good as random."""
    mixed = i.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + j.astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return ((mixed ^ (mixed >> np.uint64(31))) % np.uint64(N_FOLDS)).astype(np.int64)
