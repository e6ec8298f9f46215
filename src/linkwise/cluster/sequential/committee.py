r"""How SequentialClustering listens: learn from parts of the answers, and let the rest judge.

Each fold of the answers is left out in turn. What remains says which clusters there are, and
corrects the landmarks, once by their likeness and once more by Gaussians. Memberships are averaged
over the folds, so a single answer moves little. How much better one view predicts the answers that
were left out than another does says how far it counts: its weight is :math:`\sigma(s (z - d))`,
where :math:`z` is the gain in standard errors and :math:`d` the doubt beforehand. So the ways of
learning are mixed with each other, and then with the clusters that nobody said anything about. What
comes out judges the answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from linkwise.cluster.sequential.answers import ERROR_RATE, N_FOLDS, Answers, Floats, Ints
from linkwise.cluster.sequential.classify import classify, known_clusters
from linkwise.cluster.sequential.gaussians import fit_gaussians
from linkwise.cluster.sequential.judge import judge
from linkwise.cluster.sequential.landmarks import Basis, one_hot, shares
from linkwise.cluster.sequential.regroup import CHANGE, Atoms, claims, regroup
from linkwise.cluster.sequential.views import Places, see_likeness
from linkwise.cluster.sequential.walk import walk
from linkwise.kernels.belief import softmax_rows

#: Shares of rows that clusters may misplace; the answers weigh them.
_MISPLACED = np.array([0.02, 0.05, 0.1, 0.2, 0.4, 0.8])
#: How steeply a weight grows with the evidence: of what was learned against no answers, and of one
#: way of learning against another, both of which listen.
STEEP = 2.0
GENTLE = 0.7
#: Power to which votes are raised where chances are read from them: a clear majority of partitions
#: is right far more often than it is large.
SHARPNESS = 4.0


@dataclass(frozen=True, eq=False)
class Posterior:
    """What the answers amount to; independent of the number of rows.

    ``memberships`` (n_landmarks, n_clusters) are what rows are voted by, ``seen`` what the
    landmarks are themselves, ``spoken`` (n_rows, n_clusters) what the rows spoken about are;
    ``suspicion`` is the probability that each link is wrong; ``weight`` says how much of what was
    learned counts; ``cluster_of`` is the cluster of each named class; ``evidence`` is the
    log-likelihood of all answers by what did not see them.
    """

    memberships: Floats
    seen: Floats
    spoken: Floats
    suspicion: Floats
    error_rate: float
    weight: float
    cluster_of: Ints
    evidence: float


class Calibration(NamedTuple):
    """Posterior means: share of misplaced rows, and chance that a pair is together."""

    misplaced: float
    together: Floats


def listen(basis: Basis, places: Places, answers: Answers) -> Posterior:
    """Return what the answers make of the landmarks and of the rows spoken about."""
    r = basis.n_clusters
    alone = one_hot(basis.labels, r)
    votes = basis.votes(alone, places.blocks)
    cluster_of = name_clusters(answers, votes, r)
    silent = View(alone, basis.votes(alone, basis.blocks), answers.together(sharpen(votes)))
    pieces = basis.votes(one_hot(basis.atoms, basis.n_atoms), places.blocks)
    atoms = Atoms.of(basis, sharpen(silent.seen), pieces)
    corrected, walked, voted, own = _learn(basis, places, answers, atoms, cluster_of)
    gaussian, _ = _mix(answers, voted, own, GENTLE)
    graph, _ = _mix(answers, corrected, walked, GENTLE)
    learned, _ = _mix(answers, graph, gaussian, GENTLE)
    found, weight = _mix(answers, silent, learned, STEEP, _doubt(answers))
    found = found.named(_names(basis, places, answers, basis.anchors, found.seen, cluster_of))
    votes = _as_seen(basis, answers, basis.votes(found.memberships, places.blocks), found.seen)
    is_named = answers.named >= 0
    votes[is_named] = one_hot(cluster_of[answers.named[is_named]], r)
    verdict = judge(answers, sharpen(votes))
    return Posterior(
        memberships=found.memberships,
        seen=found.seen,
        spoken=verdict.rows,
        suspicion=verdict.suspicion[: answers.n_links],
        error_rate=verdict.error_rate,
        weight=weight,
        cluster_of=cluster_of,
        evidence=_log_likelihood(answers, found.together),
    )


class View(NamedTuple):
    """What a way of learning makes of the landmarks.

    ``memberships`` are what other rows are voted by; ``seen`` is what the landmarks are themselves,
    and ``together`` the chance that each left-out pair is together.
    """

    memberships: Floats
    seen: Floats
    together: Floats

    def named(self, names: Ints) -> View:
        """Return the same with the clusters in another order."""
        return self._replace(memberships=self.memberships[:, names], seen=self.seen[:, names])


def _mix(
    answers: Answers, one: View, other: View, steep: float, doubt: float = 0.0
) -> tuple[View, float]:
    """Mix two views; the other one counts as far as it predicts what was left out better."""
    r = one.memberships.shape[1]
    before, after = (calibrate(answers, v.together, r).together for v in (one, other))
    w = _weight(answers, before, after, steep, doubt)
    mixed = View(
        memberships=w * other.memberships + (1.0 - w) * one.memberships,
        seen=w * other.seen + (1.0 - w) * one.seen,
        together=w * after + (1.0 - w) * before,
    )
    return mixed, w


def _doubt(answers: Answers) -> float:
    """Return what is thought of answers beforehand: 1 of those that may be wrong, -1 of facts."""
    return 1.0 - 2.0 * float(answers.is_fact.mean()) if len(answers) else 1.0


def _learn(
    basis: Basis, places: Places, answers: Answers, atoms: Atoms, cluster_of: Ints
) -> tuple[View, View, View, View]:
    """Regroup and learn by all folds but one, in turn, and average; all answers give the names.

    Four views: the corrected clusters, a walk to the names around, and Gaussians, which all speak
    by the vote; and Gaussians, the landmarks being what these say. Without names the walk is the
    corrected clusters.
    """
    before = _regroup(basis, places, answers, atoms, basis.anchors, cluster_of)
    parts: list[list[View]] = [[], [], [], []]
    times = np.zeros(len(answers))
    for fold in range(N_FOLDS):
        out, part = answers.left_out(fold), answers.without(fold)
        times += out
        corrected, rows = _learn_part(basis, places, part, atoms, before, cluster_of)
        known = known_clusters(part, rows, cluster_of)
        gaussian = fit_gaussians(basis, places, part, corrected, rows, known)
        walked = corrected
        if answers.n_classes:
            walked = walk(basis, places, part, cluster_of, corrected)
        is_named = part.named >= 0
        for view, landmarks in zip(parts, (corrected, walked, gaussian, gaussian), strict=True):
            seen = landmarks if view is parts[-1] else basis.votes(landmarks, basis.blocks)
            look = _as_seen(basis, answers, basis.votes(landmarks, places.blocks), seen)
            look[is_named] = one_hot(cluster_of[part.named[is_named]], basis.n_clusters)
            together = answers.together(sharpen(look))
            view.append(View(landmarks, seen, np.where(out, together, 0.0)))
    by_graph, by_walk, by_vote, by_gaussians = (_average(view, times) for view in parts)
    return by_graph, by_walk, by_vote, by_gaussians


def _average(views: list[View], times: Floats) -> View:
    """Average over the folds; an answer was left out so many ``times``."""
    memberships, seen, together = (np.sum(part, axis=0) for part in zip(*views, strict=True))
    return View(memberships / len(views), seen / len(views), together / np.maximum(times, 1.0))


def _as_seen(basis: Basis, answers: Answers, votes: Floats, seen: Floats) -> Floats:
    """Return the votes for the rows spoken about; landmarks among them as they are seen."""
    at = np.minimum(np.searchsorted(basis.rows, answers.rows), basis.n_landmarks - 1)
    is_landmark = basis.rows[at] == answers.rows
    return np.where(is_landmark[:, None], seen[at], votes)


def sharpen(votes: Floats) -> Floats:
    """Return the chances that votes stand for."""
    return shares(votes**SHARPNESS, axis=1)


def _regroup(
    basis: Basis,
    places: Places,
    answers: Answers,
    atoms: Atoms,
    before: Floats,
    cluster_of: Ints,
) -> Floats:
    """Return the clusters of the landmarks that answers ask for, named as they were ``before``."""
    member = regroup(atoms, answers)[basis.atoms]
    return member[:, _names(basis, places, answers, before, member, cluster_of)]


def _learn_part(
    basis: Basis,
    places: Places,
    answers: Answers,
    atoms: Atoms,
    before: Floats,
    cluster_of: Ints,
) -> tuple[Floats, Floats]:
    """Return memberships of the landmarks and of the rows, by a part of the answers."""
    member = _regroup(basis, places, answers, atoms, before, cluster_of)
    landmarks, rows = basis.votes(member, basis.blocks), basis.votes(member, places.blocks)
    alike = see_likeness(basis, places, answers)
    together = answers.together(rows)
    misplaced = calibrate(answers, together, basis.n_clusters).misplaced
    known = known_clusters(answers, rows, cluster_of)
    weights, memberships = classify(_log(rows, misplaced), alike.rows, answers, known)
    return softmax_rows(_log(landmarks, misplaced) + alike.landmarks @ weights), memberships


def _log(shares: Floats, misplaced: float) -> Floats:
    return np.asarray(np.log((1.0 - misplaced) * shares + misplaced / shares.shape[1]))


def calibrate(answers: Answers, together: Floats, n_clusters: int) -> Calibration:
    """Average over how many rows are misplaced, by the answers.

    A pair of which neither row is misplaced is together with the given chance, any other as often
    as rows at random.
    """
    kept = (1.0 - _MISPLACED[:, None]) ** 2
    same = kept * together + (1.0 - kept) / n_clusters
    if_same, if_not = answers.chances(ERROR_RATE)
    value = np.log(if_not + (if_same - if_not) * same).sum(axis=1)
    weight = softmax_rows(value[None])[0]
    return Calibration(misplaced=float(weight @ _MISPLACED), together=weight @ same)


def _log_likelihood(answers: Answers, together: Floats) -> float:
    """Return how well answers are predicted; by one error rate, so that models can be compared."""
    if_same, if_not = answers.chances(ERROR_RATE)
    return float(np.log(np.maximum(if_not + (if_same - if_not) * together, 1e-3)).sum())


def _weight(answers: Answers, before: Floats, after: Floats, steep: float, doubt: float) -> float:
    """Return how far a view counts that predicts ``after`` instead of ``before``."""
    if len(answers) == 0:
        return 0.0
    if_same, if_not = answers.chances(ERROR_RATE)
    chances = [np.maximum(if_not + (if_same - if_not) * view, 1e-3) for view in (after, before)]
    gain = np.log(chances[0]) - np.log(chances[1])
    spread = np.square(gain - gain.mean()).sum()
    surely = gain.sum() / np.sqrt(spread + CHANGE**2)
    return float(1.0 / (1.0 + np.exp(np.clip(steep * (doubt - surely), -50.0, 50.0))))


def name_clusters(answers: Answers, votes: Floats, n_clusters: int) -> Ints:
    """Give every named class the cluster that most of its rows look like, each its own."""
    share = np.zeros((answers.n_classes, n_clusters))
    is_named = answers.named >= 0
    np.add.at(share, answers.named[is_named], votes[is_named])
    return np.asarray(linear_sum_assignment(share, maximize=True)[1], dtype=np.int64)


def _names(
    basis: Basis,
    places: Places,
    answers: Answers,
    before: Floats,
    member: Floats,
    cluster_of: Ints,
) -> Ints:
    """Return which cluster gets each name: classes keep theirs, the others stay who they were."""
    held = shares(before, axis=0).T @ member
    if answers.n_classes:
        found = name_clusters(answers, basis.votes(member, places.blocks), basis.n_clusters)
        held[:, found] = held[cluster_of[: len(found)]] = 0.0  # nobody else's, and nothing else
        held[cluster_of[: len(found)], found] = 1.0
    return claims(held)
