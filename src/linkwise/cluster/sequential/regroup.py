"""Clusters of the landmarks: k-means, then exchanges that the answers ask for.

K-means starts from the clusters without answers. Where answers tear a cluster apart, no small step
helps, because there is no cluster to go to. So exchanges are tried as a whole: one cluster is given
up, its landmarks going to the next one, and another is cut in two. What the clusters are worth says
which exchange is made: how likely they make the answers, and how likely they are by what was known
of all landmarks before anybody spoke. So a cluster that nobody was asked about is not given up for
nothing. An exchange must be worth a few nats, and more than the best of so many would by chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linkwise.cluster.sequential.answers import (
    ERROR_RATE,
    PRIOR_ANSWERS,
    Answers,
    Bools,
    Floats,
    Ints,
)
from linkwise.cluster.sequential.landmarks import one_hot
from linkwise.kernels.lloyd import lloyd

#: Nats that a change must be worth: what is believed of a change before answers speak for it.
CHANGE = 2.0
#: Share of rows that clusters of landmarks are taken to misplace, while exchanges are weighed.
MISPLACED = 0.1
_MAX_ITER = 100
#: Clusters that are tried for giving up, and for cutting: with ten clusters all of them.
_MAX_TRIED = 10
#: The most promising exchanges, of which it is seen what k-means makes of them.
_MAX_FOLLOWED = 5


@dataclass(frozen=True, eq=False)
class Worth:
    """How likely clusters of the landmarks are: by the answers, and by what was known before.

    ``mixture`` says where the rows of the answers are, ``looks`` what the landmarks look like
    without answers.
    """

    answers: Answers
    mixture: sp.csr_array
    looks: Floats

    def of(self, labels: Ints) -> float:
        """Return the log-likelihood of clusters."""
        r = self.looks.shape[1]
        together = self.answers.together(self.mixture @ one_hot(labels, r))
        told = log_likelihood(self.answers, together[:, None], r)[0]
        return float(told) + known_before(labels, self.looks)


def regroup(coordinates: Floats, start: Ints, worth: Worth) -> Ints:
    """Return clusters of the landmarks that the answers ask for."""
    n_clusters = worth.looks.shape[1]
    labels, _ = lloyd(coordinates, start, n_clusters, _MAX_ITER)
    for _ in range(n_clusters if n_clusters > 2 else 0):
        exchanged = _exchange(coordinates, labels, worth)
        if exchanged is None:
            break
        labels = exchanged
    return np.asarray(labels)


def _exchange(coordinates: Floats, labels: Ints, worth: Worth) -> Ints | None:
    """Return the clusters after the best exchange, or None if none is worth it."""
    n_clusters = worth.looks.shape[1]
    best, most = None, worth.of(labels) + CHANGE + np.log(n_clusters * (n_clusters - 1))
    for tried in _promising(coordinates, labels, worth, most):
        settled = _settle(coordinates, tried, worth)
        if (value := worth.of(settled)) > most:
            best, most = settled, value
    return best


def _promising(coordinates: Floats, labels: Ints, worth: Worth, least: float) -> list[Ints]:
    """Return the clusters after the exchanges that are worth most as they are.

    Only such are looked at as are worth the ``least`` by the answers alone.
    """
    answers, mixture, n_clusters = worth.answers, worth.mixture, worth.looks.shape[1]
    half = cut_in_two(coordinates, labels, n_clusters)
    member = one_hot(labels, n_clusters)
    shares, first = mixture @ member, mixture @ (member * half[:, None])
    second, i, j = shares - first, answers.i, answers.j
    lost = first[i] * second[j] + second[i] * first[j]
    together = answers.together(shares)[:, None]
    cuts = _best(log_likelihood(answers, together - lost, n_clusters))
    spread = _given_up(coordinates, labels, n_clusters)
    without = np.array([answers.together(mixture @ one_hot(one, n_clusters)) for one in spread])
    tried: list[tuple[float, Ints]] = []
    for freed in _best(log_likelihood(answers, without.T, n_clusters)):
        told = log_likelihood(answers, without[freed][:, None] - lost[:, cuts], n_clusters)
        for cut, value in zip(cuts, told, strict=True):
            if cut != freed and value > least:
                one = np.where((labels == cut) & half, freed, spread[freed])
                tried.append((float(value) + known_before(one, worth.looks), one))
    tried.sort(key=lambda pair: -pair[0])
    return [one for _, one in tried[:_MAX_FOLLOWED]]


def _settle(coordinates: Floats, labels: Ints, worth: Worth) -> Ints:
    """Return the clusters that steps of k-means make, while these are worth no less."""
    least = worth.of(labels)
    for _ in range(_MAX_ITER):
        moved, _ = lloyd(coordinates, labels, worth.looks.shape[1], 1)
        value = worth.of(moved)
        if value < least or np.array_equal(moved, labels):
            break
        labels, least = moved, value
    return labels


def known_before(labels: Ints, looks: Floats) -> float:
    """Return the log-likelihood of clusters by what was known before, worth so many answers.

    Two landmarks are of one class with the chance of their looks; the mean is over all pairs.
    """
    n, r = looks.shape
    member = one_hot(labels, r)
    together = np.square(member.sum(axis=0)).sum() / n**2
    alike = np.square(looks.sum(axis=0)).sum() / n**2
    both = np.square(member.T @ looks).sum() / n**2
    kept = (1.0 - MISPLACED) ** 2
    if_together, if_not = kept + (1.0 - kept) / r, (1.0 - kept) / r
    return PRIOR_ANSWERS * float(
        both * np.log(if_together)
        + (alike - both) * np.log(if_not)
        + (together - both) * np.log1p(-if_together)
        + (1.0 - alike - together + both) * np.log1p(-if_not)
    )


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
