"""The vote: the one operation that touches all rows.

Partition ``k`` gives row ``i`` the label ``labels[k, i]``, and a table says what each label gives
each cluster. The score of cluster ``c`` is ``sum_k tables[k, labels[k, i], c]``, added in float64
in the order of the partitions; the largest score wins, of equal ones the smallest cluster.

Nearly all rows are decided by sums of one-byte entries (``bytes.py``), a vector of 64 rows at a
time where the processor can (``vectors.py``), row by row elsewhere (``fetch.py``). The few rows
whose best two clusters are too close for that are recounted in float64 (``settle.py``). So the
winners are exactly those of the formula, on any processor, for any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.kernels.vote.bytes import MAX_SUM, ByteTables, round_tables, round_weights
from linkwise.kernels.vote.fetch import lay_out_rows
from linkwise.kernels.vote.rows import vote_by_comparing, vote_by_fetching, vote_by_permuting
from linkwise.kernels.vote.settle import Evidence
from linkwise.kernels.vote.vectors import (
    BLOCK,
    ROWS,
    addresses_of,
    has_byte_permute,
    lay_out_tables,
    lay_out_weights,
)
from linkwise.threads import Team, count_threads

Labels = NDArray[np.uint8]
Votes = tuple[NDArray[np.int32], NDArray[np.float32]]

CHUNK = 16 * BLOCK  # rows one thread takes at a time


@dataclass(frozen=True)
class Engine:
    """One way of adding up bytes: how they are laid out, and the loop over the rows."""

    lay_out: Callable[[NDArray[np.uint8]], NDArray[np.uint8]]
    vote: Callable[..., None]


PERMUTE = Engine(lay_out_tables, vote_by_permuting)
FETCH = Engine(lay_out_rows, vote_by_fetching)
COMPARE = Engine(lay_out_weights, vote_by_comparing)


def vote(labels: Labels, tables: NDArray[np.float64], *, n_threads: int | None = None) -> Votes:
    """Let all partitions vote on all rows.

    Parameters
    ----------
    labels : uint8 array of shape (n_partitions, n_rows)
        Rows of the array must be contiguous, but need not be adjacent. All labels must be smaller
        than ``n_labels``; this is not checked, because it would cost as much as reading them.
    tables : float64 array of shape (n_partitions, n_labels, n_clusters)
        What each label of each partition gives each cluster; ``n_labels`` is at most 256.
    n_threads : int, default=None
        None is as many as there are processors for this process. No effect on the result.

    Returns
    -------
    winners : int32 array of shape (n_rows,)
        The cluster with the largest score; the smallest one of several.
    margins : float32 array of shape (n_rows,)
        Largest score minus second largest, infinite if there is one cluster. Off by at most
        :func:`quantisation_error`; below about that it is exact, to float32.

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [1, 0, 1]], dtype=np.uint8)
    >>> tables = np.array([[[3.0, 0.0], [0.0, 3.0]], [[1.0, 0.0], [0.0, 2.0]]])
    >>> winners, margins = vote(labels, tables)
    >>> winners, margins.round(1)
    (array([0, 0, 1], dtype=int32), array([1., 4., 5.], dtype=float32))
    """
    return _vote(labels, tables, n_threads, PERMUTE if has_byte_permute() else FETCH)


def vote_weights(
    labels: Labels,
    weights: NDArray[np.float64],
    n_clusters: int,
    *,
    n_threads: int | None = None,
) -> Votes:
    """Let each partition give its weight to the cluster that it names.

    The same as :func:`vote` with ``tables[k]`` equal to ``weights[k]`` times the identity, for
    weights >= 0. Labels from ``n_clusters`` on count for nobody.

    Examples
    --------
    >>> labels = np.array([[0, 1], [1, 1], [1, 0]], dtype=np.uint8)
    >>> winners, margins = vote_weights(labels, np.array([0.5, 0.3, 0.1]), 2)
    >>> winners, margins.round(1)
    (array([0, 1], dtype=int32), array([0.1, 0.7], dtype=float32))
    """
    weights = np.ascontiguousarray(weights, np.float64)
    if weights.ndim != 1:
        raise InvalidInput(f"weights have shape {weights.shape}, but (n_partitions,) is needed.")
    _check_labels(labels, len(weights))
    _check_finite("weights", weights)
    if not 1 <= n_clusters <= 256:
        raise InvalidInput(f"n_clusters is {n_clusters}, but one-byte labels name 1 to 256.")
    if len(weights) and weights.min() < 0:
        k = int(weights.argmin())
        raise InvalidInput(f"weights[{k}] is {weights[k]}. A partition's weight must be >= 0.")
    return _count(labels, round_weights(weights), weights, n_clusters, n_threads, COMPARE)


def scores(labels: Labels, tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scores of a few rows in float64, shape (n_rows, n_clusters).

    ``labels`` is (n_partitions, n_rows) in any memory order, for example ``points.T`` of a
    point-major copy; ``tables`` as in :func:`vote`, which gives exactly the winners
    ``scores(...).argmax(axis=1)``.

    Examples
    --------
    >>> tables = np.array([[[3.0, 0.0], [0.0, 3.0]], [[1.0, 0.0], [0.0, 2.0]]])
    >>> scores(np.array([[0, 1], [1, 1]], dtype=np.uint8), tables)
    array([[3., 2.],
           [0., 5.]])
    """
    if len(labels) != len(tables):
        raise InvalidInput(f"labels have {len(labels)} partitions, but {len(tables)} can vote.")
    if labels.size and int(labels.max()) >= tables.shape[1]:
        raise InvalidInput(
            f"labels contain {labels.max()}, but tables have {tables.shape[1]} labels "
            f"(0 to {tables.shape[1] - 1})."
        )
    totals = np.zeros((labels.shape[1], tables.shape[2]))
    for k in range(len(labels)):
        totals += tables[k, labels[k]]
    return totals


def quantisation_error(tables: NDArray[np.float64]) -> float:
    """Return how far a margin of :func:`vote` can be from the float64 one, before float32.

    For :func:`vote_weights` pass the weights, a one-dimensional array.
    """
    tables = np.ascontiguousarray(tables, np.float64)
    rounded = round_weights(tables) if tables.ndim == 1 else round_tables(tables)
    return rounded.error


def _vote(
    labels: Labels, tables: NDArray[np.float64], n_threads: int | None, engine: Engine
) -> Votes:
    tables = np.ascontiguousarray(tables, np.float64)
    if tables.ndim != 3 or not 1 <= tables.shape[1] <= 256 or tables.shape[2] < 1:
        raise InvalidInput(
            f"tables have shape {tables.shape}, but (n_partitions, n_labels, n_clusters) "
            "with 1 to 256 labels and at least one cluster is needed."
        )
    _check_labels(labels, len(tables))
    _check_finite("tables", tables)
    return _count(labels, round_tables(tables), tables, tables.shape[2], n_threads, engine)


def _count(
    labels: Labels,
    rounded: ByteTables,
    exact: NDArray[np.float64],
    n_clusters: int,
    n_threads: int | None,
    engine: Engine,
) -> Votes:
    """Vote on whole vectors of rows in place, and on the rest in a padded copy."""
    n_rows = labels.shape[1]
    winners = np.zeros(n_rows, np.int32)
    margins = np.full(n_rows, np.inf if n_clusters == 1 else 0.0, np.float32)
    n_threads = count_threads(n_threads)
    if n_clusters == 1 or not len(rounded.partitions):
        return winners, margins  # nobody to beat, or nobody tells the clusters apart
    layout = engine.lay_out(rounded.entries)
    limits = rounded.unit, rounded.doubt, rounded.doubt_in_parts

    def count(labels: Labels, winners: NDArray[np.int32], margins: NDArray[np.float32]) -> None:
        addresses = addresses_of(labels, rounded.partitions)
        evidence = Evidence(labels, _read_only(rounded.parts), _read_only(exact), *limits)

        def chunk(number: int) -> None:
            scores = np.empty((n_clusters, BLOCK), np.uint16)
            first = number * CHUNK
            rows = winners[first : first + CHUNK], margins[first : first + CHUNK]
            engine.vote(addresses, layout, scores, evidence, first, *rows)

        with Team(n_threads) as team:
            team.each(chunk, -(-len(winners) // CHUNK))

    whole = n_rows - n_rows % ROWS
    if whole:
        count(_as_wide_as_its_stride(labels), winners[:whole], margins[:whole])
    if whole < n_rows:
        tail: Votes = np.zeros(ROWS, np.int32), np.zeros(ROWS, np.float32)
        padded = np.zeros((len(labels), ROWS), np.uint8)
        padded[:, : n_rows - whole] = labels[:, whole:]
        count(_read_only(padded), *tail)
        winners[whole:], margins[whole:] = (part[: n_rows - whole] for part in tail)
    return winners, margins


def _as_wide_as_its_stride(labels: Labels) -> Labels:
    """Return a contiguous read-only view that ends where the next row begins.

    numba compiles anew for every kind of array; so it sees one kind only. The rows beyond
    ``labels.shape[1]`` are never touched: the last ones may lie outside the memory.
    """
    stride = labels.strides[0]
    if stride < labels.shape[1]:  # reversed or repeated rows
        return _read_only(labels.copy())
    return as_strided(labels, (len(labels), stride), (stride, 1), writeable=False)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _check_labels(labels: Labels, n_partitions: int) -> None:
    if labels.ndim != 2 or labels.dtype != np.uint8:
        raise InvalidInput(
            f"labels are {labels.dtype} of shape {labels.shape}, "
            "but uint8 of shape (n_partitions, n_rows) are needed."
        )
    if len(labels) != n_partitions:
        raise InvalidInput(f"labels have {len(labels)} partitions, but {n_partitions} can vote.")
    if n_partitions > MAX_SUM:
        raise InvalidInput(f"{n_partitions} partitions are too many; at most {MAX_SUM} can vote.")
    if labels.size and labels.shape[1] > 1 and labels.strides[1] != 1:
        raise InvalidInput(
            "labels of one partition are not contiguous. Copy them: np.ascontiguousarray(labels)."
        )


def _check_finite(what: str, values: NDArray[np.float64]) -> None:
    if not np.isfinite(values).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
        index = ", ".join(map(str, where))
        raise InvalidInput(f"{what}[{index}] is {values[where]}, not a finite number.")
    if values.size and np.abs(values).max() > np.finfo(np.float64).max / (4 * len(values)):
        raise InvalidInput(
            f"{what} add up to more than float64 can hold. Divide them by a common number."
        )
