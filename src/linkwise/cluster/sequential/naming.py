"""Which cluster has which name: that of the rows that gave it; nothing is renamed for nothing."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from linkwise.cluster.sequential.answers import Answers, Floats, Ints
from linkwise.cluster.sequential.landmarks import Basis


def name_clusters(answers: Answers, votes: Floats, n_clusters: int) -> Ints:
    """Give every named class the cluster that most of its rows look like, each its own."""
    share = np.zeros((answers.n_classes, n_clusters))
    is_named = answers.named >= 0
    np.add.at(share, answers.named[is_named], votes[is_named])
    return np.asarray(linear_sum_assignment(share, maximize=True)[1], dtype=np.int64)


def keep_names(
    basis: Basis, answers: Answers, member: Floats, votes: Floats, cluster_of: Ints
) -> Ints:
    """Return which cluster gets each name, so that most pairs of landmarks keep one together.

    Names are those of the clusters without answers; named classes keep their own. Single landmarks
    would do as well, but where two clusters became one, a few of them then tip all names at once.
    ``votes`` say what the rows spoken about look like in the clusters of ``member``.
    """
    held = basis.names.T @ member
    if answers.n_classes:
        found = name_clusters(answers, votes, basis.n_clusters)
        own = cluster_of[: len(found)]
        held[:, found] = held[own] = 0.0  # nobody else's, and nothing else
        held[own, found] = len(member)
    return np.asarray(linear_sum_assignment(np.square(held), maximize=True)[1], dtype=np.int64)


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
