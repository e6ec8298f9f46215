"""A fitted maximum margin model: rows in, one score per cluster out."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.fourier_features import FourierFeatures
from linkwise.errors import ConstraintWarning
from linkwise.typing import Matrix

Floats = NDArray[np.float64]


class LinearScores:
    """Scores of centred and scaled rows, or of their Fourier features, by weights ``W``."""

    def __init__(
        self, rows: CentredRows, W: Floats, features: FourierFeatures | None = None
    ) -> None:
        self.mean, self.scale, self.W, self.features = rows.mean, rows.scale, W, features

    def __call__(self, X: Matrix) -> Floats:
        """Return the scores, shape (n_samples, n_clusters)."""
        X = X if self.features is None else self.features(X)
        return CentredRows(X, self.mean, self.scale).scores(self.W)


def best_cluster(scores: Floats) -> NDArray[np.int32]:
    """Return the cluster with the highest score of each row."""
    return np.asarray(scores.argmax(axis=1), dtype=np.int32)


def lead(scores: Floats) -> Floats:
    """Return by how much the best score of each row beats the next; 0 where there is but one."""
    if scores.shape[1] == 1:
        return np.zeros(len(scores))
    two = np.partition(scores, -2, axis=1)[:, -2:]
    return np.asarray(two[:, 1] - two[:, 0])


def warn_of_lost_clusters(owner: object, labels: NDArray[np.int32], n_clusters: int) -> None:
    """Say so when fewer clusters were found than asked for."""
    n_found = len(np.unique(labels))
    if n_found < n_clusters:
        warnings.warn(
            f"{type(owner).__name__}: {n_found} clusters were found where "
            f"n_clusters={n_clusters} were asked for. A smaller alpha or more links may keep them "
            f"apart.",
            ConstraintWarning,
            stacklevel=4,
        )
