"""Which clustering of the landmarks the answers ask for, and how much of it is worth adopting."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from linkwise.cluster.sequential.groups import GroupSpread
from linkwise.cluster.sequential.landmarks import Basis, Floats, Ints
from linkwise.cluster.sequential.trust import LiftedLinks, by_likelihood, one_hot, represented
from linkwise.cluster.sequential.views import BentSpectrum, LearnedMetric, View
from linkwise.kernels.adopt import adopt_groups
from linkwise.kernels.lloyd import lloyd

N_FOLDS = 5
#: Random starts tried inside each fold.
N_FOLD_STARTS = 4
#: Standard errors by which a gain on the links learned from must exceed zero: of all, and of
#: landmarks that move together.
DOUBT = 1.0
GROUP_DOUBT = 0.5
#: The same on links left out: times the share of answers that seem to be wrong, and times what the
#: partitions lack to agreement.
DOUBT_PER_ERROR = 6.0
DOUBT_PER_DISCORD = 2.5
#: One before the first answer, and half of that after so many.
FEW_ANSWERS = 50
#: Standard errors more for groups of rows.
JOINED_DOUBT = 0.5
#: A row in a group of so many is where the group is.
SETTLED = 10
#: Fewer landmarks that move together do not count as a group.
MIN_GROUP = 3
MAX_ITER = 50


def choose_labels(
    basis: Basis, links: LiftedLinks, trusted: Floats, agreement: float, error_rate: float
) -> Ints:
    """Return clusters of the landmarks, named like those without answers.

    Where must-links have grown into groups, these are spread over the landmarks, if links left out
    approve. Otherwise the answers let the landmarks be seen anew: through their graph, bent by the
    links, and through their features, in a metric learned from them. Clusterings of such a view are
    candidates, if links left out approve of the view. Of a candidate, those groups of landmarks are
    adopted whose move keeps more links than chance explains; where the links say nothing,
    everything stays as it was.

    ``trusted`` is the weight of each link. The more answers seem to be wrong (``error_rate``), the
    fewer they are and the less the partitions agree (``agreement``, at most 1), the clearer a gain
    must be.
    """
    doubt = DOUBT_PER_ERROR * error_rate + DOUBT_PER_DISCORD * (1 - agreement)
    doubt += FEW_ANSWERS / (FEW_ANSWERS + len(links))
    weight = trusted * represented(basis, links)
    groups = GroupSpread(basis, links, trusted)
    if groups.enough():
        found = _by_groups(basis, links, _evened(links, weight), groups, doubt)
        if found is not None:
            return found
    labels = basis.labels
    for view, setting in _proven_views(basis, links, weight, doubt):
        labels = _seen(basis, links, weight, view, setting, labels)
    return labels


def _by_groups(
    basis: Basis, links: LiftedLinks, weight: Floats, groups: GroupSpread, doubt: float
) -> Ints | None:
    """Return the landmarks' clusters by groups of rows, None if links left out do not approve.

    Groups spread along the ensemble's graph. Where a metric explains links left out better for
    sure, the graph does not show what the answers are about, and the metric decides.
    """
    drop = left_out_drop(
        links,
        present=basis.labels,
        learn=lambda _, rest: groups.labels(rest),
        n_clusters=basis.n_clusters,
        groups=groups,
    )
    if sure_gain(weight * drop, doubt + JOINED_DOUBT) <= 0:
        return None
    metric = LearnedMetric(basis, links, weight)
    by_metric = _best_setting(basis, links, weight, metric, doubt, groups)
    if sure_gain(weight * (by_metric.drop - drop), DOUBT) > 0:
        return _seen(basis, links, weight, metric, by_metric.setting, basis.labels)
    labels = groups.labels(np.arange(len(links)))
    return _named_like(basis.labels, labels, basis.n_clusters)


def _evened(links: LiftedLinks, weight: Floats) -> Floats:
    """Return weights that let cannot-links, if they are fewer, count as much as must-links.

    Chosen questions are mostly answered "same", and a single cluster keeps all of these.
    """
    same, different = weight[links.must].sum(), weight[~links.must].sum()
    return np.where(links.must, weight, weight * max(1.0, same / max(different, 1.0)))


def _proven_views(
    basis: Basis, links: LiftedLinks, weight: Floats, doubt: float
) -> list[tuple[View, float]]:
    """Return the views that gain for sure on links left out, each at its best setting, best first.

    What one view cannot see another may, so all that have proven themselves have their say.
    """
    if len(links) < 2:
        return []
    views: tuple[View, ...] = (
        BentSpectrum(basis, links, weight),
        LearnedMetric(basis, links, weight),
    )
    found = [(view, _best_setting(basis, links, weight, view, doubt)) for view in views]
    found.sort(key=lambda one: -one[1].gain)
    return [(view, proven.setting) for view, proven in found if proven.gain > 0]


class _Proof(NamedTuple):
    """What a view gains on links left out, at its best setting, and the drop of each link."""

    gain: float
    setting: float
    drop: Floats


def _best_setting(
    basis: Basis,
    links: LiftedLinks,
    weight: Floats,
    view: View,
    doubt: float,
    groups: GroupSpread | None = None,
) -> _Proof:
    """Return the setting with the largest sure gain; if none has any, a gain and a drop of zero."""
    learned = view.learn(np.arange(len(links)))
    learned_without = [learned - view.learn(part) for part in folds(len(links))]
    telling = by_likelihood(links, weight, basis.labels, basis.n_clusters)
    counted = telling if view.by_likelihood else weight

    def labels(setting: float, fold: int, rest: Ints) -> Ints:
        embedding = view.embed(setting, learned_without[fold])
        return _best(basis, links, counted, rest, embedding, basis.labels, N_FOLD_STARTS)

    best = _Proof(0.0, 0.0, np.zeros(len(links)))
    for setting in view.settings:
        drop = left_out_drop(
            links,
            present=basis.labels,
            learn=partial(labels, setting),
            n_clusters=basis.n_clusters,
            groups=groups,
        )
        gain = sure_gain(telling * drop, doubt + view.doubt)
        if not view.by_likelihood:
            gain = min(gain, sure_gain(weight * drop, doubt))
        if gain > best.gain:
            best = _Proof(gain, setting, drop)
    return best


def _seen(
    basis: Basis, links: LiftedLinks, weight: Floats, view: View, setting: float, present: Ints
) -> Ints:
    """Return the ``present`` clusters after what all links approve of in a view was adopted."""
    everything = np.arange(len(links))
    embedding = view.embed(setting, view.learn(everything))
    if view.by_likelihood:
        weight = by_likelihood(links, weight, basis.labels, basis.n_clusters)
    return _best(basis, links, weight, everything, embedding, present)


def _best(
    basis: Basis,
    links: LiftedLinks,
    weight: Floats,
    part: Ints,
    embedding: Floats,
    present: Ints,
    n_starts: int | None = None,
) -> Ints:
    """Return what is adopted of the candidate from which the links in ``part`` gain most.

    ``present`` are the clusters so far; candidates come from k-means in ``embedding``.
    """
    r = basis.n_clusters
    before = links.broken(present, r)
    best, best_gain = present, 0.0
    for candidate in _candidates(embedding, present, basis.starts[:n_starts]):
        labels = _adopt(r, links, weight, part, candidate, present)
        gain = sure_gain((weight * (before - links.broken(labels, r)))[part], DOUBT)
        if gain > best_gain:
            best, best_gain = labels, gain
    return best


def _candidates(embedding: Floats, present: Ints, starts: Ints) -> list[Ints]:
    """Return k-means clusterings of the landmarks, from the present one and from random starts."""
    r = starts.shape[1]
    begin = [present]
    for start in starts:
        centers = embedding[start]
        closeness = embedding @ centers.T - np.square(centers).sum(axis=1) / 2
        begin.append(closeness.argmax(axis=1))
    found = [lloyd(embedding, labels, r, MAX_ITER)[0] for labels in begin]
    return [_named_like(present, labels, r) for labels in found]


def _adopt(
    n_clusters: int, links: LiftedLinks, weight: Floats, part: Ints, candidate: Ints, present: Ints
) -> Ints:
    """Move from the ``present`` labels to ``candidate`` only where the links ask for it.

    Landmarks that leave one cluster for the same other one are a group.
    """
    move = present * n_clusters + candidate
    moves, sizes = np.unique(move[present != candidate], return_counts=True)
    moves = moves[sizes >= MIN_GROUP]
    in_group = (move[:, None] == moves[None, :]).astype(np.float64)
    share = np.ascontiguousarray((links.mixture @ in_group).T)
    adopted = adopt_groups(
        links.mixture @ one_hot(present, n_clusters),
        share,
        moves // n_clusters,
        moves % n_clusters,
        links.i[part],
        links.j[part],
        links.must[part],
        weight[part],
        GROUP_DOUBT,
    )
    return np.where(np.isin(move, moves[adopted]), candidate, present)


def left_out_drop(
    links: LiftedLinks,
    *,
    present: Ints,
    learn: Callable[[int, Ints], Ints],
    n_clusters: int,
    groups: GroupSpread | None = None,
) -> Floats:
    """Return, per link, how much less it is broken when learned from others than at ``present``.

    ``learn(fold, rest)`` returns clusters of the landmarks when only the links ``rest`` are known.
    With ``groups``, rows that the other links have joined into a large one are where most of it is:
    many links lead to the same few examples, and should not all be judged by how well a single row
    is placed.
    """
    before = links.broken(present, n_clusters)
    drop = np.zeros(len(links))
    for fold, part in enumerate(folds(len(links))):
        rest = np.delete(np.arange(len(links)), part)
        labels = learn(fold, rest)
        if groups is None:
            after = links.broken(labels, n_clusters)
        else:
            group = groups.joined(rest)
            before = _broken_settled(links, present, n_clusters, group)
            after = _broken_settled(links, labels, n_clusters, group)
        drop[part] = (before - after)[part]
    return drop


def _broken_settled(links: LiftedLinks, labels: Ints, n_clusters: int, group: Ints) -> Floats:
    """Return, per link, the chance that ``labels`` break it, after large groups are settled."""
    member = links.mixture @ one_hot(labels, n_clusters)
    size = np.bincount(group)
    total = np.zeros((len(size), n_clusters))
    np.add.at(total, group, member)
    settled = size[group] >= SETTLED
    member[settled] = one_hot(total.argmax(axis=1), n_clusters)[group[settled]]
    return links.broken_by(member)


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
