"""Clusters of the landmarks in one view: k-means, then merges and splits that the answers ask for.

K-means starts from the clusters without answers. Where answers tear one cluster apart and join two
others, no small step helps, so the best such exchange is tried as a whole: two clusters become one,
and one is cut in two. It is kept if it makes the answers likelier by more than a few nats.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from linkwise.cluster.sequential.answers import ERROR_RATE, Answers, Bools, Floats, Ints
from linkwise.cluster.sequential.landmarks import one_hot
from linkwise.kernels.lloyd import lloyd

#: Nats that a change must be worth: what is believed of a change before answers speak for it.
CHANGE = 2.0
#: Share of rows that clusters of landmarks are taken to misplace, while exchanges are weighed.
MISPLACED = 0.1
_MAX_ITER = 100


def regroup(coordinates: Floats, start: Ints, mixture: sp.csr_array, answers: Answers) -> Ints:
    """Return clusters of the landmarks; ``mixture`` says where the rows of the answers are."""
    n_clusters = int(start.max()) + 1
    labels, _ = lloyd(coordinates, start, n_clusters, _MAX_ITER)
    if n_clusters < 3:
        return np.asarray(labels)
    for _ in range(n_clusters):
        exchanged = _exchange(coordinates, labels, n_clusters, mixture, answers)
        if exchanged is None:
            break
        labels = exchanged
    return np.asarray(labels)


def _exchange(
    coordinates: Floats, labels: Ints, n_clusters: int, mixture: sp.csr_array, answers: Answers
) -> Ints | None:
    """Return the clusters after the best merge and split, or None if none is worth it."""
    half = cut_in_two(coordinates, labels, n_clusters)
    shares = mixture @ one_hot(labels, n_clusters)
    first = mixture @ (one_hot(labels, n_clusters) * half[:, None])
    second = shares - first
    i, j = answers.i, answers.j
    now = answers.together(shares)[:, None]
    merges = _likely_merges(shares, answers)
    n_exchanges = n_clusters * (n_clusters - 1) * (n_clusters - 2) / 2
    needed = log_likelihood(answers, now, n_clusters)[0] + CHANGE + np.log(n_exchanges)
    lost = first[i] * second[j] + second[i] * first[j]
    best, most = None, needed
    for a, b in merges:
        gained = shares[i, a] * shares[j, b] + shares[i, b] * shares[j, a]
        value = log_likelihood(answers, now + gained[:, None] - lost, n_clusters)
        value[[a, b]] = -np.inf
        if value.max() > most:
            best, most = (a, b, int(value.argmax())), float(value.max())
    if best is None:
        return None
    merged, freed, cut = best
    tried = np.where(labels == freed, merged, labels)
    tried[(labels == cut) & half] = freed
    tried, _ = lloyd(coordinates, tried, n_clusters, _MAX_ITER)
    together = answers.together(mixture @ one_hot(tried, n_clusters))
    better = log_likelihood(answers, together[:, None], n_clusters)[0] >= needed
    return np.asarray(tried) if better else None


def log_likelihood(answers: Answers, together: Floats, n_clusters: int) -> Floats:
    """Return the log-likelihood of the answers for each column of chances of being together."""
    kept = (1.0 - MISPLACED) ** 2
    same = kept * np.clip(together, 0.0, 1.0) + (1.0 - kept) / n_clusters
    right = np.where(answers.must[:, None], same, 1.0 - same)
    error = answers.error(ERROR_RATE)[:, None]
    return np.asarray(np.log((1.0 - error) * right + error * (1.0 - right)).sum(axis=0))


def cut_in_two(coordinates: Floats, labels: Ints, n_clusters: int) -> Bools:
    """Tell for each landmark in which half of its cluster it is: 2-means along the main axis."""
    half = np.zeros(len(labels), dtype=bool)
    for c in range(n_clusters):
        members = np.flatnonzero(labels == c)
        if len(members) < 4:
            continue
        around = np.ascontiguousarray(coordinates[members] - coordinates[members].mean(axis=0))
        axis = around[np.square(around).sum(axis=1).argmax()]
        for _ in range(15):  # power iteration
            axis = around.T @ (around @ axis)
            axis = axis / max(float(np.linalg.norm(axis)), np.finfo(float).tiny)
        side = (around @ axis > 0).astype(np.int64)
        if 0 < side.sum() < len(members):
            side, _ = lloyd(around, side, 2, 20)
        half[members] = side > 0
    return half


def _likely_merges(shares: Floats, answers: Answers) -> list[tuple[int, int]]:
    """Return the pairs of clusters between which answers say "same" most, at most two a cluster."""
    n_clusters = shares.shape[1]
    sign = np.where(answers.must, 1.0, -1.0)[:, None]
    between = (shares[answers.i] * sign).T @ shares[answers.j]
    between = between + between.T
    a, b = np.triu_indices(n_clusters, 1)
    order = np.argsort(-between[a, b], kind="stable")[: 2 * n_clusters]
    return [(int(a[k]), int(b[k])) for k in order]
