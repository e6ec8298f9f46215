"""Which pairs to ask about: landmarks against a known example of a cluster.

A random pair is "same" only once in as many times as there are clusters, and "different" says
little. So a landmark is shown beside the anchor of the cluster it leans to, and after a "different"
beside the anchor of the next one: about half of the answers are then "same". Two landmarks of three
are drawn at random, because only answers that stand for the whole data show whether a cluster is
wrong as a whole; the third is one whose vote is nearly split, which sharpens the borders.
"""

from __future__ import annotations

import numpy as np

from linkwise.cluster.sequential_basis import Basis, Floats, Ints
from linkwise.constraints import Links

#: How many clusters a landmark is compared with before it is left alone.
MAX_TRIES = 3
#: Landmarks drawn at random for each one whose vote is nearly split.
DRAWN_PER_SPLIT = 2
#: How much a landmark is put off for every other one asked about the same two clusters.
CROWDING = 0.02


def choose_questions(
    basis: Basis, labels: Ints, votes: Floats, links: Links, n_questions: int
) -> Ints:
    """Return up to ``n_questions`` pairs of rows that have not been asked, most useful first.

    ``labels`` and ``votes`` (shares, one row a landmark) are those of the landmarks after the
    answers so far; ``links`` are all answers.
    """
    among = links[basis.rows]
    group = among.components()
    anchors = _anchors(basis, labels, votes, among)
    partner, tries = _partners(votes, among, group, anchors)
    waiting = np.flatnonzero(partner >= 0)
    begun = waiting[tries[waiting] > 0]  # finish what was begun
    drawn = waiting[np.argsort(basis.lot[waiting])]
    split = _split_first(waiting, _margin(votes), labels, partner)
    order = np.concatenate([begun, _interleave(drawn, split)])
    chosen = _one_per_group(order, group)[:n_questions]
    pairs = np.column_stack([basis.rows[chosen], basis.rows[partner[chosen]]])
    return np.asarray(np.sort(pairs, axis=1))


def _interleave(drawn: Ints, split: Ints) -> Ints:
    """Return the landmarks two from ``drawn``, one from ``split``; both list the same ones."""
    position = np.concatenate([np.arange(len(drawn)) / DRAWN_PER_SPLIT, np.arange(len(split))])
    return np.concatenate([drawn, split])[np.argsort(position, kind="stable")]


def _split_first(waiting: Ints, margin: Floats, labels: Ints, partner: Ints) -> Ints:
    """Order landmarks by how nearly their vote is split, a few for each two clusters first."""
    crowd = _crowd(margin[waiting], labels[waiting], labels[partner[waiting]])
    return waiting[np.argsort(margin[waiting] + CROWDING * crowd, kind="stable")]


def _anchors(basis: Basis, labels: Ints, votes: Floats, among: Links) -> Ints:
    """Return the example of each cluster: the landmark with most answers, else the surest one.

    -1 where a cluster has no landmark.
    """
    both = np.concatenate([among.must, among.cannot])
    n_answers = np.bincount(both.ravel(), minlength=basis.n_landmarks)
    margin = _margin(votes)
    anchors = np.full(basis.n_clusters, -1, dtype=np.int64)
    for c in range(basis.n_clusters):
        members = np.flatnonzero(labels == c)
        if len(members):
            anchors[c] = members[np.lexsort((-margin[members], -n_answers[members]))[0]]
    return anchors


def _partners(votes: Floats, among: Links, group: Ints, anchors: Ints) -> tuple[Ints, Ints]:
    """Return whom each landmark should be shown with next (-1: nobody), and how often it was.

    A landmark must-linked to an anchor, through whatever chain, is placed. One cannot-linked to the
    anchor of its first cluster is shown the anchor of its second, and so on.
    """
    n, r = votes.shape
    n_groups = int(group.max()) + 1
    apart = np.zeros((n_groups, r), dtype=bool)  # groups known to differ from an anchor's group
    placed = np.zeros(n_groups, dtype=bool)
    real = np.flatnonzero(anchors >= 0)
    placed[group[anchors[real]]] = True
    ends = group[among.cannot].reshape(-1, 2)
    for c in real:
        home = group[anchors[c]]
        apart[ends[ends[:, 0] == home, 1], c] = True
        apart[ends[ends[:, 1] == home, 0], c] = True
    favourites = np.argsort(-votes, axis=1, kind="stable")[:, : min(MAX_TRIES, r)]
    partner = np.full(n, -1, dtype=np.int64)
    tries = np.zeros(n, dtype=np.int64)
    for t in range(favourites.shape[1]):
        cluster = favourites[:, t]
        refused = apart[group, cluster] | (anchors[cluster] < 0)
        fresh = (partner < 0) & ~refused & (tries == t) & ~placed[group]
        partner[fresh] = anchors[cluster[fresh]]
        tries[(partner < 0) & refused] += 1
    return partner, np.where(partner >= 0, tries, 0)


def _crowd(priority: Floats, first: Ints, second: Ints) -> Ints:
    """Return how many landmarks about the same two clusters come before each one."""
    key = np.minimum(first, second) * (first.max(initial=0) + second.max(initial=0) + 1)
    key = key + np.maximum(first, second)
    order = np.lexsort((priority, key))
    _, start, size = np.unique(key[order], return_index=True, return_counts=True)
    rank = np.empty(len(key), dtype=np.int64)
    rank[order] = np.arange(len(key)) - np.repeat(start, size)
    return rank


def _one_per_group(chosen: Ints, group: Ints) -> Ints:
    """Keep the first landmark of every must-link component: one answer places them all."""
    _, first = np.unique(group[chosen], return_index=True)
    return chosen[np.sort(first)]


def _margin(votes: Floats) -> Floats:
    if votes.shape[1] == 1:
        return votes[:, 0]
    ranked = np.partition(votes, -2, axis=1)
    return np.asarray(ranked[:, -1] - ranked[:, -2])
