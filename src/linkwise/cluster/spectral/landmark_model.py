"""What landmark methods remember of a fit: enough to place new rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.cluster.spectral.embedding import BLOCK_ROWS, embed, nearest_center
from linkwise.cluster.spectral.landmark_graph import LandmarkGraph
from linkwise.typing import Matrix


@dataclass(frozen=True, eq=False)
class LandmarkModel:
    """Rows to landmarks, landmarks to coordinates, coordinates to the nearest centre.

    Attributes
    ----------
    graph : LandmarkGraph
    vectors : ndarray of shape (n_landmarks, n_vectors)
        Coordinates of each landmark.
    centers : ndarray of shape (n_clusters, n_vectors)
        Centres of the clusters among the unit rows of ``Z @ vectors``.
    """

    graph: LandmarkGraph
    vectors: NDArray[np.float64]
    centers: NDArray[np.float32]

    def label(self, Z: sp.csr_array) -> NDArray[np.int32]:
        """Return the cluster of each row of the graph's weights."""
        labels = np.empty(Z.shape[0], dtype=np.int32)
        for start in range(0, len(labels), BLOCK_ROWS):
            block = slice(start, start + BLOCK_ROWS)
            labels[block] = nearest_center(embed(Z[block], self.vectors), self.centers)
        return labels

    def predict(self, X: Matrix) -> NDArray[np.int32]:
        """Return the cluster of each row of ``X``."""
        return self.label(self.graph.weights(X))
