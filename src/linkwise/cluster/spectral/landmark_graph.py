"""Rows as mixtures of a few near landmarks: the graph every landmark method starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.cluster.spectral.neighbours import nearest
from linkwise.typing import Matrix


@dataclass(frozen=True, eq=False)
class LandmarkGraph:
    """Connects every row, seen before or not, to its nearest landmarks.

    Attributes
    ----------
    landmarks : ndarray of shape (n_landmarks, n_features)
        In multiples of ``unit``.
    unit : float
        What rows are divided by before they are compared with landmarks.
    n_neighbors : int
        Landmarks a row is connected to, or all if there are fewer.
    """

    landmarks: NDArray[Any]
    unit: float
    n_neighbors: int

    def weights(self, X: Matrix) -> sp.csr_array:
        r"""Return the row-stochastic matrix Z of shape (n_samples, n_landmarks).

        A row is connected to landmark :math:`u_j` with weight :math:`\exp(-d_j^2 / 2 \sigma^2)`,
        where :math:`\sigma` is the distance to its farthest connected landmark; then its weights
        are divided by their sum.
        """
        r = min(self.n_neighbors, len(self.landmarks))
        index, weight = nearest(X, self.landmarks, r, self.unit)
        local = 2.0 * weight[:, -1:]
        local[local == 0.0] = 1.0  # all r landmarks sit on the row: equal weights
        weight /= -local
        np.exp(weight, out=weight)
        weight /= weight.sum(axis=1, keepdims=True)
        ends = np.arange(0, index.size + 1, r, dtype=np.int32 if index.size < 2**31 else np.int64)
        shape = (X.shape[0], len(self.landmarks))
        Z = sp.csr_array((weight.reshape(-1), index.reshape(-1), ends), shape=shape)
        Z.sort_indices()
        return Z
