"""Which clustering of the landmarks the answers ask for, and how much of it is worth adopting."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from linkwise.cluster.sequential_basis import Basis, Floats, Ints
from linkwise.cluster.sequential_groups import GroupSpread
from linkwise.cluster.sequential_trust import LiftedLinks, one_hot
from linkwise.cluster.sequential_views import BentSpectrum, LearnedMetric, View
from linkwise.kernels.adopt import adopt_groups
from linkwise.kernels.kmeans import lloyd

N_FOLDS = 5
#: Random starts tried inside each fold.
N_FOLD_STARTS = 4
#: Standard errors by which a gain must exceed zero: on links left out; on all links, or of groups
#: on links left out; of landmarks that move together.
FOLD_DOUBT = 0.5
DOUBT = 1.0
GROUP_DOUBT = 0.5
#: Fewer landmarks that move together do not count as a group.
MIN_GROUP = 3
MAX_ITER = 50


def choose_labels(basis: Basis, links: LiftedLinks, weight: Floats) -> Ints:
    """Return clusters of the landmarks, named like those without answers.

    Where must-links have grown into groups, these are spread over the landmarks, if links left out
    approve. Otherwise the answers let the landmarks be seen anew: through their graph, bent by the
    links, or through their features, in a metric learned from them. Clusterings of such a view are
    candidates, and links left out choose the view. Of a candidate, those groups of landmarks are
    adopted whose move keeps more links than chance explains; where the links say nothing,
    everything stays as it was.
    """
    groups = GroupSpread(basis, links, weight)
    if groups.enough() and _gains(basis, links, weight, groups):
        return _named_like(basis.labels, groups.labels(np.arange(len(links))), basis.n_clusters)
    chosen = _choose_view(basis, links, weight) if len(links) > 1 else None
    if chosen is None:
        return basis.labels
    view, setting, learned = chosen
    everything = np.arange(len(links))
    return _best(basis, links, weight, everything, view.embed(setting, learned), len(basis.starts))


def _gains(basis: Basis, links: LiftedLinks, weight: Floats, groups: GroupSpread) -> bool:
    """Tell whether the groups explain links left out better than the clustering without answers.

    Chosen questions are mostly answered "same", and a single cluster keeps all of these; so the
    others, if they are fewer, count as much as they do together.
    """
    r = basis.n_clusters
    before = links.broken(basis.labels, r)
    same, different = weight[links.must].sum(), weight[~links.must].sum()
    weight = np.where(links.must, weight, weight * max(1.0, same / max(different, 1.0)))
    drop = np.zeros(len(links))
    for part in folds(len(links)):
        labels = groups.labels(np.delete(np.arange(len(links)), part))
        drop[part] = (weight * (before - links.broken(labels, r)))[part]
    return sure_gain(drop, DOUBT) > 0


def _choose_view(
    basis: Basis, links: LiftedLinks, weight: Floats
) -> tuple[View, float, Floats] | None:
    """Return the view that gains most on links left out, its setting and what all links teach it.

    None if none gains for sure.
    """
    everything, r = np.arange(len(links)), basis.n_clusters
    before = links.broken(basis.labels, r)
    parts = folds(len(links))
    best, best_gain = None, 0.0
    views: tuple[View, ...] = (
        BentSpectrum(basis, links, weight),
        LearnedMetric(basis, links, weight),
    )
    for view in views:
        learned = view.learn(everything)
        learned_without = [learned - view.learn(part) for part in parts]
        for setting in view.settings:
            drop = np.zeros(len(links))
            for part, known in zip(parts, learned_without, strict=True):
                rest = np.delete(everything, part)
                embedding = view.embed(setting, known)
                labels = _best(basis, links, weight, rest, embedding, N_FOLD_STARTS)
                drop[part] = (weight * (before - links.broken(labels, r)))[part]
            gain = sure_gain(drop, view.doubt)
            if gain > best_gain:
                best, best_gain = (view, setting, learned), gain
    return best


def _best(
    basis: Basis, links: LiftedLinks, weight: Floats, part: Ints, embedding: Floats, n_starts: int
) -> Ints:
    """Return what is adopted of the candidate from which the links in ``part`` gain most."""
    r = basis.n_clusters
    before = links.broken(basis.labels, r)
    best, best_gain = basis.labels, 0.0
    for candidate in _candidates(basis, embedding, n_starts):
        labels = _adopt(basis, links, weight, part, candidate)
        gain = sure_gain((weight * (before - links.broken(labels, r)))[part], DOUBT)
        if gain > best_gain:
            best, best_gain = labels, gain
    return best


def _candidates(basis: Basis, embedding: Floats, n_starts: int) -> list[Ints]:
    """Return k-means clusterings of the landmarks, from the present one and from random starts."""
    r = basis.n_clusters
    begin = [basis.labels]
    for start in basis.starts[:n_starts]:
        centers = embedding[start]
        closeness = embedding @ centers.T - np.square(centers).sum(axis=1) / 2
        begin.append(closeness.argmax(axis=1))
    found = [lloyd(embedding, labels, r, MAX_ITER)[0] for labels in begin]
    return [_named_like(basis.labels, labels, r) for labels in found]


def _adopt(basis: Basis, links: LiftedLinks, weight: Floats, part: Ints, candidate: Ints) -> Ints:
    """Move from the labels without answers to ``candidate`` only where the links ask for it.

    Landmarks that leave one cluster for the same other one are a group.
    """
    r = basis.n_clusters
    move = basis.labels * r + candidate
    moves, sizes = np.unique(move[basis.labels != candidate], return_counts=True)
    moves = moves[sizes >= MIN_GROUP]
    in_group = (move[:, None] == moves[None, :]).astype(np.float64)
    share = np.ascontiguousarray((links.mixture @ in_group).T)
    adopted = adopt_groups(
        links.mixture @ one_hot(basis.labels, r),
        share,
        moves // r,
        moves % r,
        links.i[part],
        links.j[part],
        links.must[part],
        weight[part],
        GROUP_DOUBT,
    )
    return np.where(np.isin(move, moves[adopted]), candidate, basis.labels)


def folds(n_links: int) -> list[Ints]:
    """Return the links left out in each fold; every fifth, so that both kinds are in all folds."""
    return [np.arange(f, n_links, N_FOLDS) for f in range(min(N_FOLDS, n_links))]


def sure_gain(drop: Floats, doubt: float) -> float:
    """Return the total drop less ``doubt`` times its standard error."""
    return float(drop.sum() - doubt * np.sqrt(np.square(drop).sum()))


def _named_like(reference: Ints, labels: Ints, n_clusters: int) -> Ints:
    """Rename clusters so that they overlap most with those of the same name in ``reference``."""
    overlap = np.zeros((n_clusters, n_clusters))
    np.add.at(overlap, (labels, reference), 1.0)
    old, new = linear_sum_assignment(overlap, maximize=True)
    names = np.empty(n_clusters, dtype=np.int64)
    names[old] = new
    return names[labels]
