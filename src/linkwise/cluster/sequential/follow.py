"""Which number of clusters the answers speak for.

A number is judged by how well it predicts the answers that were left out. From a number that is
there already one goes up and down, one by one, as long as the answers become likelier; another
number is better only if it makes them likelier by more than a few nats, and by more than the best
of so many would by chance. All of this depends on the set of answers alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.how_many import MOST_CLUSTERS
from linkwise.cluster.sequential.answers import CHANGE

#: So many numbers in a row may predict no better before one stops looking further.
PATIENCE = 2


class Proposal(NamedTuple):
    """Another number of clusters that the answers speak for.

    Attributes
    ----------
    k : int
        The number.
    reason : str
        What speaks for it, in words.
    gain : float
        By how much it makes answers that were left out likelier, in nats.
    """

    k: int
    reason: str
    gain: float


class Weighing(NamedTuple):
    """What answers say about the number of clusters, and about the clustering as a whole.

    Attributes
    ----------
    proposal : Proposal or None
        Another number that they speak for.
    gain : float
        By how many nats the present number foretells them, each left out in turn, better than the
        share of them that says "same" does.
    """

    proposal: Proposal | None
    gain: float


def least_gain() -> float:
    """Return the nats by which another number must make the answers likelier."""
    return float(CHANGE + np.log(MOST_CLUSTERS))


def gain_over_share(evidence: float, must: NDArray[np.bool_]) -> float:
    """Return by how much answers are likelier than by the share of them that says "same"."""
    share = must.mean()
    by_share = must.sum() * np.log(max(share, 1e-12))
    by_share += (~must).sum() * np.log(max(1 - share, 1e-12))
    return float(evidence - by_share)


def climb(evidence: Callable[[int], float], start: int, low: int, high: int) -> dict[int, float]:
    """Return the evidence for ``start`` and for the numbers around it worth looking at.

    Where the answers leave too little to gain, that is ``start`` alone.
    """
    found = {start: evidence(start)}
    if -found[start] <= least_gain():
        return found
    for step, last in ((1, high), (-1, low)):
        best, k = start, start
        while k != last and abs(k - best) < PATIENCE:
            k += step
            found[k] = evidence(k)
            best = k if found[k] > found[best] else best
    return found


def follow(found: dict[int, float], start: int) -> int:
    """Return the number that predicts the answers best, if it is clearly better than ``start``."""
    best = max(sorted(found), key=lambda k: found[k])
    return best if found[best] - found[start] > least_gain() else start
