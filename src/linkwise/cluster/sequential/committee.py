r"""How SequentialClustering listens: learn from parts of the answers, and let the rest judge.

Each fold of the answers is left out in turn. From what remains the landmarks are clustered and
corrected; the memberships are averaged over the folds, so nothing is chosen and a single answer
moves little. How well the answers that were left out are predicted, compared with
how well the clusters without any answers predict them, says how far the average counts: its weight
is :math:`\sigma(2 (z - d))`, where :math:`z` is the gain in standard errors and :math:`d` the share
of the answers that are not facts. The same predictions say how often people are wrong, and which
answers probably are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from linkwise.cluster.sequential.answers import ERROR_RATE, N_FOLDS, Answers, Floats, Ints
from linkwise.cluster.sequential.classify import classify, known_clusters
from linkwise.cluster.sequential.landmarks import Basis, one_hot
from linkwise.cluster.sequential.regroup import CHANGE, regroup
from linkwise.cluster.sequential.views import Places, see
from linkwise.kernels.belief import softmax_rows

#: As many answers would have to say otherwise before the error rate moves half the way to them.
PRIOR_ANSWERS = 200
#: Shares of rows that clusters may misplace, and rates at which people may be wrong; the answers
#: weigh them.
_MISPLACED = np.array([0.02, 0.05, 0.1, 0.2, 0.4, 0.8])
_RATES = np.concatenate([[0.002, 0.005], np.arange(0.01, 0.41, 0.01)])


@dataclass(frozen=True, eq=False)
class Posterior:
    """What the answers amount to; independent of the number of rows.

    ``memberships`` (n_landmarks, n_clusters) are of the landmarks, ``spoken`` (n_rows, n_clusters)
    of the rows spoken about; ``suspicion`` is the probability that each link is wrong; ``weight``
    says how much of what was learned counts; ``cluster_of`` is the cluster of each named class;
    ``evidence`` is the log-likelihood of all answers by what did not see them.
    """

    memberships: Floats
    spoken: Floats
    suspicion: Floats
    error_rate: float
    weight: float
    cluster_of: Ints
    evidence: float


class Calibration(NamedTuple):
    """Posterior means: share of misplaced rows, error rate, and chance that a pair is together."""

    misplaced: float
    error_rate: float
    together: Floats


def listen(basis: Basis, places: Places, answers: Answers) -> Posterior:
    """Return what the answers make of the landmarks and of the rows spoken about."""
    r = basis.n_clusters
    alone = one_hot(basis.labels, r)
    votes = basis.votes(alone, places.blocks)
    cluster_of = name_clusters(answers, votes, r)
    plain = calibrate(answers, answers.together(votes), r)
    believed = 1.0 - suspicion(answers, plain.together, plain.error_rate)
    learned = _learn(basis, places, answers, believed, cluster_of)
    judged = calibrate(answers, learned.together, r)
    weight = _weight(answers, judged, plain)
    together = weight * judged.together + (1.0 - weight) * plain.together
    rate = calibrate(answers, together, r).error_rate
    return Posterior(
        memberships=weight * learned.memberships + (1.0 - weight) * alone,
        spoken=weight * learned.spoken + (1.0 - weight) * votes,
        suspicion=suspicion(answers, together, rate)[: answers.n_links],
        error_rate=rate,
        weight=weight,
        cluster_of=cluster_of,
        evidence=_log_likelihood(answers, together),
    )


class Learned(NamedTuple):
    """What folds learned on average; ``together`` is what those predict that left an answer out."""

    memberships: Floats
    spoken: Floats
    together: Floats


def _learn(
    basis: Basis, places: Places, answers: Answers, believed: Floats, cluster_of: Ints
) -> Learned:
    """Learn from all folds but one, in turn, and average."""
    r = basis.n_clusters
    memberships, spoken = 1e-9 * one_hot(basis.labels, r), np.zeros((len(answers.rows), r))
    together, times = np.zeros(len(answers)), np.zeros(len(answers))
    for fold in range(N_FOLDS):
        out, part = answers.left_out(fold), answers.without(fold)
        landmarks, rows = _learn_part(basis, places, part, believed[~out], cluster_of)
        names = _names_like(memberships, landmarks, cluster_of)
        memberships += landmarks[:, names]
        spoken += rows[:, names]
        together += np.where(out, answers.together(rows), 0.0)
        times += out
    return Learned(memberships / N_FOLDS, spoken / N_FOLDS, together / np.maximum(times, 1.0))


def _learn_part(
    basis: Basis, places: Places, answers: Answers, believed: Floats, cluster_of: Ints
) -> tuple[Floats, Floats]:
    """Return memberships of the landmarks and of the rows, by a part of the answers."""
    r = basis.n_clusters
    view = see(basis, places, answers, believed)
    labels = one_hot(regroup(view.coordinates, basis.labels, places.mixture, answers), r)
    rows, landmarks = basis.votes(labels, places.blocks), basis.votes(labels, basis.blocks)
    names = _names_of_classes(answers, rows, _overlap(one_hot(basis.labels, r), labels), cluster_of)
    rows, landmarks = rows[:, names], landmarks[:, names]
    misplaced = calibrate(answers, answers.together(rows), r).misplaced
    known = known_clusters(answers, believed, rows, cluster_of)
    weights, memberships = classify(_log(rows, misplaced), view.rows, answers, known)
    return softmax_rows(_log(landmarks, misplaced) + view.landmarks @ weights), memberships


def _log(shares: Floats, misplaced: float) -> Floats:
    return np.asarray(np.log((1.0 - misplaced) * shares + misplaced / shares.shape[1]))


def calibrate(answers: Answers, together: Floats, n_clusters: int) -> Calibration:
    """Average over how many rows are misplaced and how often people are wrong, by the answers.

    A pair of which neither row is misplaced is together with the given chance, any other as often
    as rows at random. What is assumed of the error rate counts as ``PRIOR_ANSWERS`` answers.
    """
    kept = (1.0 - _MISPLACED[:, None]) ** 2
    same = kept * together + (1.0 - kept) / n_clusters
    right = np.where(answers.must, same, 1.0 - same)
    prior = PRIOR_ANSWERS * (ERROR_RATE * np.log(_RATES) + (1 - ERROR_RATE) * np.log1p(-_RATES))
    value = np.array(
        [np.log(right + answers.error(rate) * (1.0 - 2.0 * right)).sum(axis=1) for rate in _RATES]
    )
    value += prior[:, None]
    weight = np.exp(value - value.max())
    weight /= weight.sum()
    misplaced = weight.sum(axis=0)
    return Calibration(
        misplaced=float(misplaced @ _MISPLACED),
        error_rate=float(weight.sum(axis=1) @ _RATES),
        together=misplaced @ same,
    )


def suspicion(answers: Answers, together: Floats, rate: float) -> Floats:
    """Return the probability that each answer is wrong; facts never are."""
    right = answers.holds(together)
    wrong = rate * (1.0 - right) / (rate * (1.0 - right) + (1.0 - rate) * right)
    return np.where(answers.is_fact, 0.0, wrong)


def _log_likelihood(answers: Answers, together: Floats) -> float:
    """Return how well answers are predicted; by one error rate, so that models can be compared."""
    right, error = answers.holds(together), answers.error(ERROR_RATE)
    return float(np.log(np.maximum(right + error * (1.0 - 2.0 * right), 1e-3)).sum())


def _weight(answers: Answers, judged: Calibration, plain: Calibration) -> float:
    """Return how far what was learned counts, against the clusters without answers."""
    if len(answers) == 0:
        return 0.0
    error = answers.error(judged.error_rate)
    right, before = answers.holds(judged.together), answers.holds(plain.together)
    gain = np.log(np.maximum(right + error * (1.0 - 2.0 * right), 1e-3)) - np.log(
        np.maximum(before + error * (1.0 - 2.0 * before), 1e-3)
    )
    spread = np.square(gain - gain.mean()).sum()
    surely = gain.sum() / np.sqrt(spread + CHANGE**2)
    doubt = float((~answers.is_fact).mean())
    return float(1.0 / (1.0 + np.exp(np.clip(2.0 * (doubt - surely), -50.0, 50.0))))


def name_clusters(answers: Answers, votes: Floats, n_clusters: int) -> Ints:
    """Give every named class the cluster that most of its rows look like, each its own."""
    share = np.zeros((answers.n_classes, n_clusters))
    is_named = answers.named >= 0
    np.add.at(share, answers.named[is_named], votes[is_named])
    return np.asarray(linear_sum_assignment(share, maximize=True)[1], dtype=np.int64)


def _names_of_classes(answers: Answers, votes: Floats, overlap: Floats, cluster_of: Ints) -> Ints:
    """Return which cluster gets each name: classes keep theirs, the others stay who they were."""
    if answers.n_classes:
        found = name_clusters(answers, votes, votes.shape[1])
        overlap = overlap.copy()
        overlap[cluster_of[: len(found)], found] += overlap.sum() + 1.0
    return np.asarray(linear_sum_assignment(overlap, maximize=True)[1])


def _names_like(reference: Floats, memberships: Floats, cluster_of: Ints) -> Ints:
    """Return which cluster gets each name so that both agree most; classes keep theirs."""
    overlap = _overlap(reference, memberships)
    overlap[cluster_of, cluster_of] += overlap.sum() + 1.0
    return np.asarray(linear_sum_assignment(overlap, maximize=True)[1])


def _overlap(reference: Floats, memberships: Floats) -> Floats:
    return np.asarray(reference.T @ memberships)
