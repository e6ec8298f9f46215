"""Clusters of the landmarks: k-means, then exchanges that the answers ask for.

K-means starts from the clusters without answers. Where answers tear a cluster apart, no small step
helps, because there is no cluster to go to. So the best exchange is tried as a whole: one cluster
is given up, its landmarks going to the next one, and another is cut in two. It is kept if it makes
the answers likelier by more than a few nats, and by more than the best of so many would by chance.
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
#: Clusters that are tried for giving up, and for cutting: with ten clusters all of them.
_MAX_TRIED = 10


def regroup(coordinates: Floats, start: Ints, mixture: sp.csr_array, answers: Answers) -> Ints:
    """Return clusters of the landmarks; ``mixture`` says where the rows of the answers are."""
    n_clusters = int(start.max()) + 1
    labels = move(coordinates, start, n_clusters)
    if n_clusters < 3:
        return labels
    for _ in range(n_clusters):
        exchanged = _exchange(coordinates, labels, n_clusters, mixture, answers)
        if exchanged is None:
            break
        labels = exchanged
    return labels


def move(coordinates: Floats, start: Ints, n_clusters: int) -> Ints:
    """Return the clusters that k-means makes of those it starts from."""
    return np.asarray(lloyd(coordinates, start, n_clusters, _MAX_ITER)[0])


def _exchange(
    coordinates: Floats, labels: Ints, n_clusters: int, mixture: sp.csr_array, answers: Answers
) -> Ints | None:
    """Return the clusters after the best exchange, or None if none is worth it."""
    half = cut_in_two(coordinates, labels, n_clusters)
    member = one_hot(labels, n_clusters)
    shares, first = mixture @ member, mixture @ (member * half[:, None])
    second, i, j = shares - first, answers.i, answers.j
    lost = first[i] * second[j] + second[i] * first[j]
    together = answers.together(shares)[:, None]
    now = log_likelihood(answers, together, n_clusters)[0]
    cuts = _best(log_likelihood(answers, together - lost, n_clusters))
    most = needed = now + CHANGE + np.log(n_clusters * (n_clusters - 1))
    spread = _given_up(coordinates, labels, n_clusters)
    without = np.array([answers.together(mixture @ one_hot(one, n_clusters)) for one in spread])
    best = None
    for freed in _best(log_likelihood(answers, without.T, n_clusters)):
        value = log_likelihood(answers, without[freed][:, None] - lost[:, cuts], n_clusters)
        value[cuts == freed] = -np.inf
        if value.max() > most:
            cut, most = cuts[value.argmax()], float(value.max())
            best = np.where((labels == cut) & half, freed, spread[freed])
    if best is None:
        return None
    tried = move(coordinates, best, n_clusters)
    together = answers.together(mixture @ one_hot(tried, n_clusters))
    better = log_likelihood(answers, together[:, None], n_clusters)[0] >= needed
    return tried if better else None


def _best(value: Floats) -> Ints:
    """Return the positions of the largest values, so many that trying all pairs stays cheap."""
    return np.sort(np.argsort(-value, kind="stable")[:_MAX_TRIED])


def _given_up(coordinates: Floats, labels: Ints, n_clusters: int) -> list[Ints]:
    """Return, for each cluster, the labels when its landmarks go to the nearest of the others."""
    size = np.bincount(labels, minlength=n_clusters)
    sums = np.zeros((n_clusters, coordinates.shape[1]))
    np.add.at(sums, labels, coordinates)
    centers = sums / np.maximum(size, 1)[:, None]
    near = coordinates @ centers.T - np.square(centers).sum(axis=1) / 2
    near[:, size == 0] = -np.inf
    near[np.arange(len(labels)), labels] = -np.inf
    next_one = near.argmax(axis=1)
    return [np.where(labels == c, next_one, labels) for c in range(n_clusters)]


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
