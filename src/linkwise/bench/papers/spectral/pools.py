"""What is known in one draw: the labels of p rows, or p / 2 pairs of each kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pool:
    """One draw of knowledge.

    Attributes
    ----------
    links : Links
    labels : ndarray of shape (n_samples,) or None
        The labels behind the links, -1 where unknown; None where only pairs are known.
    free : ndarray
        Rows that no link names: the only ones that say something about generalising.
    """

    links: Links
    labels: Ints | None
    free: Ints

    @classmethod
    def of(cls, links: Links, labels: Ints | None = None) -> Pool:
        """Find the rows in no link."""
        return cls(links, labels, np.setdiff1d(np.arange(len(links)), links.linked_rows))


def known_labels(y: Ints, n_known: int, rng: np.random.RandomState) -> Pool:
    """Know the classes of ``n_known`` rows, and so all pairs among them."""
    labels = np.full(len(y), -1)
    rows = rng.choice(len(y), n_known, replace=False)
    labels[rows] = y[rows]
    return Pool.of(Links.from_labels(labels), labels)


def known_pairs(y: Ints, n_known: int, rng: np.random.RandomState) -> Pool:
    """Know ``n_known / 2`` random must-links and as many random cannot-links, nothing else."""
    half = n_known // 2
    must, cannot = _no_pairs(), _no_pairs()
    while len(must) < half or len(cannot) < half:
        pairs = np.sort(rng.randint(len(y), size=(100_000, 2)), axis=1)
        pairs = pairs[pairs[:, 0] < pairs[:, 1]]
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        must = _first(np.vstack([must, pairs[same]]), half)
        cannot = _first(np.vstack([cannot, pairs[~same]]), half)
    return Pool.of(Links(len(y), must=must, cannot=cannot))


POOLS: dict[str, Any] = {"labels": known_labels, "pairs": known_pairs}


def _no_pairs() -> Ints:
    return np.empty((0, 2), dtype=np.int64)


def _first(pairs: Ints, n_pairs: int) -> Ints:
    """Return the first distinct pairs, in the order drawn."""
    _, where = np.unique(pairs, axis=0, return_index=True)
    return pairs[np.sort(where)[:n_pairs]]
