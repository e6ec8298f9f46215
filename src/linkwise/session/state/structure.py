"""Structure: what people did to the clusters themselves: merged, split and renamed them.

These events act on the labels after the model, in the order in which they were made. An event about
a cluster that no longer exists, because the split that made it was undone, has no effect; nor has
one that would make one cluster of rows that have different names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from linkwise.constraints import Links
from linkwise.constraints.narrow import narrow
from linkwise.ensemble import LabelMatrix
from linkwise.kernels.vote.vote import vote
from linkwise.session.events.event import Payload
from linkwise.session.events.kinds import Effect
from linkwise.session.journal.log import Log

MAX_EXAMPLES = 50
MAX_SPLIT_ROWS = 1_000
_ROUNDS = 20

Ints = NDArray[np.int64]
Number = TypeVar("Number", bound=np.integer[Any])
SplitMargins = Callable[["Change", Ints], NDArray[np.float32]]


@dataclass(frozen=True)
class Change:
    """A standing event that names or changes clusters."""

    seq: int
    effect: Effect
    payload: Payload


def read_changes(log: Log, n: int, standing: NDArray[np.bool_]) -> tuple[Change, ...]:
    """Return the standing changes among the first ``n`` events, in order."""
    return tuple(
        Change(seq, effect, payload)
        for seq, payload in log.others.items()
        if (effect := log.kind(seq).effect).names or effect.relabel
        if seq <= n and standing[seq - 1]
    )


def apply_changes(
    labels: NDArray[Number],
    changes: tuple[Change, ...],
    names: dict[str, Ints],
    links: Links,
    margins: SplitMargins,
) -> NDArray[Number]:
    """Return the labels after the changes.

    ``names`` are the rows of each name; ``margins(split, rows)`` tells of some rows how much more
    each shares with the second half of a split than with the first.
    """
    labels = labels.copy()
    for change in changes:
        if change.effect.relabel and len(names_joined(labels, change, names)) < 2:
            leaving = partial(_leaving, change, links, margins)
            change.effect.relabel(labels, change.payload, leaving)
    return labels


def names_joined(
    labels: NDArray[np.integer[Any]], change: Change, names: dict[str, Ints]
) -> list[str]:
    """Return the names that a change would bring into one cluster, sorted; one is no harm."""
    joins = change.effect.joins
    return names_in(labels, joins(change.payload), names) if joins else []


def names_in(
    labels: NDArray[np.integer[Any]], clusters: list[int], names: dict[str, Ints]
) -> list[str]:
    """Return the names whose rows are in some clusters, one for each cluster, sorted."""
    home = {int(np.bincount(labels[rows]).argmax()): name for name, rows in names.items()}
    return sorted(name for cluster, name in home.items() if cluster in clusters)


def _leaving(
    split: Change,
    links: Links,
    margins: SplitMargins,
    inside: Ints,
) -> NDArray[np.bool_]:
    """Tell which of the rows ``inside`` a cluster leave it when it is split."""
    return _as_linked(inside, margins(split, inside), links) > 0


def _as_linked(inside: Ints, score: NDArray[np.float32], links: Links) -> NDArray[np.float32]:
    """Let rows that belong together, by must-links among ``inside``, take one side together."""
    must = links.must[np.isin(links.must, inside).all(axis=1)]
    if not len(must):
        return score
    i, j = np.searchsorted(inside, must).T
    size = (len(inside), len(inside))
    graph = narrow(csr_array((np.ones(len(i)), (i, j)), size))
    _, group = connected_components(graph, directed=False)
    return np.asarray(np.bincount(group, weights=score)[group], dtype=np.float32)


def split_margins(
    split: Change, labels: LabelMatrix, rows: Ints | None = None
) -> NDArray[np.float32]:
    """Return how much more of its partitions each row shares with the second half, -1 to 1.

    ``rows`` are increasing; None stands for all. Rows that the event names count as far on their
    side as all others together.
    """
    tables = _half_tables(split, labels)
    if rows is None:
        signed = np.concatenate(labels.each(labels.n_rows, _lean, tables))
    else:
        signed = _lean(np.ascontiguousarray(labels.rows(rows).T), tables)
    if split.payload["rows"] is not None:
        named = np.array(split.payload["rows"], dtype=np.int64)
        named = named if rows is None else np.flatnonzero(np.isin(rows, named))
        signed[named] = float(labels.n_rows)
    return signed


def nearer_second(
    split: Change,
    labels: LabelMatrix,
    blocks: NDArray[np.uint8],
) -> NDArray[np.float32]:
    """Return the same for rows given by their blocks, which need not be rows of the session."""
    return _lean(blocks, _half_tables(split, labels))


def _half_tables(split: Change, labels: LabelMatrix) -> NDArray[np.float64]:
    """Return the share of either half in each block, (n_partitions, 256, 2)."""
    first, second = (np.array(half, dtype=np.int64) for half in split.payload["halves"])
    shape = labels.n_partitions, 256
    tables = np.zeros((*shape, 2))
    for side, half in enumerate((first, second)):
        if len(half):
            cells = labels.rows(half) + 256 * np.arange(labels.n_partitions)
            counts = np.bincount(cells.ravel(), minlength=shape[0] * shape[1])
            tables[:, :, side] = counts.reshape(shape) / len(half)
    return tables


def _lean(blocks: NDArray[np.uint8], tables: NDArray[np.float64]) -> NDArray[np.float32]:
    winner, margin = vote(blocks, tables)
    signed = np.where(winner == 1, margin, -margin) / np.float32(len(tables))
    return np.asarray(signed, dtype=np.float32)


def halve(members: Ints, given: list[int] | None, labels: LabelMatrix) -> list[list[int]]:
    """Return two short lists of rows that show how a cluster is to be split.

    With ``given`` rows, the second list is of those and the first of the rest; otherwise two means
    are sought among the members' blocks.
    """
    if given is not None:
        chosen = np.array(given, dtype=np.int64)
        rest = np.setdiff1d(members, chosen)
        return [_some(rest, MAX_EXAMPLES).tolist(), _some(chosen, MAX_EXAMPLES).tolist()]
    sample = _some(members, MAX_SPLIT_ROWS)
    return [half.tolist() for half in _two_means(sample, labels.rows(sample))]


def _two_means(rows: Ints, blocks: NDArray[np.uint8]) -> tuple[Ints, Ints]:
    """Return the rows typical of two means, where nearness is the share of partitions in common.

    The direction in which the rows' blocks vary most tells the sides to begin with.
    """
    n_partitions = blocks.shape[1]
    cells = blocks.astype(np.int64) + 256 * np.arange(n_partitions)
    ends = np.arange(len(rows) + 1) * n_partitions
    member = csr_array((np.ones(cells.size), cells.ravel(), ends), (len(rows), 256 * n_partitions))
    shared = (member @ member.T).toarray() / n_partitions
    centred = shared - shared.mean(axis=0) - shared.mean(axis=1)[:, None] + shared.mean()
    last = len(rows) - 1
    _, direction = eigh(centred, subset_by_index=[last, last])
    side = direction[:, 0] > 0
    for _ in range(_ROUNDS):
        if side.all() or not side.any():
            break
        # squared distance to a mean: the share in common, and the mean's own length
        score = [shared[:, part].mean(axis=1) for part in (~side, side)]
        length = [shared[np.ix_(part, part)].mean() for part in (~side, side)]
        moved = score[1] - score[0] > (length[1] - length[0]) / 2
        if (moved == side).all():
            break
        side = moved
    if side.all() or not side.any():
        side = np.arange(len(rows)) >= (len(rows) + 1) // 2
    if side.sum() > len(side) / 2:  # the larger half keeps the number
        side = ~side
    first, second = (_most_typical(rows, shared, part) for part in (~side, side))
    return first, second


def _most_typical(rows: Ints, shared: NDArray[np.float64], part: NDArray[np.bool_]) -> Ints:
    score = shared[np.ix_(part, part)].mean(axis=1)
    return np.sort(rows[part][np.argsort(-score, kind="stable")[:MAX_EXAMPLES]])


def _some(rows: Ints, limit: int) -> Ints:
    """Return up to ``limit`` rows, evenly spaced."""
    if len(rows) <= limit:
        return rows
    return rows[np.linspace(0, len(rows) - 1, limit).astype(np.int64)]
