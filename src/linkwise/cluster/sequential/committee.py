r"""How SequentialClustering listens: learn from parts of the answers, and let the rest judge.

Each fold of the answers is left out in turn. What remains says how alike rows are, and so which
clusters there are; these are seen by the similarity, by the features, and by both. The folds agree
on names and are averaged, so a single answer moves little. How likely a view makes the answers that
were left out says how far it counts, beside the clusters that nobody said anything about. What
comes out judges the answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwise.cluster.consensus import unit_rows
from linkwise.cluster.sequential.answers import (
    CHANGE,
    ERROR_RATE,
    N_FOLDS,
    NEWS,
    Answers,
    Floats,
    Ints,
)
from linkwise.cluster.sequential.gaussians import Points, doubted, fit_gaussians
from linkwise.cluster.sequential.judge import judge
from linkwise.cluster.sequential.known import known_clusters
from linkwise.cluster.sequential.landmarks import Basis, one_hot, shares
from linkwise.cluster.sequential.naming import agree_on_names, keep_names, name_clusters
from linkwise.cluster.sequential.places import Places
from linkwise.cluster.sequential.similarity import find_clusters, learn_similarity
from linkwise.kernels.belief import softmax_rows

#: Shares of rows that clusters may misplace; the answers weigh them.
_MISPLACED = np.array([0.02, 0.05, 0.1, 0.2, 0.4, 0.8])


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


class View(NamedTuple):
    """What a way of learning makes of the landmarks, and the chance that each pair is together.

    The pairs are those of the answers, each seen by what did not hear it.
    """

    memberships: Floats
    together: Floats


def listen(basis: Basis, places: Places, answers: Answers) -> Posterior:
    """Return what the answers make of the landmarks and of the rows spoken about."""
    r = basis.n_clusters
    alone = one_hot(basis.labels, r)
    _, votes = basis.voters.votes(alone, places.seen)
    cluster_of = name_clusters(answers, votes, r)
    silent = View(alone, calibrate(answers, answers.together(votes), r))
    learned, alike = _learn(basis, places, answers, cluster_of)
    found, weight = mix(answers, [silent, *learned])
    own, votes = basis.voters.votes(found.memberships, places.seen)
    names = keep_names(basis, answers, one_hot(own.argmax(axis=1), r), votes, cluster_of)
    memberships, votes = found.memberships[:, names], votes[:, names]
    is_named = answers.named >= 0
    votes[is_named] = one_hot(cluster_of[answers.named[is_named]], r)
    verdict = judge(answers, votes, alike)
    return Posterior(
        memberships=memberships,
        spoken=verdict.rows,
        suspicion=verdict.suspicion[: answers.n_links],
        error_rate=verdict.error_rate,
        weight=weight,
        cluster_of=cluster_of,
        evidence=log_likelihood(answers, found.together),
    )


def mix(answers: Answers, views: list[View]) -> tuple[View, float]:
    """Average the views by how likely they make what was left out.

    The first one is what was known before anybody spoke; the share of all others is returned, too.
    A change must be worth some nats; of facts, staying as it was must.
    """
    change = CHANGE * (1.0 - 2.0 * float(answers.is_fact.mean())) if len(answers) else np.inf
    value = NEWS * np.array([log_likelihood(answers, view.together) for view in views])
    value[1:] -= change
    weight = softmax_rows(value[None])[0]
    mixed = View(
        memberships=sum(w * view.memberships for w, view in zip(weight, views, strict=True)),
        together=sum(w * view.together for w, view in zip(weight, views, strict=True)),
    )
    return mixed, float(weight[1:].sum())


def _learn(
    basis: Basis, places: Places, answers: Answers, cluster_of: Ints
) -> tuple[list[View], Floats]:
    """Learn from all folds but one, in turn, and average what they found.

    Returns the views, and how alike the rows of each pair are by what did not hear it.
    """
    parts = [answers.without(fold) for fold in range(N_FOLDS)]
    out = np.array([answers.left_out(fold) for fold in range(N_FOLDS)])
    n_out = np.maximum(out.sum(axis=0), 1)
    taught = [learn_similarity(places.traits, basis.traits.prior, part) for part in parts]
    alike = sum(
        np.where(left_out, answers.products(places.traits @ similarity, places.traits), 0.0)
        for left_out, similarity in zip(out, taught, strict=True)
    )
    like, named = one_hot(basis.labels, basis.n_clusters), []
    for found in _found(basis, places, parts, taught, cluster_of):
        named.append(agree_on_names(found, like, cluster_of))
        like = np.mean(named[0], axis=0)
    # each view of each part at once: (n_rows, n_views, n_parts, n_clusters)
    _, look = basis.voters.votes(np.moveaxis(np.array(named), 2, 0), places.seen)
    views = []
    for v, landmarks in enumerate(named):
        together = np.zeros(len(answers))
        for part, left_out, rows in zip(parts, out, look[:, v].swapaxes(0, 1), strict=True):
            is_named = part.named >= 0
            rows[is_named] = one_hot(cluster_of[part.named[is_named]], basis.n_clusters)
            together += np.where(left_out, answers.together(rows), 0.0)
        chance = calibrate(answers, together / n_out, basis.n_clusters)
        views.append(View(np.mean(landmarks, axis=0), chance))
    return views, np.clip(alike / n_out, 0.0, 1.0)


def _found(
    basis: Basis, places: Places, parts: list[Answers], taught: list[Floats], cluster_of: Ints
) -> tuple[list[Floats], list[Floats], list[Floats]]:
    """Return what each part of the answers makes of the landmarks.

    One list is by similarity, one by features and one by both; in each the parts follow each other.
    """
    traits, r = basis.traits, basis.n_clusters
    axes = [traits.leading_axes(similarity, r) for similarity in taught]
    vectors = [traits.landmarks @ one for one in axes]
    member = [one_hot(find_clusters(one, basis.labels, r), r) for one in vectors]
    voted = _voted(basis, places, member)
    known, by_likeness = [], []
    for part, some, own, rows, axis, vector in zip(
        parts, member, *voted, axes, vectors, strict=True
    ):
        names = keep_names(basis, part, some, rows, cluster_of)
        known.append(known_clusters(part, rows[:, names], cluster_of))
        alike = Points(unit_rows(vector), unit_rows(places.traits @ axis))
        by_likeness.append(fit_gaussians(alike, part, own[:, names], rows[:, names], known[-1]))
    features = Points(basis.features, places.features)
    by_features = [
        fit_gaussians(features, part, own, rows, some)
        for part, own, rows, some in zip(
            parts, *_voted(basis, places, by_likeness), known, strict=True
        )
    ]
    both = [
        shares(doubted(one) * doubted(other), axis=1)
        for one, other in zip(by_likeness, by_features, strict=True)
    ]
    return by_likeness, by_features, both


def _voted(
    basis: Basis, places: Places, members: list[Floats]
) -> tuple[list[Floats], list[Floats]]:
    """Return what each of several memberships makes of the landmarks and of the rows, by votes."""
    own, rows = basis.voters.votes(np.stack(members, axis=1), places.seen)
    return list(np.ascontiguousarray(own.swapaxes(0, 1))), list(
        np.ascontiguousarray(rows.swapaxes(0, 1))
    )


def calibrate(answers: Answers, together: Floats, n_clusters: int) -> Floats:
    """Return the chance that each pair is together, averaged over how many rows are misplaced.

    A pair of which neither row is misplaced is together with the given chance, any other as often
    as rows at random.
    """
    kept = (1.0 - _MISPLACED[:, None]) ** 2
    same = kept * together + (1.0 - kept) / n_clusters
    if_same, if_not = answers.chances(ERROR_RATE)
    value = np.log(if_not + (if_same - if_not) * same).sum(axis=1)
    return np.asarray(softmax_rows(value[None])[0] @ same)


def log_likelihood(answers: Answers, together: Floats) -> float:
    """Return how well answers are predicted; by one error rate, so that models can be compared."""
    if_same, if_not = answers.chances(ERROR_RATE)
    return float(np.log(np.maximum(if_not + (if_same - if_not) * together, 1e-3)).sum())
