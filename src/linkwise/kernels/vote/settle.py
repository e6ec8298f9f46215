"""From sums of bytes to winners: certain where the margin is clear, recounted where it is not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from linkwise.kernels.compiling import njit
from linkwise.kernels.vote.bytes import PARTS


class Evidence(NamedTuple):
    """What close rows are recounted from; more about these in ``bytes.ByteTables``.

    ``parts`` and ``exact`` are tables (n_partitions, n_labels, n_clusters) or weights
    (n_partitions,).
    """

    labels: NDArray[np.uint8]
    parts: NDArray[np.int8]
    exact: NDArray[np.float64]
    unit: float
    doubt: int
    doubt_in_parts: int


@njit()
def settle(scores, evidence, first, winners, margins):  # type: ignore[no-untyped-def]
    """Write the winners and margins of the rows ``first, first + 1, ...``.

    ``scores`` is uint16 (n_clusters, at least n_rows), in steps. If the two best clusters of a row
    are close, the parts of steps are added, and if that does not settle it, the sums are made again
    in float64. Of equal scores the smallest cluster wins.
    """
    best, second, winner = _two_best(scores, len(winners))
    for i in range(len(winners)):
        winners[i] = winner[i]
        margins[i] = evidence.unit * (best[i] - second[i])
    column = np.empty(len(evidence.exact), np.uint8)
    close = np.empty(len(scores), np.uint64)
    for i in range(len(winners)):
        if np.int64(best[i]) - np.int64(second[i]) <= evidence.doubt:
            for k in range(len(column)):
                column[k] = evidence.labels[k, uint64(first + i)]
            # whoever is first or second in truth has at least so many steps
            lowest = np.int64(second[i]) - evidence.doubt
            n_close = 0
            for c in range(len(scores)):
                close[n_close] = c
                n_close += scores[c, i] >= lowest
            winners[i], margins[i] = _recount(scores[:, i], close[:n_close], column, evidence)


@njit()
def _two_best(scores, n_rows):  # type: ignore[no-untyped-def]
    best = scores[0, :n_rows].copy()
    second = np.zeros(n_rows, np.uint16)
    winner = np.zeros(n_rows, np.uint16)
    for c in range(1, len(scores)):
        name = np.uint16(c)
        row = scores[c]
        for i in range(n_rows):
            ahead = row[i] > best[i]
            lower = best[i] if ahead else row[i]
            best[i] = row[i] if ahead else best[i]
            winner[i] = name if ahead else winner[i]
            second[i] = max(second[i], lower)
    return best, second, winner


@njit()
def _recount(steps, close, column, evidence):  # type: ignore[no-untyped-def]
    """Return winner and margin of a row with these steps and labels, among the close clusters."""
    totals = np.empty(len(close))
    _add_up(column, evidence.parts, close, np.int64(0), totals)
    for j in range(len(close)):
        totals[j] += PARTS * np.float64(steps[close[j]])
    winner, lead = _lead(totals)
    if lead > evidence.doubt_in_parts:
        return close[winner], evidence.unit * lead / PARTS
    _add_up(column, evidence.exact, close, 0.0, totals)
    winner, lead = _lead(totals)
    return close[winner], lead


@njit()
def _add_up(column, table, close, zero, totals):  # type: ignore[no-untyped-def]
    """Add up, partition by partition, what the labels in ``column`` give the close clusters.

    Two clusters at a time: mostly there are two, and their entries lie side by side.
    """
    for j in range(0, len(close), 2):
        c, d = close[j], close[min(j + 1, len(close) - 1)]
        first, second = zero, zero
        if table.ndim == 1:
            for k in range(len(column)):
                first += table[k] if column[k] == c else zero
                second += table[k] if column[k] == d else zero
        else:
            last = np.uint8(table.shape[1] - 1)
            for k in range(len(column)):
                # a label the tables do not know must not read foreign memory
                label = min(column[k], last)
                first += table[k, label, c]
                second += table[k, label, d]
        totals[j] = first
        totals[min(j + 1, len(close) - 1)] = second


@njit()
def _lead(totals):  # type: ignore[no-untyped-def]
    """Return the first of the largest and how far it is above the second largest."""
    winner, top, second = 0, totals[0], -np.inf
    for c in range(1, len(totals)):
        if totals[c] > top:
            winner, top, second = c, totals[c], top
        elif totals[c] > second:
            second = totals[c]
    return winner, top - second
