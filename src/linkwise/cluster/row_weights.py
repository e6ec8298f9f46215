"""Rows that count more than others: what the estimators that weigh rows share."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.sparsefuncs import mean_variance_axis

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.starts import Weights
from linkwise.constraints import Knowledge
from linkwise.typing import Matrix, MatrixLike


class RowWeighingClusterer(ConstrainedClusterer):
    """Base of estimators whose sum over rows may weigh them.

    A subclass heeds ``_row_weights`` in ``_fit``.
    """

    def fit(
        self,
        X: MatrixLike,
        y: object = None,
        *,
        constraints: Knowledge | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Cluster the rows of ``X``, listening to ``constraints``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : ignored
            Present for scikit-learn; truth belongs to the scorer. Links and PartialLabels are
            refused here: they are ``constraints``.
        constraints : Links, PartialLabels, array-like of shape (n_samples,) or None
            What is known. A one-dimensional array is read as partial labels; -1, None, NaN
            and empty text mean unknown.
        sample_weight : array-like of shape (n_samples,) or None
            How much each row counts: one of weight 2 as two rows in the same place. A link counts
            once, whatever its rows weigh.

        Returns
        -------
        self
        """
        return self._run(X, y, constraints, sample_weight)

    def fit_predict(
        self,
        X: MatrixLike,
        y: object = None,
        *,
        constraints: Knowledge | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Labels:
        """Cluster the rows and return ``labels_``."""
        return self.fit(X, y, constraints=constraints, sample_weight=sample_weight).labels_


def weighed(cost: NDArray[Any], rows: NDArray[Any], weights: Weights) -> NDArray[Any]:
    """Return what ``rows`` cost in each cluster, times what they weigh."""
    return cost if weights is None else cost * weights[rows][:, None]


def counting(n_rows: int, weights: Weights) -> NDArray[np.float64]:
    """Return how much each row counts, as an array in any case."""
    return np.ones(n_rows) if weights is None else weights


def total_variance(X: Matrix, weights: Weights) -> float:
    """Return the trace of the covariance of the rows, as often as each counts."""
    if sp.issparse(X):
        heed = None if weights is None else weights.astype(X.dtype)
        return float(mean_variance_axis(X, axis=0, weights=heed)[1].sum())
    if weights is None:
        return float(X.var(axis=0, dtype=np.float64).sum())
    mean = np.average(X, axis=0, weights=weights)
    return float(np.average(np.square(X - mean), axis=0, weights=weights).sum())
