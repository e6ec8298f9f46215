"""The objective of pairwise constrained maximum margin clustering, and its convex tangents.

With scores ``S = X W`` (rows centred and scaled), equation (6) of the paper is

    alpha / 2 |W|^2 + mean of the links' losses + delta / (U r) * sum of the unlinked rows' losses.

A must-link loses [1 - (best score of one cluster for both) + (best score of two different ones)]_+,
a cannot-link the reverse, and an unlinked row [1 - (its best score) + (score of z)]_+ for every
cluster z. The best scores enter with a minus sign, which makes the sum non-convex; fixing *which*
clusters attain them (the tangent) gives a convex upper bound that touches at the current W.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.problem import MarginProblem
from linkwise.constraints import Links
from linkwise.kernels.margin import (
    apart_losses,
    best_apart,
    best_together,
    row_losses,
    together_losses,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Tangent(NamedTuple):
    """The clusters that each link and each unlinked row likes best under some W."""

    together: Ints
    first: Ints
    second: Ints
    own: Ints


class PairMargin(MarginProblem[Tangent]):
    """Equation (6) for given rows and links; its convex bound is (21).

    Parameters
    ----------
    rows : CentredRows
        The rows.
    links : Links
        What is known about them.
    alpha : float
        Weight of the squared norm of W.
    delta : float
        Weight of the rows no link names; 0 leaves them out.
    balanced : bool
        Whether must-links and cannot-links weigh the same in total.
    """

    def __init__(
        self, rows: CentredRows, links: Links, alpha: float, delta: float, balanced: bool = False
    ) -> None:
        super().__init__(rows, alpha)
        self.delta = delta
        self.must: tuple[Ints, Ints] = (links.must[:, 0].copy(), links.must[:, 1].copy())
        self.cannot: tuple[Ints, Ints] = (links.cannot[:, 0].copy(), links.cannot[:, 1].copy())
        self.must_weight, self.cannot_weight = _shares(links, balanced)
        free = np.ones(rows.shape[0], dtype=bool)
        free[links.linked_rows] = False
        self.unlinked = np.flatnonzero(free)

    def tangent(self, W: Floats) -> Tangent:
        """Return the clusters liked best under ``W`` (equations 11, 15 and 16)."""
        S = self.rows.scores(W)
        together, _ = best_together(S, *self.must)
        first, second, _ = best_apart(S, *self.cannot)
        return Tangent(together, first, second, S[self.unlinked].argmax(axis=1))

    def _losses(self, S: Floats, tangent: Tangent, width: float, D: Floats) -> Iterator[float]:
        yield together_losses(S, *self.must, tangent.together, self.must_weight, width, D)
        yield apart_losses(
            S, *self.cannot, tangent.first, tangent.second, self.cannot_weight, width, D
        )
        if self.delta > 0 and len(self.unlinked):
            factor = self.delta / (len(self.unlinked) * S.shape[1])
            yield row_losses(S, self.unlinked, tangent.own, factor, width, D)


def _shares(links: Links, balanced: bool) -> tuple[Floats, Floats]:
    """Return each link's share of the total weight, must-links and cannot-links apart."""
    n_must = len(links.must)
    parts = links.weight[:n_must], links.weight[n_must:]
    totals = np.array([part.sum() for part in parts])
    if balanced:
        shares = totals * np.count_nonzero(totals)
    else:
        shares = np.full(2, totals.sum())
    must, cannot = (p / s if s > 0 else p for p, s in zip(parts, shares, strict=True))
    return must, cannot
