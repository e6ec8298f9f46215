r"""Classes as Gaussians that share one covariance, wherever landmarks and rows have coordinates.

Row :math:`i` of class :math:`c` is :math:`x_i \sim N(\mu_c, S)`. Starting from clusters,
expectation and maximisation go on over the landmarks and the rows spoken about, belief propagation
saying what the latter are. Where the coordinates are features this finds what a graph of neighbours
does not see: all rows together tell which directions vary inside a class.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from linkwise.cluster.sequential.answers import ERROR_RATE, Answers, Floats
from linkwise.cluster.sequential.known import Known
from linkwise.cluster.sequential.landmarks import one_hot
from linkwise.kernels.belief import propagate, softmax_rows

#: How many landmarks a row that was spoken about counts for, as far as answers reach.
TEACHING = 30.0
_N_STEPS = 6
#: Share of the mean variance that every direction of the features has at least.
_LEAST_VARIANCE = 1e-4
#: Chance that a row is not what a witness says: nothing is beyond doubt.
_ASTRAY = 0.01
#: Nothing that rows tell each other is believed more.
_SURE = 0.999


class Points(NamedTuple):
    """Coordinates of the landmarks and of the rows spoken about."""

    landmarks: NDArray[Any]
    rows: Floats


def fit_gaussians(
    points: Points, answers: Answers, landmarks: Floats, rows: Floats, known: Known
) -> Floats:
    """Return memberships of the landmarks; those at first where they have no coordinates.

    Parameters
    ----------
    points : Points
        Where landmarks and rows lie.
    answers : Answers
        What was said.
    landmarks, rows : float64 arrays of shape (n_landmarks, n_clusters) and (n_rows, n_clusters)
        What they are thought to be at first.
    known : Known
        The cluster of rows whose class is as good as known.
    """
    n, r = landmarks.shape
    if points.landmarks.shape[1] == 0:
        return landmarks
    is_known, is_named = known.cluster >= 0, answers.named >= 0
    truth, names = one_hot(known.cluster[is_known], r), one_hot(known.cluster[is_named], r)
    sure = np.minimum(known.sure[is_known, None], _SURE)
    places = np.vstack([points.landmarks.astype(np.float64), points.rows])
    weight = np.append(np.ones(n), TEACHING * _reached(answers))
    member = np.vstack([landmarks, rows])
    if_same, if_not = answers.chances(ERROR_RATE)
    messages = np.zeros((len(answers), 2, r))
    for step in range(_N_STEPS):
        member = softmax_rows(_scores(places, weight, member))
        alone = doubted(member[n:])
        alone[is_known] = sure * truth + (1.0 - sure) * alone[is_known]
        sweeps = 1 if step else 3
        told = propagate(alone, messages, answers.i, answers.j, if_same, if_not, sweeps)
        rows = softmax_rows(np.log(alone) + told)
        rows[is_named] = names
        member = np.vstack([member[:n], rows])
    return member[:n]


def doubted(member: Floats) -> Floats:
    """Return memberships of which none is beyond doubt, so that no witness overrules all others."""
    return np.asarray((1.0 - _ASTRAY) * member + _ASTRAY / member.shape[1])


def _reached(answers: Answers) -> Floats:
    """Return how far what was said of each row reaches; a name does fully."""
    reached = (answers.named >= 0).astype(np.float64)
    for end in (answers.i, answers.j):
        np.maximum.at(reached, end, answers.reach)
    return reached


def _scores(points: Floats, weight: Floats, member: Floats) -> Floats:
    """Fit the Gaussians; return each point's log-density in each, up to a term of the point."""
    counted = member * weight[:, None]
    size = counted.sum(axis=0) + 1e-9
    means = counted.T @ points / size[:, None]
    scatter = (points * weight[:, None]).T @ points - (means * size[:, None]).T @ means
    scaling = whitening(scatter / size.sum())
    centres = means @ scaling
    return np.asarray((points @ scaling) @ centres.T - np.square(centres).sum(1) / 2 + np.log(size))


def whitening(covariance: Floats) -> Floats:
    """Return the linear map after which a covariance is alike in all directions."""
    values, vectors = eigh(covariance)
    least = _LEAST_VARIANCE * values.mean() + 1e-300
    return np.asarray(vectors / np.sqrt(np.maximum(values, least)))
