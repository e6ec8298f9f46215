"""How far each answer can be believed, judged by the ensemble and by the other answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.cluster.sequential.landmarks import Basis, Floats, Ints, lift
from linkwise.constraints import Links

#: Share of wrong answers assumed before anything is known.
ERROR_RATE = 0.1
#: Right answers from which the estimate of that share starts.
ASSUMED_RIGHT = 50
#: How much of what the ensemble expects of a pair may be true.
SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)
#: Up to this many links each is compared with all others, beyond it with this many of them.
MAX_COMPARED = 10_000
N_COMPARED = 2_000


@dataclass(frozen=True, eq=False)
class LiftedLinks:
    """The links, and where their rows lie among the landmarks.

    ``i`` and ``j`` point into ``rows``. ``mixture`` is (n_rows, n_landmarks), ``place`` its
    coordinates in the basis.
    """

    rows: Ints
    i: Ints
    j: Ints
    must: NDArray[np.bool_]
    weight: Floats
    mixture: sp.csr_array
    place: Floats

    def __len__(self) -> int:
        return len(self.i)

    def together(self, labels: Ints, n_clusters: int) -> Floats:
        """Return, per link, the chance that ``labels`` of the landmarks put its ends together."""
        return self._meet(self.mixture @ one_hot(labels, n_clusters))

    def broken(self, labels: Ints, n_clusters: int) -> Floats:
        """Return, per link, the chance that ``labels`` of the landmarks break it."""
        return self.broken_by(self.mixture @ one_hot(labels, n_clusters))

    def broken_by(self, member: Floats) -> Floats:
        """Return the same for memberships of the linked rows, (n_rows, n_clusters)."""
        together = self._meet(member)
        return np.where(self.must, 1.0 - together, together)

    def _meet(self, member: Floats) -> Floats:
        return np.asarray(np.einsum("lc,lc->l", member[self.i], member[self.j]))


def lift_links(basis: Basis, links: Links, rows: Ints, blocks: NDArray[np.uint8]) -> LiftedLinks:
    """Express the linked ``rows``, whose blocks are given, by landmarks; links in pair order."""
    pairs = np.concatenate([links.must, links.cannot])
    must = np.arange(len(pairs)) < len(links.must)
    order = np.lexsort((must, pairs[:, 1], pairs[:, 0]))
    pairs = pairs[order]
    mixture = lift(basis, rows, blocks)
    return LiftedLinks(
        rows=rows,
        i=np.searchsorted(rows, pairs[:, 0]),
        j=np.searchsorted(rows, pairs[:, 1]),
        must=must[order],
        weight=links.weight[order],
        mixture=mixture,
        place=np.asarray(mixture @ basis.vectors),
    )


def one_hot(labels: Ints, n_clusters: int) -> Floats:
    """Return the labels as rows of zeros with a single one."""
    member = np.zeros((len(labels), n_clusters))
    member[np.arange(len(labels)), labels] = 1.0
    return member


@dataclass(frozen=True, eq=False)
class Testimony:
    """What the other answers say about each link's pair: how many like it, how many of them musts.

    An answer never testifies for itself. Pairs are alike when their ends are, in either order.
    """

    n_must: Floats
    n_alike: Floats


def hear(basis: Basis, links: LiftedLinks) -> Testimony:
    """Let every link be judged by the others; the one step that grows with their square."""
    says = links.must.astype(np.float64)
    n_must, n_alike = np.empty(len(links)), np.empty(len(links))
    for part, kernel, witnesses in _likeness(basis, links):
        n_must[part] = kernel @ says[witnesses]
        n_alike[part] = kernel.sum(axis=1)
    return Testimony(n_must, n_alike)


def belief(basis: Basis, links: LiftedLinks, labels: Ints, testimony: Testimony) -> Floats:
    """Return, per link, the probability that the answer is right.

    What ``labels`` of the landmarks make one expect of a pair counts as one witness among the
    answers about pairs like it.
    """
    expected = _expectation(basis, links, labels)
    probability = (expected + testimony.n_must) / (1.0 + testimony.n_alike)
    return np.where(links.must, probability, 1.0 - probability)


def trust(believed: Floats, links: LiftedLinks) -> Floats:
    """Return the weight of each link: the user's own, times the odds that the answer is right."""
    right = (1 - ERROR_RATE) * believed
    return np.asarray(links.weight * right / (right + ERROR_RATE * (1 - believed)))


def error_rate(basis: Basis, links: LiftedLinks) -> float:
    """Return the share of wrong answers under which the answers are likeliest.

    Most pairs are different, so mistakes show as must-links that nothing explains. Two things may
    explain them: the clustering without answers, as far as it is right, and the size of classes; it
    is supposed that these are of one size, so that where one class is much larger than the others
    the share comes out too high. It starts from some right answers, so that few surprises among few
    answers do not count much.
    """
    expected = _ensemble_says(basis, links, basis.labels)
    sizes = np.bincount(basis.labels, minlength=basis.n_clusters) / basis.n_landmarks
    evened = float(expected.mean() / (basis.n_clusters * np.square(sizes).sum()))
    by_chance = _must_share(basis, links)
    if by_chance < 0.5:  # mistakes at random lead no further
        by_chance = min(by_chance, evened)
    rates = np.arange(0.0, 0.5, 0.005)
    best, best_likelihood = 0.0, -np.inf
    for share in SHARES:
        prior = np.clip(share * expected + (1 - share) * by_chance, 1e-3, 1 - 1e-3)[:, None]
        likelihood = _likelihood(prior, links.must[:, None], rates)
        likelihood += ASSUMED_RIGHT * np.log(1 - rates)
        k = likelihood.argmax()
        if likelihood[k] > best_likelihood:
            best, best_likelihood = float(rates[k]), likelihood[k]
    return best


def by_likelihood(links: LiftedLinks, weight: Floats, labels: Ints, n_clusters: int) -> Floats:
    """Return the weights with which a link counts as much as it tells about the clusters.

    Where most pairs are different, a must-link between two clusters is a surprise and a cannot-link
    is none; and cutting any cluster in two keeps more cannot-links, whatever is true. So a link
    counts the log-odds of its being kept: must-links more than cannot-links where answers are
    right, less so where surprises are common because answers are wrong. Sums to the same total.
    """
    must, total = links.must, weight.sum()
    together = weight * links.together(labels, n_clusters)
    overall = (weight[must].sum() + 1) / (total + 2)
    inside = (together[must].sum() + overall) / (together.sum() + 1)
    between = ((weight - together)[must].sum() + overall) / (total - together.sum() + 1)
    if inside > between:
        same, different = np.log(inside / between), np.log((1 - between) / (1 - inside))
    else:  # the clusters tell nothing: both kinds weigh the same in total
        same, different = 1 - overall, overall
    told = weight * np.where(must, same, different)
    return np.asarray(told * (total / told.sum()))


def represented(basis: Basis, links: LiftedLinks) -> Floats:
    """Return how many landmarks each link speaks for, relative to the average link.

    Every landmark lends one voice to the linked rows like it. Where many rows were asked about,
    as on a doubtful border, they share the voices; a row asked about alone in a wide region speaks
    for all of it. So links stand for the whole data even if the questions were chosen.
    """
    rows = basis.spread_of(links.place).astype(np.float32)
    landmarks = basis.spread.astype(np.float32)
    voices = np.zeros(len(rows))
    total = np.zeros(len(landmarks), dtype=np.float32)
    for start in range(0, len(rows), 2000):
        total += _positive(rows[start : start + 2000] @ landmarks.T).sum(axis=0)
    share = 1.0 / np.maximum(total, 1e-6)
    for start in range(0, len(rows), 2000):
        voices[start : start + 2000] = _positive(rows[start : start + 2000] @ landmarks.T) @ share
    n_links = np.bincount(np.concatenate([links.i, links.j]), minlength=len(rows))
    per_link = voices / n_links
    heard = per_link[links.i] + per_link[links.j]
    return np.asarray(np.sqrt(heard / heard.mean()))


def _expectation(basis: Basis, links: LiftedLinks, labels: Ints) -> Floats:
    """Return the prior that each pair belongs together, toned down as far as the answers ask."""
    ensemble = _ensemble_says(basis, links, labels)
    overall = _must_share(basis, links)
    priors = [share * ensemble + (1 - share) * overall for share in SHARES]
    return max(priors, key=lambda prior: _likelihood(prior, links.must, ERROR_RATE))


def _ensemble_says(basis: Basis, links: LiftedLinks, labels: Ints) -> Floats:
    """Return the chance that each pair belongs together, by ``labels`` of the landmarks."""
    centers = basis.vectors.T @ one_hot(labels, basis.n_clusters)
    smooth = (links.place * basis.smoothness) @ centers
    member = np.maximum(0.0, smooth) + 1e-3
    member /= member.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("lc,lc->l", member[links.i], member[links.j]))


def _must_share(basis: Basis, links: LiftedLinks) -> float:
    return float((np.count_nonzero(links.must) + 1) / (len(links) + basis.n_clusters))


def _likelihood(prior: Floats, must: NDArray[np.bool_], wrong: Any) -> Any:
    """Return how likely the answers are if a share ``wrong`` of them is; several at once."""
    heard = (1 - wrong) * prior + wrong * (1 - prior)
    return np.log(np.where(must, heard, 1 - heard)).sum(axis=0)


def _likeness(basis: Basis, links: LiftedLinks) -> Iterator[tuple[Ints, NDArray[np.float32], Ints]]:
    """Yield (block of links, how alike they are to the witnesses, the witnesses)."""
    spread = basis.spread_of(links.place).astype(np.float32)
    left, right = spread[links.i], spread[links.j]
    p = len(links)
    n_witnesses = p if p <= MAX_COMPARED else N_COMPARED
    witnesses = np.linspace(0, p - 1, n_witnesses).astype(np.int64)
    other_left, other_right = left[witnesses].T, right[witnesses].T
    for start in range(0, p, 1000):
        part = np.arange(start, min(start + 1000, p))
        kernel = _positive(left[part] @ other_left) * _positive(right[part] @ other_right)
        kernel += _positive(left[part] @ other_right) * _positive(right[part] @ other_left)
        kernel[part[:, None] == witnesses[None, :]] = 0.0
        yield part, kernel, witnesses


def _positive(A: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.maximum(A, 0.0, out=A)
