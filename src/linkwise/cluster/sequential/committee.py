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
    votes = basis.votes(alone, places.blocks)
    cluster_of = name_clusters(answers, votes, r)
    silent = View(alone, calibrate(answers, answers.together(votes), r))
    learned, alike = _learn(basis, places, answers, cluster_of)
    found, weight = mix(answers, [silent, *learned])
    labels = basis.votes(found.memberships).argmax(axis=1)
    names = keep_names(basis, places, answers, one_hot(labels, r), cluster_of)
    memberships = found.memberships[:, names]
    votes = basis.votes(memberships, places.blocks)
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
    taught = [learn_similarity(places.traits, basis.traits.prior, part) for part in parts]
    found = [
        _learn_part(basis, places, part, similarity, cluster_of)
        for part, similarity in zip(parts, taught, strict=True)
    ]
    alike = sum(
        np.where(left_out, answers.products(places.traits @ similarity, places.traits), 0.0)
        for left_out, similarity in zip(out, taught, strict=True)
    )
    views: list[View] = []
    like = one_hot(basis.labels, basis.n_clusters)
    for landmarks in zip(*found, strict=True):
        named = agree_on_names(list(landmarks), like, cluster_of)
        together = np.zeros(len(answers))
        for part, left_out, one in zip(parts, out, named, strict=True):
            look = basis.votes(one, places.blocks)
            is_named = part.named >= 0
            look[is_named] = one_hot(cluster_of[part.named[is_named]], basis.n_clusters)
            together += np.where(left_out, answers.together(look), 0.0)
        together /= np.maximum(out.sum(axis=0), 1)
        chance = calibrate(answers, together, basis.n_clusters)
        views.append(View(np.mean(named, axis=0), chance))
        like = views[0].memberships
    return views, np.clip(alike / np.maximum(out.sum(axis=0), 1), 0.0, 1.0)


def _learn_part(
    basis: Basis, places: Places, answers: Answers, similarity: Floats, cluster_of: Ints
) -> tuple[Floats, Floats, Floats]:
    """Return what a part of the answers makes of the landmarks: by similarity, features, both."""
    traits, r = basis.traits, basis.n_clusters
    axes = traits.leading_axes(similarity, r)
    vectors = traits.landmarks @ axes
    member = one_hot(find_clusters(vectors, basis.labels, r), r)
    member = member[:, keep_names(basis, places, answers, member, cluster_of)]
    rows = basis.votes(member, places.blocks)
    known = known_clusters(answers, rows, cluster_of)
    alike = Points(unit_rows(vectors), unit_rows(places.traits @ axes))
    by_likeness = fit_gaussians(alike, answers, basis.votes(member), rows, known)
    rows = basis.votes(by_likeness, places.blocks)
    features = Points(basis.features, places.features)
    by_features = fit_gaussians(features, answers, basis.votes(by_likeness), rows, known)
    both = shares(doubted(by_likeness) * doubted(by_features), axis=1)
    return by_likeness, by_features, both


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
