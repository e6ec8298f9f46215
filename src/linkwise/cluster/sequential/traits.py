"""What rows are like: unit vectors, of the graph's smooth directions and of the features.

The product of two of them says how far what is true of one row holds for the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from linkwise.cluster.consensus import unit_rows

Floats = NDArray[np.float64]

#: Share of the features in how alike two rows are; the rest is the graph's.
FEATURE_SHARE = 0.25


@dataclass(frozen=True, eq=False)
class Traits:
    """The traits of the landmarks, and how those of other rows are made.

    Attributes
    ----------
    landmarks : float64 array of shape (n_landmarks, n_traits)
        At most of length one: first directions of the graph, then the features.
    smoothness : float64 array of shape (n_directions,)
        How far each direction of the graph carries.
    centre, unit : float64 arrays of shape (n_features,)
        Mean and standard deviation of each feature.
    """

    landmarks: Floats
    smoothness: Floats
    centre: Floats
    unit: Floats

    @classmethod
    def of(cls, vectors: Floats, smoothness: Floats, features: NDArray[Any]) -> Traits:
        """Describe the landmarks by the eigenvectors of their graph and by their features."""
        wide = features.astype(np.float64)
        centre, unit = wide.mean(axis=0), np.maximum(wide.std(axis=0), 1e-9)
        landmarks = _describe(vectors * smoothness, (wide - centre) / unit)
        return cls(landmarks, smoothness, centre, unit)

    def describe(self, vectors: Floats, features: Floats) -> Floats:
        """Return the traits of rows, given as the landmarks were."""
        return _describe(vectors * self.smoothness, (features - self.centre) / self.unit)

    @property
    def prior(self) -> Floats:
        """How much each trait counts before anybody spoke: the graph's fully, the others not."""
        by_graph = np.arange(self.landmarks.shape[1]) < len(self.smoothness)
        return by_graph / (1.0 - FEATURE_SHARE)

    def leading_axes(self, similarity: Floats, n_axes: int) -> Floats:
        """Return the axes, (n_traits, n_axes), along which landmarks are placed.

        What the landmarks are along them are the leading eigenvectors of how alike they are, where
        ``similarity`` says how much each pair of traits counts.
        """
        long, short = self._principal
        between = long.T @ similarity @ long
        n = len(between)
        kept = [max(n - n_axes, 0), n - 1]
        _, vectors = eigh((between + between.T) / 2, subset_by_index=kept)
        return np.asarray(short @ vectors)

    @cached_property
    def _principal(self) -> tuple[Floats, Floats]:
        """Principal axes of the landmarks' traits, times and divided by their length."""
        values, vectors = eigh(self.landmarks.T @ self.landmarks)
        kept = values > 1e-9 * values[-1]
        length = np.sqrt(values[kept])
        return vectors[:, kept] * length, vectors[:, kept] / length


def _describe(graph: Floats, features: Floats) -> Floats:
    parts = np.sqrt(1.0 - FEATURE_SHARE) * unit_rows(graph), unit_rows(features)
    return np.hstack([parts[0], np.sqrt(FEATURE_SHARE) * parts[1]])
