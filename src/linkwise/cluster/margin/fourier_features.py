"""Random Fourier features: a linear method on them is a Gaussian kernel method on the rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.typing import Matrix

Floats = NDArray[np.float64]


class FourierFeatures:
    r"""Random cosines whose inner products estimate :math:`e^{-\|x-y\|^2/2}`.

    Rows are centred and scaled first, so that the mean squared distance between two of them is 2:
    the kernel's width follows the data. scikit-learn's RBFSampler draws the same numbers and gives
    the same features, to the last bit, but could centre sparse rows only by making them dense.
    """

    def __init__(self, X: Matrix, n_components: int, rng: np.random.RandomState) -> None:
        rows = CentredRows.of(X)
        self.mean, self.scale = rows.mean, rows.scale
        self.directions = rng.normal(size=(X.shape[1], n_components))
        self.phases = rng.uniform(0, 2 * np.pi, size=n_components)

    def __call__(self, X: Matrix) -> Floats:
        """Return the features of the rows of ``X``, shape (n_samples, n_components)."""
        angles = CentredRows(X, self.mean, self.scale).scores(self.directions) + self.phases
        features: Floats = np.cos(angles, out=angles)
        features *= np.sqrt(2.0 / len(self.phases))
        return features
