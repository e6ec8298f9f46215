r"""How SequentialClustering listens: learn from parts of the answers, and let the rest judge.

Each fold of the answers is left out in turn. What remains says which clusters there are, and
corrects the landmarks, by the graph alone and together with Gaussians. The folds agree on names and
are averaged, so a single answer moves little. How much likelier one view makes the answers that
were left out than another does says how far it counts; so the views are mixed with each other, and
then with the clusters that nobody said anything about. What comes out judges the answers.
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
from linkwise.cluster.sequential.regroup import CHANGE, NEWS, Atoms, claims, regroup
from linkwise.cluster.sequential.views import Places, see_likeness
from linkwise.cluster.sequential.walk import walk
from linkwise.kernels.belief import softmax_rows

#: Shares of rows that clusters may misplace; the answers weigh them.
_MISPLACED = np.array([0.02, 0.05, 0.1, 0.2, 0.4, 0.8])
#: Power to which votes are raised where views are judged by them: a clear majority of partitions is
#: right more often than it is large. People are judged by the votes as they are.
SHARPNESS = 2.0
#: Chance that a row is not what a witness says, where several are heard together.
_ASTRAY = 0.01


@dataclass(frozen=True, eq=False)
class Posterior:
    """What the answers amount to; independent of the number of rows.

    ``memberships`` (n_landmarks, n_clusters) are what the landmarks are, and what other rows are
    voted by; ``spoken`` (n_rows, n_clusters) are what the rows spoken about are;
    ``suspicion`` is the probability that each link is wrong; ``weight`` says how much of what was
    learned counts; ``cluster_of`` is the cluster of each named class; ``evidence`` is the
    log-likelihood of all answers by what did not see them.
    """

    memberships: Floats
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
    silent = View(alone, answers.together(_sharpened(votes)))
    pieces = basis.votes(one_hot(basis.atoms, basis.n_atoms), places.blocks)
    atoms = Atoms.of(basis, basis.votes(alone), pieces)
    corrected, walked, joint = _learn(basis, places, answers, atoms, cluster_of)
    doubt = _doubt(answers)
    by_graph, _ = _mix(answers, corrected, walked, (doubt + CHANGE) / 2)
    learned, _ = _mix(answers, by_graph, joint, (doubt + CHANGE) / 2)
    found, weight = _mix(answers, silent, learned, doubt)
    labels = basis.votes(found.memberships).argmax(axis=1)
    names = _names(basis, places, answers, one_hot(labels, r), cluster_of)
    found = found._replace(memberships=found.memberships[:, names])
    votes = basis.votes(found.memberships, places.blocks)
    is_named = answers.named >= 0
    votes[is_named] = one_hot(cluster_of[answers.named[is_named]], r)
    verdict = judge(answers, votes)
    return Posterior(
        memberships=found.memberships,
        spoken=verdict.rows,
        suspicion=verdict.suspicion[: answers.n_links],
        error_rate=verdict.error_rate,
        weight=weight,
        cluster_of=cluster_of,
        evidence=_log_likelihood(answers, found.together),
    )


class View(NamedTuple):
    """What a way of learning makes of the landmarks, and the chance that each pair is together.

    The pairs are those of the answers, each seen by what did not hear it.
    """

    memberships: Floats
    together: Floats


def _mix(answers: Answers, one: View, other: View, doubt: float) -> tuple[View, float]:
    """Mix two views; the other one counts as far as it predicts what was left out better.

    ``doubt`` is what is thought of the other beforehand, in nats.
    """
    r = one.memberships.shape[1]
    before, after = (calibrate(answers, v.together, r).together for v in (one, other))
    w = _weight(answers, before, after, doubt)
    mixed = View(
        memberships=w * other.memberships + (1.0 - w) * one.memberships,
        together=w * after + (1.0 - w) * before,
    )
    return mixed, w


def _weight(answers: Answers, before: Floats, after: Floats, doubt: float) -> float:
    """Return how far a view counts that predicts ``after`` instead of ``before``."""
    if len(answers) == 0:
        return 0.0
    gain = _log_likelihood(answers, after) - _log_likelihood(answers, before)
    return float(1.0 / (1.0 + np.exp(np.clip(doubt - NEWS * gain, -50.0, 50.0))))


def _doubt(answers: Answers) -> float:
    """Return the doubt whether answers help, in nats: as much for facts as against others."""
    return CHANGE * (1.0 - 2.0 * float(answers.is_fact.mean())) if len(answers) else CHANGE


class _Found(NamedTuple):
    """What a part of the answers makes of the landmarks, seen in three ways."""

    corrected: Floats
    walked: Floats
    joint: Floats


def _learn(
    basis: Basis, places: Places, answers: Answers, atoms: Atoms, cluster_of: Ints
) -> tuple[View, View, View]:
    """Learn from all folds but one, in turn, and average.

    Three views: the corrected clusters, a walk to the names around, and both of them together with
    Gaussians. Without names the walk is the corrected clusters.
    """
    parts = [answers.without(fold) for fold in range(N_FOLDS)]
    out = np.array([answers.left_out(fold) for fold in range(N_FOLDS)])
    found = [_learn_part(basis, places, part, atoms, cluster_of) for part in parts]

    def averaged(landmarks: list[Floats], like: Floats) -> View:
        named = _agree(landmarks, like, cluster_of)
        together = np.zeros(len(answers))
        for part, left_out, one in zip(parts, out, named, strict=True):
            look = basis.votes(one, places.blocks)
            is_named = part.named >= 0
            look[is_named] = one_hot(cluster_of[part.named[is_named]], basis.n_clusters)
            together += np.where(left_out, answers.together(_sharpened(look)), 0.0)
        return View(np.mean(named, axis=0), together / np.maximum(out.sum(axis=0), 1))

    alone = one_hot(basis.labels, basis.n_clusters)
    by_graph = averaged([one.corrected for one in found], alone)
    by_walk = averaged([one.walked for one in found], by_graph.memberships)
    jointly = averaged([one.joint for one in found], by_graph.memberships)
    return by_graph, by_walk, jointly


def _agree(parts: list[Floats], like: Floats, cluster_of: Ints) -> list[Floats]:
    """Name the clusters of all parts alike: first ``like`` others, then like their own mean.

    A cluster is the one that it shares most landmarks with; classes keep theirs. Else a part that
    found the same clusters under other names would be averaged to nothing.
    """
    for _ in range(2):
        named = []
        for part in parts:
            held = like.T @ part
            held[cluster_of, cluster_of] += len(part)
            named.append(part[:, linear_sum_assignment(held, maximize=True)[1]])
        parts, like = named, np.mean(named, axis=0)
    return parts


def _learn_part(
    basis: Basis, places: Places, answers: Answers, atoms: Atoms, cluster_of: Ints
) -> _Found:
    """Learn from a part of the answers: clusters, corrections of them, and what features add."""
    member = regroup(atoms, answers)[basis.atoms]
    member = member[:, _names(basis, places, answers, member, cluster_of)]
    landmarks, rows = basis.votes(member), basis.votes(member, places.blocks)
    alike = see_likeness(basis, places, answers)
    misplaced = calibrate(answers, answers.together(rows), basis.n_clusters).misplaced
    known = known_clusters(answers, rows, cluster_of)
    weights, rows = classify(_log(rows, misplaced), alike.rows, answers, known)
    corrected = softmax_rows(_log(landmarks, misplaced) + alike.landmarks @ weights)
    known = known_clusters(answers, rows, cluster_of)
    gaussian = fit_gaussians(basis, places, answers, corrected, rows, known)
    walked = corrected
    if answers.n_classes:
        walked = walk(basis, places, answers, cluster_of, corrected)
    by_graph = np.sqrt(_doubted(corrected) * _doubted(walked))
    return _Found(corrected, walked, shares(by_graph * _doubted(gaussian), axis=1))


def _sharpened(votes: Floats) -> Floats:
    """Return the chances that votes stand for."""
    return shares(votes**SHARPNESS, axis=1)


def _doubted(member: Floats) -> Floats:
    """Return memberships of which none is beyond doubt, so that no witness overrules all others."""
    return np.asarray((1.0 - _ASTRAY) * member + _ASTRAY / member.shape[1])


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


def name_clusters(answers: Answers, votes: Floats, n_clusters: int) -> Ints:
    """Give every named class the cluster that most of its rows look like, each its own."""
    share = np.zeros((answers.n_classes, n_clusters))
    is_named = answers.named >= 0
    np.add.at(share, answers.named[is_named], votes[is_named])
    return np.asarray(linear_sum_assignment(share, maximize=True)[1], dtype=np.int64)


def _names(
    basis: Basis, places: Places, answers: Answers, member: Floats, cluster_of: Ints
) -> Ints:
    """Return which cluster gets each name: classes keep theirs, the others stay who they were."""
    held = basis.anchors.T @ member
    if answers.n_classes:
        found = name_clusters(answers, basis.votes(member, places.blocks), basis.n_clusters)
        held[:, found] = held[cluster_of[: len(found)]] = 0.0  # nobody else's, and nothing else
        held[cluster_of[: len(found)], found] = 1.0
    return claims(held)
