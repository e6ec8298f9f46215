"""Learning: the model learns from as many links as it can digest, and all of them are honoured.

What the model needs for a link is a few tenths of a millisecond, so that a hundred thousand would
keep people waiting for half a minute. Beyond :data:`MAX_LEARNED` links it learns from that many:
half of them must-links and half cannot-links as far as there are, chosen by a fixed scramble of
their rows, so that one more link changes the choice by one link at most. All links are then judged
by the votes of their two rows and by what the other links tell these rows, and those believed are
made to hold, learned or not, as they always are; for that it is enough to keep what they entail.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from linkwise.cluster.sequential.honour import opinions, settle_rows
from linkwise.cluster.sequential.sequential import CONFIRMED, SequentialClustering, Solution
from linkwise.cluster.sequential.trust import LiftedLinks, trust
from linkwise.constraints import Links

MAX_LEARNED = 2_000
#: Probability of being right up to which an answer is set aside, as for many links in the model.
DOUBT = 0.5

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def solve(model: SequentialClustering, links: Links) -> SequentialClustering:
    """Return ``model``, fitted and without links so far, after it has learned ``links``."""
    if links.n_links <= MAX_LEARNED:
        return model.update(links)
    learned = _learned(links)
    model.update(_subset(links, learned))
    rows = links.linked_rows
    lifted, votes = _bare(links, rows), model.votes(rows)
    believed = _belief(votes, lifted, learned)
    believed[learned] = 1.0 - model.suspicion_
    opinion = opinions(votes, lifted, trust(believed, lifted), np.arange(len(lifted)))
    believed = _agreement(opinion, lifted)
    believed[links.weight >= CONFIRMED] = 1.0
    linked = _settle(opinion, links, rows, believed)
    model.links_ = links
    model._solution = Solution(model._solution.landmarks, linked, 1.0 - believed)
    return model


def _settle(opinion: Floats, links: Links, rows: Ints, believed: Floats) -> Ints:
    """Return the cluster of each linked row, such that believed links hold if they all can."""
    weighed = Links(links.n_samples, links.must, links.cannot, links.weight * believed)
    kept, _ = _subset(weighed, believed > DOUBT).repair()
    entailed = _bare(kept.closure(), rows)
    everything = np.ones(len(entailed), dtype=bool)
    return settle_rows(opinion, entailed, entailed.weight, everything)


def _learned(links: Links) -> NDArray[np.bool_]:
    """Mark the links to learn from, must-links first."""
    n_must = len(links.must)
    n_cannot = len(links.cannot)
    half = MAX_LEARNED // 2
    from_must = min(n_must, max(half, MAX_LEARNED - n_cannot))
    chosen = np.zeros(links.n_links, dtype=bool)
    must_order = np.argsort(_scramble(links.must), kind="stable")
    cannot_order = np.argsort(_scramble(links.cannot), kind="stable")
    chosen[must_order[:from_must]] = True
    chosen[n_must + cannot_order[: MAX_LEARNED - from_must]] = True
    return chosen


def _scramble(pairs: Ints) -> NDArray[np.uint64]:
    """Return a number for each pair that looks random and depends on nothing else."""
    low, high = pairs.astype(np.uint64).T
    mixed = low * np.uint64(0x9E3779B97F4A7C15) + high
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def _subset(links: Links, chosen: NDArray[np.bool_]) -> Links:
    n_must = len(links.must)
    must, cannot = links.must[chosen[:n_must]], links.cannot[chosen[n_must:]]
    return Links(links.n_samples, must, cannot, links.weight[chosen])


def _bare(links: Links, rows: Ints) -> LiftedLinks:
    """Return the links as positions in ``rows``, must-links first, without landmarks."""
    pairs = np.searchsorted(rows, np.concatenate([links.must, links.cannot]))
    return LiftedLinks(
        rows=rows,
        i=pairs[:, 0],
        j=pairs[:, 1],
        must=np.arange(len(pairs)) < len(links.must),
        weight=links.weight,
        mixture=sp.csr_array((len(rows), 0)),
        place=np.empty((len(rows), 0)),
    )


def _belief(votes: Floats, links: LiftedLinks, learned: NDArray[np.bool_]) -> Floats:
    """Return the probability that each answer is right, going by the votes of its two rows.

    How often rows with such votes are the same is what the learned answers say, each kind counted
    as often as it occurs among all.
    """
    overlap = np.einsum("lc,lc->l", votes[links.i], votes[links.j])
    must = links.must[learned]
    share = np.bincount(links.must, minlength=2) / np.maximum(np.bincount(must, minlength=2), 1)
    curve = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    curve.fit(overlap[learned], must.astype(np.float64), sample_weight=share[must.astype(int)])
    same = curve.predict(overlap)
    return np.asarray(np.where(links.must, same, 1.0 - same))


def _agreement(opinion: Floats, links: LiftedLinks) -> Floats:
    """Return the probability of each answer by what its two rows think of their clusters."""
    same = np.einsum("lc,lc->l", opinion[links.i], opinion[links.j])
    return np.asarray(np.where(links.must, same, 1.0 - same))
