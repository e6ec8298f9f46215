"""Which pairs to ask about: a landmark beside an example of the group it probably belongs to.

A random pair is "same" only once in as many times as there are clusters, and "different" says
little. So a landmark is shown beside an example of the likeliest group, after a "different" beside
one of the next, until it is placed: more than half of the answers are then "same", and the groups
grow into classes with labelled rows. A landmark that differs from three groups founds one of its
own. Two landmarks of three are drawn at random, because only answers that stand for the whole data
show whether a cluster is wrong as a whole; the third is one whose place is in doubt. Where there
are more groups than clusters, two of them must be one, and every fifth question looks for them.
Before all that, and in turn with it, whole clusters are asked about: typical rows of the two halves
of one, and of two that are much alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.sequential.answers import ERROR_RATE
from linkwise.cluster.sequential.cutting import cut_in_two
from linkwise.cluster.sequential.landmarks import Basis, Floats, Ints
from linkwise.constraints import Links
from linkwise.constraints.known_pairs import MAX_TRIES

#: Landmarks drawn at random for each one whose place is in doubt.
DRAWN_PER_DOUBT = 2
#: What is asked in turn, the first that has a question left: whether clusters are right as a whole,
#: where a landmark belongs, which groups are one.
_TURNS = (
    ("whole", "place"),
    ("place", "whole"),
    ("whole", "place"),
    ("place", "whole"),
    ("compare", "whole", "place"),
)
#: Rows shown at once: examples for a choice, and of the middle of a group and of its edge.
N_SHOWN = 5


class Choice(NamedTuple):
    """A row, and examples of the groups it may belong to, the likeliest first."""

    row: int
    examples: tuple[int, ...]


class Groups(NamedTuple):
    """Two groups of rows that may be one thing or two: typical rows of each first, then its edge.

    They are the halves of one cluster, or two clusters that are much alike; which, is not told.
    """

    one: tuple[int, ...]
    other: tuple[int, ...]


def choose_pairs(basis: Basis, votes: Floats, among: Links, n_asked: int, n_questions: int) -> Ints:
    """Return up to ``n_questions`` pairs of rows that have not been asked, most useful first.

    ``votes`` (shares, one row a landmark) are those of the landmarks after the answers so far;
    ``among`` is all that was said about landmarks, names included; ``n_asked`` are all answers.
    """
    known = _known_groups(basis, votes, among)
    waiting = {
        "whole": _to_restructure(basis, votes.argmax(axis=1), among, known.linked),
        "place": _to_place(basis, known),
        "compare": _to_compare(basis.n_clusters, known),
    }
    pairs: dict[tuple[int, int], None] = {}
    for number in range(n_asked, n_asked + n_questions):
        tried = (_new(waiting[kind], pairs) for kind in _TURNS[number % len(_TURNS)])
        pair = next((pair for pair in tried if pair is not None), None)
        if pair is None:
            break
        pairs[pair] = None
    return np.sort(basis.rows[np.array(list(pairs), dtype=np.int64).reshape(-1, 2)], axis=1)


def _new(
    questions: Iterator[tuple[int, int]], taken: dict[tuple[int, int], None]
) -> tuple[int, int] | None:
    """Return the next question that is not among those taken, its smaller number first."""
    ordered = ((min(pair), max(pair)) for pair in questions)
    return next((pair for pair in ordered if pair not in taken), None)


def choose_choices(basis: Basis, votes: Floats, among: Links, n_questions: int) -> list[Choice]:
    """Return up to ``n_questions`` rows to place, each with examples of its likeliest groups."""
    known = _known_groups(basis, votes, among)
    chance = np.where(known.apart, 0.0, known.chance)
    cluster = votes.argmax(axis=1)[known.example]
    found = []
    for landmark, _ in islice(_to_place(basis, known), n_questions):
        likely = np.argsort(-chance[landmark], kind="stable")
        likely = likely[chance[landmark, likely] > 0.0]
        shown = basis.rows[known.example[_distinct(likely, cluster, known)]]
        found.append(Choice(int(basis.rows[landmark]), tuple(int(row) for row in shown)))
    return found


def _distinct(likely: Ints, cluster: Ints, known: _KnownGroups) -> list[int]:
    """Return the likeliest groups of which no two may belong together.

    They are in different clusters, or somebody said that they differ.
    """
    shown: list[int] = []
    for group in likely:
        row = known.example[group]
        if all(cluster[group] != cluster[g] or known.apart[row, g] for g in shown):
            shown.append(int(group))
        if len(shown) == N_SHOWN:
            break
    return shown


def choose_groups(basis: Basis, votes: Floats, among: Links, n_questions: int) -> list[Groups]:
    """Return up to ``n_questions`` pairs of groups of which nobody said whether they are one."""
    waiting = _hypotheses(basis, votes.argmax(axis=1), among, tries=0)
    return [
        Groups(_shown(basis, one), _shown(basis, other)) for one, other in waiting[:n_questions]
    ]


def _shown(basis: Basis, part: Ints) -> tuple[int, ...]:
    """Return rows from the middle of a part and from its edge."""
    ranked = _typical(basis, part)
    if len(ranked) > 2 * N_SHOWN:
        ranked = ranked[:N_SHOWN] + ranked[-N_SHOWN:]
    return tuple(int(row) for row in basis.rows[ranked])


@dataclass(frozen=True, eq=False)
class _KnownGroups:
    """The groups a landmark can be compared with.

    ``place`` is the position of each landmark's group in this list, -1 where it has none yet;
    ``example`` and ``size`` are one per group; ``chance`` (n_landmarks, n_groups) is higher the
    likelier the landmark belongs to the group; ``apart`` tells which landmarks are known to differ
    from which groups, ``linked`` which pairs of landmarks were asked about.
    """

    place: Ints
    example: Ints
    size: Ints
    chance: Floats
    apart: NDArray[np.bool_]
    linked: set[tuple[int, int]]


def _known_groups(basis: Basis, votes: Floats, among: Links) -> _KnownGroups:
    labels = votes.argmax(axis=1)
    group = among.components()
    size = np.bincount(group)
    refusals = np.bincount(group[among.cannot].ravel(), minlength=len(size))
    asked = np.concatenate([among.must, among.cannot])
    n_answers = np.bincount(asked.ravel(), minlength=basis.n_landmarks)
    by_rank = np.lexsort((-lead(votes), -n_answers))  # asked often, else sure: a good example
    is_known = (size > 1) | (refusals >= min(MAX_TRIES, basis.n_clusters))
    spoken_for = np.unique(labels[size[group] > 1])
    for c in np.setdiff1d(labels, spoken_for):
        is_known[group[by_rank[labels[by_rank] == c][0]]] = True
    known = np.flatnonzero(is_known)
    position = np.full(len(size), -1)
    position[known] = np.arange(len(known))
    place = position[group]
    _, first = np.unique(place[by_rank], return_index=True)
    example = by_rank[first][-len(known) :]
    return _KnownGroups(
        place=place,
        example=example,
        size=size[known],
        chance=(votes[:, labels[example]] + ERROR_RATE) * _likeness(basis, place, len(known)),
        apart=_apart(group, position, group[among.cannot], len(known)),
        linked={(int(i), int(j)) for i, j in asked},
    )


def _likeness(basis: Basis, place: Ints, n_groups: int) -> Floats:
    """Return how alike each landmark is to the members of each group, on average."""
    unit = basis.likeness.astype(np.float32)
    members = np.flatnonzero(place >= 0)
    belongs = np.zeros((len(members), n_groups), dtype=np.float32)
    belongs[np.arange(len(members)), place[members]] = 1.0
    alike = np.maximum(unit @ unit[members].T, 0.0) @ (belongs / belongs.sum(axis=0))
    return np.asarray(alike, dtype=np.float64) + 1e-3


def _apart(group: Ints, position: Ints, cannot: Ints, n_groups: int) -> NDArray[np.bool_]:
    """Return which landmarks are known to differ from which groups."""
    apart = np.zeros((len(position), n_groups), dtype=bool)
    for one, other in (cannot.T, cannot.T[::-1]):
        seen = position[other] >= 0
        apart[one[seen], position[other[seen]]] = True
    return apart[group]


def _to_place(basis: Basis, known: _KnownGroups) -> Iterator[tuple[int, int]]:
    """Yield landmarks without a group, each with an example of the likeliest one."""
    chance = np.where(known.apart, 0.0, known.chance)
    waiting = np.flatnonzero((known.place < 0) & (chance > 0).any(axis=1))
    doubt = lead(chance / np.maximum(chance.sum(axis=1, keepdims=True), 1e-12))
    begun = waiting[known.apart[waiting].any(axis=1)]  # finish what was begun
    drawn = waiting[np.argsort(basis.order[waiting])]
    doubtful = waiting[np.argsort(doubt[waiting], kind="stable")]
    taken: set[int] = set()
    for landmark in np.concatenate([begun, _interleave(drawn, doubtful)]):
        if landmark not in taken:
            taken.add(landmark)
            yield int(landmark), int(known.example[chance[landmark].argmax()])


def _to_compare(n_clusters: int, known: _KnownGroups) -> Iterator[tuple[int, int]]:
    """Yield pairs of groups that may be one, the most alike first, if there are too many groups.

    Two groups that one answer has joined are compared once more, through another member.
    """
    real = np.flatnonzero(known.size > 1)
    if len(real) <= n_clusters:
        return
    members = [np.flatnonzero(known.place == g) for g in real]
    between = np.array([known.chance[m][:, real].mean(axis=0) for m in members])
    own = np.sqrt(np.diag(between))
    alike = (between + between.T) / np.maximum(np.outer(own, own), 1e-12)
    a, b = np.triu_indices(len(real), 1)
    for pair in np.argsort(-alike[a, b], kind="stable"):
        one, other = real[a[pair]], real[b[pair]]
        if known.apart[known.example[one], other] or known.apart[known.example[other], one]:
            continue
        central = members[a[pair]][np.argsort(-known.chance[members[a[pair]], one])]
        for landmark in (known.example[one], *central):
            question = (int(landmark), int(known.example[other]))
            if question not in known.linked and question[::-1] not in known.linked:
                yield question
                break


def _to_restructure(
    basis: Basis, labels: Ints, among: Links, asked: set[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield pairs that tell whether a cluster is really two, or two clusters are one."""
    for one, other in _hypotheses(basis, labels, among):
        pairs = zip(_typical(basis, one), _typical(basis, other), strict=False)
        pair = next(((a, b) for a, b in pairs if (min(a, b), max(a, b)) not in asked), None)
        if pair is not None:
            yield pair


def _hypotheses(
    basis: Basis, labels: Ints, among: Links, tries: int = MAX_TRIES
) -> list[tuple[Ints, Ints]]:
    """Return parts that may be one or two: halves of a cluster, and clusters that are most alike.

    Each is asked about once; where the answer contradicts the clustering, up to ``tries`` times
    more, and these come first.
    """
    half = cut_in_two(basis.coordinates, labels, basis.n_clusters)
    parts = [np.flatnonzero(labels == c) for c in range(basis.n_clusters)]
    cut = [(p[half[p]], p[~half[p]], False) for p in parts if 0 < half[p].sum() < len(p)]
    joined = [(parts[a], parts[b], True) for a, b in _alike(basis.coordinates, parts)]
    side = np.full(basis.n_landmarks, -1)
    waiting = []
    for one, other, says_same in (x for pair in zip_longest(joined, cut) for x in pair if x):
        side[:] = -1
        side[one], side[other] = 0, 1
        same, different = (
            int((np.sort(side[pairs], axis=1) == (0, 1)).all(axis=1).sum())
            for pairs in (among.must, among.cannot)
        )
        surprising = same if says_same else different
        if same + different == 0 or (0 < surprising and same + different <= tries):
            waiting.append((surprising == 0, one, other))
    waiting.sort(key=lambda hypothesis: hypothesis[0])
    return [(one, other) for _, one, other in waiting]


def _alike(coordinates: Floats, parts: list[Ints]) -> list[tuple[int, int]]:
    """Return the pairs of clusters whose merger costs k-means least, one a cluster."""
    size = np.array([len(part) for part in parts], dtype=np.float64)
    means = np.array([coordinates[p].mean(axis=0) if len(p) else coordinates[0] for p in parts])
    a, b = np.triu_indices(len(parts), 1)
    cost = size[a] * size[b] / np.maximum(size[a] + size[b], 1.0)
    cost = cost * np.square(means[a] - means[b]).sum(axis=1)
    cost[(size[a] == 0) | (size[b] == 0)] = np.inf
    order = np.argsort(cost, kind="stable")[: len(parts)]
    return [(int(a[k]), int(b[k])) for k in order if np.isfinite(cost[k])]


def _typical(basis: Basis, part: Ints) -> list[int]:
    """Return the landmarks of a part, the closest to its middle first."""
    around = basis.coordinates[part] - basis.coordinates[part].mean(axis=0)
    order = np.argsort(np.square(around).sum(axis=1), kind="stable")
    return [int(landmark) for landmark in part[order]]


def _interleave(drawn: Ints, doubtful: Ints) -> Ints:
    """Return the landmarks two from ``drawn``, one from ``doubtful``; both list the same ones."""
    position = np.concatenate([np.arange(len(drawn)) / DRAWN_PER_DOUBT, np.arange(len(doubtful))])
    return np.concatenate([drawn, doubtful])[np.argsort(position, kind="stable")]


def lead(shares: Floats) -> Floats:
    """Return by how much the largest share of each row leads."""
    if shares.shape[1] == 1:
        return shares[:, 0]
    ranked = np.partition(shares, -2, axis=1)
    return np.asarray(ranked[:, -1] - ranked[:, -2])
