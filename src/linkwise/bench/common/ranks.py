"""Mean ranks of methods over data sets, and how far apart they must be to mean something."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, studentized_range

Floats = NDArray[np.float64]


def mean_ranks(scores: Floats) -> Floats:
    """Return the mean rank of each method, 1 for the best.

    Parameters
    ----------
    scores : ndarray of shape (n_sets, n_methods)
        Larger is better. NaN, where a method gave no result, is worse than any score; equal
        scores share their ranks.

    Examples
    --------
    >>> mean_ranks(np.array([[0.9, 0.5, np.nan], [0.3, 0.8, 0.3]])).tolist()
    [1.75, 1.5, 2.75]
    """
    filled = np.where(np.isnan(scores), -np.inf, scores)
    ranks: Floats = rankdata(-filled, axis=1).mean(axis=0)
    return ranks


def critical_difference(n_methods: int, n_sets: int, level: float = 0.05) -> float:
    """Return the difference of mean ranks that chance exceeds in a share ``level`` of cases.

    Nemenyi's test, as recommended by Demšar (Journal of Machine Learning Research 7, 2006).

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    quantile = float(studentized_range.ppf(1 - level, n_methods, np.inf)) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))
