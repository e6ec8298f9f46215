r"""Classes as Gaussians that share one covariance: what features say that the graph does not see.

Row :math:`i` of class :math:`c` is :math:`x_i \sim N(\mu_c, S)`. Starting from what the graph makes
of the answers, expectation and maximisation go on over the landmarks and the rows spoken about,
belief propagation saying what the latter are. All rows together tell :math:`S` far better than the
few differences between must-linked ones do.
"""

from __future__ import annotations

import numpy as np

from linkwise.cluster.sequential.answers import ERROR_RATE, Answers, Floats, Ints
from linkwise.cluster.sequential.landmarks import Basis, one_hot
from linkwise.cluster.sequential.views import Places, whitening
from linkwise.kernels.belief import propagate, softmax_rows

#: How many landmarks a row that was spoken about counts for, as far as answers reach.
TEACHING = 30.0
_N_STEPS = 6
#: Share of the mean variance that every direction of the features has at least.
_LEAST_VARIANCE = 1e-4
#: Chance that a row is not where its Gaussian says: no distance is beyond doubt.
_ASTRAY = 0.01


def fit_gaussians(
    basis: Basis,
    places: Places,
    answers: Answers,
    believed: Floats,
    landmarks: Floats,
    rows: Floats,
    known: Ints,
) -> Floats:
    """Return memberships of the landmarks; those at first where there are no features.

    Parameters
    ----------
    basis : Basis
        The landmarks.
    places : Places
        Where the rows spoken about lie among them.
    answers : Answers
        What was said.
    believed : float64 array of shape (n_pairs,)
        How far each answer is believed.
    landmarks, rows : float64 arrays of shape (n_landmarks, n_clusters) and (n_rows, n_clusters)
        What they are thought to be at first.
    known : int64 array of shape (n_rows,)
        The cluster of rows whose class is known, -1 for the others.
    """
    n, r = landmarks.shape
    if basis.features.shape[1] == 0:
        return landmarks
    is_known = known >= 0
    truth = one_hot(known[is_known], r)
    points = np.vstack([basis.features.astype(np.float64), places.features])
    weight = np.append(np.ones(n), TEACHING * _reached(answers, believed))
    member = np.vstack([landmarks, rows])
    if_same, if_not = answers.chances(ERROR_RATE)
    messages = np.zeros((len(answers), 2, r))
    for step in range(_N_STEPS):
        member = softmax_rows(_scores(points, weight, member))
        alone = (1.0 - _ASTRAY) * member[n:] + _ASTRAY / r
        alone[is_known] = 0.999 * truth + 0.001 / r
        sweeps = 1 if step else 3
        told = propagate(alone, messages, answers.i, answers.j, if_same, if_not, sweeps)
        rows = softmax_rows(np.log(alone) + told)
        rows[is_known] = truth
        member = np.vstack([member[:n], rows])
    return member[:n]


def _reached(answers: Answers, believed: Floats) -> Floats:
    """Return how far what was said of each row reaches; a name does fully."""
    reached = (answers.named >= 0).astype(np.float64)
    for end in (answers.i, answers.j):
        np.maximum.at(reached, end, answers.reach(believed))
    return reached


def _scores(points: Floats, weight: Floats, member: Floats) -> Floats:
    """Fit the Gaussians; return each point's log-density in each, up to a term of the point."""
    counted = member * weight[:, None]
    size = counted.sum(axis=0) + 1e-9
    means = counted.T @ points / size[:, None]
    scatter = (points * weight[:, None]).T @ points - (means * size[:, None]).T @ means
    scaling = whitening(scatter / size.sum(), _LEAST_VARIANCE)
    centres = means @ scaling
    return np.asarray((points @ scaling) @ centres.T - np.square(centres).sum(1) / 2 + np.log(size))
