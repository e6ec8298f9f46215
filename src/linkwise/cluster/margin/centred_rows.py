"""Rows as maximum margin methods see them: centred, of mean squared norm 1, never densified."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, svds

from linkwise.typing import Matrix, is_csr

Floats = NDArray[np.float64]

#: Up to so many features their covariance matrix is decomposed as a whole.
MOST_DENSE = 1500


class CentredRows:
    """The rows of a table, less ``mean`` and divided by ``scale``.

    Sparse rows stay sparse: their mean is taken off the scores instead.
    """

    def __init__(self, X: Matrix, mean: Floats, scale: float) -> None:
        self.mean = mean
        self.scale = scale
        self.sparse = is_csr(X)
        self._matrix = X.astype(np.float64) if self.sparse else (X - mean) / scale
        self._transposed = self._matrix.T

    @classmethod
    def of(cls, X: Matrix) -> CentredRows:
        """Return the rows of ``X`` less their mean, divided by their root mean square norm."""
        mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
        if is_csr(X):
            total = float(X.multiply(X).sum(dtype=np.float64))
            spread = total / X.shape[0] - float(mean @ mean)
        else:
            spread = float(np.square(X - mean).sum()) / X.shape[0]
        return cls(X, mean, float(np.sqrt(spread)) if spread > 0 else 1.0)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of features."""
        n, d = self._matrix.shape
        return int(n), int(d)

    def take(self, rows: NDArray[np.integer[Any]]) -> CentredRows:
        """Return some of the rows, with the same mean and scale taken off."""
        part = object.__new__(CentredRows)
        part.mean, part.scale, part.sparse = self.mean, self.scale, self.sparse
        part._matrix = self._matrix[rows]
        part._transposed = part._matrix.T
        return part

    def scores(self, W: Floats) -> Floats:
        """Return the rows times ``W``."""
        S: Floats = self._matrix @ W
        return (S - self.mean @ W) / self.scale if self.sparse else S

    def pull(self, D: Floats) -> Floats:
        """Return the transposed rows times ``D``: the gradient by W where D is that by scores."""
        G: Floats = self._transposed @ D
        return (G - np.outer(self.mean, D.sum(axis=0))) / self.scale if self.sparse else G

    def principal_directions(self, n_directions: int) -> Floats:
        """Return orthonormal columns, at most ``n_directions``, along which the rows vary most."""
        n, d = self.shape
        n_directions = min(n_directions, n - 1, d - 1)
        if d <= MOST_DENSE:
            covariance = self.pull(self.scores(np.eye(d)))
            _, found = eigh(covariance, subset_by_index=(d - n_directions, d - 1))
            return np.asarray(found[:, ::-1])
        operator = LinearOperator(
            (n, d),
            matvec=lambda v: self.scores(v.reshape(d, -1)),
            rmatvec=lambda v: self.pull(v.reshape(n, -1)),
            dtype=np.float64,
        )
        start = np.random.RandomState(0).normal(size=min(n, d))  # any that is not orthogonal
        _, length, found = svds(operator, k=n_directions, v0=start)
        return np.asarray(found[np.argsort(-length)].T)
