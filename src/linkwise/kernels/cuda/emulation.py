"""What the GPU does, word by word, in NumPy: slow, and the same everywhere.

The kernels are compared with this on a machine with a GPU, and this with the kernels of a processor
on any machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise.kernels.cuda.layout import (
    GROUP,
    Words,
    half_bounds,
    in_groups,
    lay_out,
    passes,
)
from linkwise.kernels.vote.bytes import PARTS, ByteTables

Labels = NDArray[np.uint8]


class Counted(NamedTuple):
    """Winners, margins, and how many rows were recounted in parts, and in float64."""

    winners: NDArray[np.int32]
    margins: NDArray[np.float32]
    n_close: int
    n_exact: int


def count_votes(
    labels: Labels, rounded: ByteTables, exact: NDArray[np.float64], n_clusters: int
) -> Counted:
    """Vote as ``vote.cu`` and ``recount.cu`` do; ``exact`` are tables or weights."""
    n_rows = labels.shape[1]
    best, second, winner = (np.zeros(n_rows, np.int64) for _ in range(3))
    parts = passes(n_clusters)
    words = Words.of(parts[0][1])
    for first, size in parts:
        scores = add_up(labels, rounded, words, first, size)
        for c in range(words.n_clusters):
            winner = np.where(scores[c] > best, first + c, winner)
            second = np.maximum(second, np.minimum(scores[c], best))
            best = np.maximum(best, scores[c])
    winners = winner.astype(np.int32)
    margins = (rounded.unit * (best - second)).astype(np.float32)
    close = np.flatnonzero(best - second <= rounded.doubt)
    n_exact = 0
    for i in close:
        winners[i], margins[i], again = recount(labels[:, i], rounded, exact, n_clusters)
        n_exact += again
    return Counted(winners, margins, len(close), n_exact)


def add_up(
    labels: Labels, rounded: ByteTables, words: Words, first: int, size: int
) -> NDArray[np.int64]:
    """Return the steps of one pass, (words.n_clusters, n_rows), as 32-bit words add them up."""
    is_tables = rounded.entries.ndim == 3
    n_labels = 128 if is_tables and rounded.entries.shape[1] <= 128 else 256
    if is_tables:
        entries = rounded.entries[:, :, first : first + size]
    else:
        entries = np.zeros((len(rounded.entries), 256, size), np.uint8)
        entries[:, np.arange(first, first + size), np.arange(size)] = rounded.entries[:, None]
    table = lay_out(entries, words, n_labels).view("<u4")
    partitions = in_groups(rounded.partitions)
    n_rows = labels.shape[1]
    sums = np.zeros((words.dense + words.wide, n_rows), np.uint32)
    odd = np.zeros((words.dense, n_rows), np.uint32)
    for group in range(0, len(partitions), GROUP):
        found = labels[partitions[group : group + GROUP]] & np.uint8(n_labels - 1)
        a, b, c, d = (table[group + k, found[k]].T for k in range(GROUP))
        for w in range(words.dense + words.wide):
            sums[w] += a[w] + b[w] + c[w] + d[w]
        for w in range(words.dense):
            if is_tables:
                odd[w] += odd_bytes(a[w] + b[w]) + odd_bytes(c[w] + d[w])
            else:
                odd[w] += odd_bytes(a[w] + b[w] + c[w] + d[w])
    scores = np.zeros((words.n_clusters, n_rows), np.int64)
    for w in range(words.dense):
        even = sums[w] - (odd[w] << np.uint32(8))
        scores[4 * w], scores[4 * w + 2] = _halves(even)
        scores[4 * w + 1], scores[4 * w + 3] = _halves(odd[w])
    for w in range(words.dense, words.dense + words.wide):
        low = 2 * (words.dense + w)
        scores[low], scores[low + 1] = _halves(sums[w])
    return scores


def odd_bytes(word: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the second and fourth byte, each with a byte to spare."""
    return (word >> np.uint32(8)) & np.uint32(0x00FF00FF)


def _halves(word: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    return word & np.uint32(0xFFFF), word >> np.uint32(16)


def recount(
    column: Labels, rounded: ByteTables, exact: NDArray[np.float64], n_clusters: int
) -> tuple[int, float, bool]:
    """Return winner, margin and whether float64 was needed, for the labels of one row."""
    steps, parts = np.zeros(n_clusters, np.int64), np.zeros(n_clusters, np.int64)
    for entry, k in zip(rounded.entries, rounded.partitions, strict=True):
        steps += _given(entry, column[k], n_clusters)
    for part, label in zip(rounded.parts, column, strict=True):
        parts += _given(part, label, n_clusters)
    lowest = max(np.sort(steps)[-2] - rounded.doubt, 0)
    close = np.flatnonzero(steps >= lowest)
    winner, lead = _lead((parts + float(PARTS) * steps)[close])
    if lead > rounded.doubt_in_parts:
        return int(close[winner]), rounded.unit * lead / PARTS, False
    totals = np.zeros(n_clusters)
    for table, label in zip(exact, column, strict=True):
        totals += _given(table, label, n_clusters)
    winner, lead = _lead(totals[close])
    return int(close[winner]), lead, True


def _given(table: NDArray[Any], label: np.uint8, n_clusters: int) -> NDArray[Any]:
    """Return what a label gives the clusters by a table, or by a weight."""
    if table.ndim == 2:
        return np.asarray(table[min(int(label), len(table) - 1)])
    return np.where(np.arange(n_clusters) == label, table, np.zeros_like(table))


def _lead(totals: NDArray[np.float64]) -> tuple[int, float]:
    winner = int(totals.argmax())
    return winner, float(totals[winner] - np.delete(totals, winner).max())


class Labelled(NamedTuple):
    """Labels (n_partitions, n_rows), and the share that half precision could not tell."""

    labels: Labels
    share_close: float


def label_prepared(
    rows: NDArray[np.float32],
    centers: NDArray[np.float32],
    offsets: NDArray[np.float32],
    features: NDArray[np.int32],
) -> Labelled:
    """Label prepared rows as ``labelling.cu`` does: half precision, then single where it is close.

    Products are added in float64 here: the order in which a matrix unit adds is its own affair,
    and the bound allows for it.
    """
    halves = rows.astype(np.float16).astype(np.float64)
    norms = np.sqrt(np.square(rows.astype(np.float64)).sum(axis=1))
    slope, start = half_bounds(centers, rows.shape[1])
    labels = np.empty((len(centers), len(rows)), np.uint8)
    n_close = 0
    for p, seen in enumerate(features):
        rounded = centers[p].astype(np.float16).astype(np.float64)
        scores = halves[:, seen] @ rounded.T - offsets[p]
        best = scores.max(axis=1)
        candidates = scores >= (best - (slope[p] * norms + start[p]))[:, None]
        again = np.flatnonzero(candidates.sum(axis=1) > 1)
        labels[p] = scores.argmax(axis=1)
        exact = rows[again][:, seen] @ centers[p].T - offsets[p]
        exact[~candidates[again]] = -np.inf
        labels[p, again] = exact.argmax(axis=1)
        n_close += len(again)
    return Labelled(labels, n_close / labels.size)
