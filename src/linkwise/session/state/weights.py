"""Weights: how much each answer is to be heard, by how far people agree about the same pairs.

With ``a`` agreements in ``n`` comparisons the smoothed rate of a person is ``(a + .98 s) / (n +
s)``, the mean of a Beta distribution that begins at the .98 everybody is believed with, as if
``s = 10`` comparisons had been made. The weight is the log-odds of that rate over the log-odds of
.98, kept between 0 and 1: somebody nobody contradicts weighs 1, somebody who agrees half of the
time weighs nothing. Weights follow from the standing events alone. So what is undone leaves no
trace in them, and a replay finds the same ones.
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.sequential.answers import ERROR_RATE
from linkwise.session.journal.log import SAME, UNSURE, Log

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: How many comparisons the belief that people are right counts as.
PRIOR_COMPARISONS = 10.0


def weight_of(agreed: int, compared: int) -> float:
    """Return how much somebody is to be heard who agreed so often."""
    if agreed == compared:
        return 1.0
    right = 1.0 - ERROR_RATE
    rate = (agreed + right * PRIOR_COMPARISONS) / (compared + PRIOR_COMPARISONS)
    return min(1.0, max(0.0, log(rate / (1.0 - rate)) / log(right / ERROR_RATE)))


def answer_weights(log: Log, n: int, standing: NDArray[np.bool_], n_rows: int) -> Floats:
    """Return the weight of each of the first ``n`` events, as far as they are answers.

    It is that of the person; but who says the same of a pair twice means it, and is heard as
    anybody is.
    """
    weights = np.ones(n)
    at = np.flatnonzero(log.compares(n) & standing)
    who, verdict = log.column("who", n)[at].astype(np.int64), log.column("verdict", n)[at]
    if len(at) == 0 or (who == who[0]).all():
        return weights
    i, j = log.column("i", n)[at], log.column("j", n)[at]
    pair = np.minimum(i, j) * n_rows + np.maximum(i, j)
    persons = _weights_of_persons(pair, who, verdict, len(log.people))
    _, same, times = np.unique(
        np.column_stack([pair, who, verdict]), axis=0, return_inverse=True, return_counts=True
    )
    weights[at] = np.where(times[same.ravel()] > 1, 1.0, persons[who])
    return weights


def _weights_of_persons(pair: Ints, who: Ints, verdict: NDArray[np.int8], n_people: int) -> Floats:
    """Return the weight of each person, from what everybody said last of each pair."""
    order = np.lexsort((np.arange(len(pair)), who, pair))
    pair, who, verdict = pair[order], who[order], verdict[order]
    is_last = np.append((pair[1:] != pair[:-1]) | (who[1:] != who[:-1]), True)
    sure = is_last & (verdict != UNSURE)
    pair, who, verdict = pair[sure], who[sure], verdict[sure]
    _, of_pair, n_told = np.unique(pair, return_inverse=True, return_counts=True)
    _, of_verdict, n_same = np.unique(
        2 * of_pair + (verdict == SAME), return_inverse=True, return_counts=True
    )
    compared, agreed = np.zeros(n_people), np.zeros(n_people)
    np.add.at(compared, who, n_told[of_pair] - 1)
    np.add.at(agreed, who, n_same[of_verdict] - 1)
    return np.array([weight_of(int(a), int(c)) for a, c in zip(agreed, compared, strict=True)])
