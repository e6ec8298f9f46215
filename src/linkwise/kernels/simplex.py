"""The probability simplex: projection onto it, and quadratic programs over it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def project_to_simplex(v: Floats) -> Floats:
    """Return the nearest vector with entries >= 0 that sum to 1.

    That is ``max(v - theta, 0)`` for the one ``theta`` that makes the sum 1, found by sorting.

    Examples
    --------
    >>> project_to_simplex(np.array([0.5, 0.9, -3.0])).round(6).tolist()
    [0.3, 0.7, 0.0]
    """
    ranked = np.sort(v)[::-1]
    thetas = (np.cumsum(ranked) - 1.0) / np.arange(1, len(v) + 1)
    theta = thetas[np.flatnonzero(ranked > thetas)[-1]]
    return np.asarray(np.maximum(v - theta, 0.0))


def minimise_on_simplex(
    A: Floats, start: Floats, regularisation: float, max_iter: int = 2000, tol: float = 1e-10
) -> Floats:
    """Minimise ``x.A.x + regularisation * |x - start|^2`` over the simplex.

    ``A`` is symmetric and positive semidefinite. Accelerated projected gradient (FISTA) with
    restarts; stops when a step changes no entry by more than ``tol``.

    Examples
    --------
    >>> minimise_on_simplex(np.diag([1.0, 3.0]), np.array([0.5, 0.5]), 0.0).round(6).tolist()
    [0.75, 0.25]
    """
    steepness = 2.0 * (np.linalg.norm(A, 2) + regularisation)
    x = start
    if steepness == 0.0:
        return x
    ahead, momentum = x, 1.0
    for _ in range(max_iter):
        gradient = 2.0 * (A @ ahead + regularisation * (ahead - start))
        new = project_to_simplex(ahead - gradient / steepness)
        if np.abs(new - x).max() <= tol:
            return new
        if gradient @ (new - x) > 0:  # going uphill: forget the momentum
            momentum = 1.0
        next_momentum = (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum)) / 2.0
        ahead = new + (momentum - 1.0) / next_momentum * (new - x)
        x, momentum = new, next_momentum
    return x
