"""Square roots of metrics: the maps whose plain distances are those of a metric."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def square_root(metric: Floats) -> Floats:
    """Return the symmetric square root; what rounding made negative counts as nothing."""
    values, vectors = np.linalg.eigh(metric)
    root: Floats = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return root


def inverse_root(covariance: Floats) -> Floats:
    """Return the symmetric inverse square root; directions without variance are left out."""
    values, vectors = np.linalg.eigh(covariance)
    seen = values > values[-1] * len(values) * np.finfo(np.float64).eps
    root: Floats = (vectors[:, seen] / np.sqrt(values[seen])) @ vectors[:, seen].T
    return root
