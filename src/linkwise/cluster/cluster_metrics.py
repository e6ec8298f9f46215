"""One Mahalanobis metric per cluster, diagonal or full."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: No direction may vary less than this share of the mean variance.
LEAST = 1e-3


class ClusterMetrics:
    """How each cluster measures distances.

    Parameters
    ----------
    covariance : ndarray of shape (n_clusters, n_features) or (n_clusters, n_features, n_features)
        Inverse of each metric: its diagonal, or the full matrix. Must be positive.
    """

    def __init__(self, covariance: Floats) -> None:
        self.full = covariance.ndim == 3
        if self.full:
            lower = np.linalg.cholesky(covariance)
            self._factor = np.swapaxes(np.linalg.inv(lower), 1, 2)
            variances = np.square(np.diagonal(lower, axis1=1, axis2=2))
        else:
            self._factor = 1.0 / np.sqrt(covariance)
            variances = covariance
        self.log_det = -np.log(variances).sum(axis=1)

    @classmethod
    def learn(cls, scatter: Floats, counts: Floats, shape: Floats | float = 1.0) -> ClusterMetrics:
        """Return the metrics for which each cluster's scatter over its rows is white.

        The scatter is mixed with one worth one row per parameter of a feature, so that small
        clusters keep a plain metric: isotropic, or with features that vary as ``shape`` says.
        """
        n_features = scatter.shape[1]
        full = scatter.ndim == 3
        diagonals = np.diagonal(scatter, axis1=1, axis2=2) if full else scatter
        variance = diagonals.sum() / (max(counts.sum(), 1) * n_features)
        if variance <= 0:  # every row sits on its centre, or broken links outweigh the rows
            variance = 1.0
        prior = n_features if full else 1
        plain = variance * np.broadcast_to(shape, n_features)
        mixed = scatter + prior * (np.diag(plain) if full else plain)
        covariance = mixed / (counts + prior).reshape((-1, 1, 1) if full else (-1, 1))
        if not full:
            return cls(np.maximum(covariance, LEAST * plain))
        unit = np.sqrt(plain)
        values, vectors = np.linalg.eigh(covariance / np.outer(unit, unit))
        lifted = (vectors * np.maximum(values, LEAST)[:, None, :]) @ np.swapaxes(vectors, 1, 2)
        return cls(lifted * np.outer(unit, unit))

    @property
    def matrices(self) -> Floats:
        """The metrics: diagonals or full matrices, one per cluster."""
        if self.full:
            return self._factor @ np.swapaxes(self._factor, 1, 2)
        return np.square(self._factor)

    def squared_norms(self, differences: NDArray[Any], k: int) -> Floats:
        """Return the squared length of each row as cluster ``k`` sees it."""
        factor = self._factor[k]
        seen = differences @ factor if self.full else differences * factor
        norms: Floats = np.einsum("ij,ij->i", seen, seen)
        return norms

    def costs(self, X: NDArray[Any], centers: NDArray[Any]) -> Floats:
        """Return the price of every row in every cluster: distance less log determinant."""
        each = [self.squared_norms(X - center, k) for k, center in enumerate(centers)]
        return np.asarray(np.column_stack(each) - self.log_det)

    def extremes(self, X: NDArray[Any]) -> tuple[Floats, Floats]:
        """Return for each cluster the difference of two rows far apart, and how far it finds them.

        One is the row farthest from the mean, the other the row farthest from that one.
        """
        apart = np.empty((len(self._factor), X.shape[1]))
        length = np.empty(len(apart))
        centred = X - X.mean(axis=0)
        for k in range(len(apart)):
            if k > 0 and np.array_equal(self._factor[k], self._factor[k - 1]):
                apart[k], length[k] = apart[k - 1], length[k - 1]
                continue
            one = X[self.squared_norms(centred, k).argmax()]
            norms = self.squared_norms(X - one, k)
            apart[k] = X[norms.argmax()] - one
            length[k] = norms.max()
        return apart, length


def scatter_of(differences: NDArray[Any], full: bool, weight: Floats | None = None) -> Floats:
    """Return the weighted sum of the rows' outer products, or its diagonal."""
    weighted = differences if weight is None else differences * weight[:, None]
    how = "ij,ik->jk" if full else "ij,ij->j"
    total: Floats = np.einsum(how, weighted, differences, dtype=np.float64, optimize=full)
    return total
