"""Which cluster has which name: that of the rows that gave it; nothing is renamed for nothing."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from linkwise.cluster.sequential.answers import Answers, Floats, Ints
from linkwise.cluster.sequential.landmarks import Basis
from linkwise.cluster.sequential.places import Places


def name_clusters(answers: Answers, votes: Floats, n_clusters: int) -> Ints:
    """Give every named class the cluster that most of its rows look like, each its own."""
    share = np.zeros((answers.n_classes, n_clusters))
    is_named = answers.named >= 0
    np.add.at(share, answers.named[is_named], votes[is_named])
    return np.asarray(linear_sum_assignment(share, maximize=True)[1], dtype=np.int64)


def keep_names(
    basis: Basis, places: Places, answers: Answers, member: Floats, cluster_of: Ints
) -> Ints:
    """Return which cluster gets each name: classes keep theirs, the others stay who they were."""
    held = basis.anchors.T @ member
    if answers.n_classes:
        found = name_clusters(answers, basis.votes(member, places.blocks), basis.n_clusters)
        held[:, found] = held[cluster_of[: len(found)]] = 0.0  # nobody else's, and nothing else
        held[cluster_of[: len(found)], found] = 1.0
    return claims(held)


def claims(held: Floats) -> Ints:
    """Return which cluster gets each name; ``held`` is the share of each name that a cluster holds.

    A cluster that holds most of a name gets it, of several names the first, which was the largest
    cluster's; the others go by the largest share that is left. So nothing changes unless a share
    tips over a half; the best sum of all shares may change many names at once.
    """
    first = 2.0 - np.arange(len(held)) / len(held)
    held = np.where(held > 0.5, first[:, None], held)
    cluster = np.empty(len(held), dtype=np.int64)
    for _ in range(len(held)):
        name, taken = divmod(int(held.argmax()), len(held))
        cluster[name] = taken
        held[name] = held[:, taken] = -np.inf
    return cluster


def agree_on_names(parts: list[Floats], like: Floats, cluster_of: Ints) -> list[Floats]:
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
