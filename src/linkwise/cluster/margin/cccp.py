"""The concave-convex procedure: minimise a convex bound that touches, move, touch again."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.problem import MarginProblem, Tangent

Floats = NDArray[np.float64]

#: Widths over which hinge and maximum are smoothed, one after the other. Without the first, wide
#: one L-BFGS sticks at the kinks around W = 0.
WIDTHS = (0.3, 0.05)

Solver = Callable[..., Floats]


class Descent(NamedTuple):
    """Where the procedure ended; ``path`` is the objective at the start and after each round."""

    W: Floats
    path: list[float]
    n_iter: int


def only_cluster(rows: CentredRows) -> Descent:
    """Return the one end there is with a single cluster, whose scores nothing has to beat."""
    return Descent(np.zeros((rows.shape[1], 1)), [0.0], 1)


def descend(
    problem: MarginProblem[Tangent], W: Floats, solver: Solver, max_iter: int, tol: float
) -> Descent:
    """Run the procedure from ``W``, until the objective falls by less than ``tol`` of itself.

    The objective never rises: a round that would raise it, as inexact solvers may, is not taken.
    """
    path = [problem.objective(W)]
    tangent = problem.tangent(W)
    for _ in range(max_iter):
        moved = solver(problem, W, tangent)
        value = problem.objective(moved)
        if value >= path[-1]:
            break
        W = moved
        path.append(value)
        touched, tangent = tangent, problem.tangent(W)
        unmoved = all(np.array_equal(a, b) for a, b in zip(tangent, touched, strict=True))
        if unmoved or path[-2] - value < tol * path[-2]:
            break
    return Descent(W, path, len(path) - 1)


def lbfgs(
    problem: MarginProblem[Tangent],
    W: Floats,
    tangent: Tangent,
    widths: tuple[float, ...] = WIDTHS,
    max_evaluations: int = 60,
) -> Floats:
    """Minimise the smoothed bound by L-BFGS, each width starting where the last one ended."""
    shape = W.shape

    def value_and_slope(flat: Floats, width: float) -> tuple[float, Floats]:
        value, slope = problem.surrogate(flat.reshape(shape), tangent, width)
        return value, slope.ravel()

    for width in widths:
        found = minimize(
            value_and_slope,
            W.ravel(),
            args=(width,),
            jac=True,
            method="L-BFGS-B",
            options={"maxfun": max_evaluations},
        )
        W = found.x.reshape(shape)
    return W


def subgradient(
    problem: MarginProblem[Tangent],
    W: Floats,
    tangent: Tangent,
    tol: float = 0.01,
    max_steps: int = 1000,
) -> Floats:
    """Minimise the bound by projected subgradient steps (Algorithm 2 of the paper).

    The minimum lies within ``radius`` of 0: there alpha |W|^2 and the losses together are at most
    the losses at 0. The first step, 1/alpha, is so long that where it starts hardly matters.
    """
    radius = np.sqrt(problem.surrogate(np.zeros_like(W), tangent)[0] / problem.alpha)
    for t in range(1, max_steps + 1):
        previous = W
        W = W - problem.surrogate(W, tangent)[1] / (problem.alpha * t)
        W *= min(1.0, radius / max(np.linalg.norm(W), 1e-300))
        longest = max(np.linalg.norm(W), np.linalg.norm(previous))
        if np.linalg.norm(W - previous) <= tol * longest:
            break
    return W
