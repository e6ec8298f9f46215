"""Tables rounded to bytes, and how far that can move a vote.

Adding the same number to all clusters for one label of one partition changes no winner and no
margin. So the smallest entry over the clusters is taken off first, and what is left is counted in
steps of one common ``unit``. Entries are so small that a few of them can be added in one byte, and
the unit so large that no row has more than 65535 steps over all partitions: 16-bit sums are enough.

Entries are rounded to the nearest step, and for a margin the difference of two clusters matters. In
one partition it is off by at most the spread of the rounding errors over the clusters, for the
worst label; the sum of these over the partitions bounds the error of any margin of any row. Winners
by a larger margin are certain.

What rounding takes away is kept in a second byte, in parts of a step. With these added, the bound
is ``PARTS`` times smaller.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Entries added in one byte before they are widened. Four (6 bits each) is hardly faster for tables
# and doubles the number of close rows; one (8 bits) is slower by a sixth.
TABLES_AT_ONCE = 2
WEIGHTS_AT_ONCE = 4  # weights of one group; see _in_balanced_groups
MAX_BYTE = 255
MAX_SUM = 65535
PARTS = 254  # of a step: rounding takes away -127 to 127


@dataclass(frozen=True)
class ByteTables:
    """What is added up for all rows instead of the tables.

    Attributes
    ----------
    entries : uint8 array, (n_used, n_labels, n_clusters) for tables, (n_used,) for weights
        The tables in steps of ``unit``.
    partitions : intp array of shape (n_used,)
        The partition each of the entries belongs to. Those that give the same to all clusters are
        left out; weights are padded with zeros.
    parts : int8 array, shaped like the tables or weights
        What is missing from the steps of all partitions, in parts of ``unit / PARTS``.
    unit : float
        What one step is worth.
    error : float
        The most by which a margin in steps, times ``unit``, can differ from the margin in float64.
    doubt, doubt_in_parts : int
        A margin of so many steps, or so many parts, may belong to another winner.
    """

    entries: NDArray[np.uint8]
    partitions: NDArray[np.intp]
    parts: NDArray[np.int8]
    unit: float
    error: float
    doubt: int
    doubt_in_parts: int


def round_tables(tables: NDArray[np.float64]) -> ByteTables:
    """Round tables of shape (n_partitions, n_labels, n_clusters)."""
    steps = np.array(tables.transpose(2, 0, 1), order="C")  # clusters first: quick to compare
    largest = np.abs(steps).max(axis=0).max(axis=1)
    steps -= steps.min(axis=0)
    reach = steps.max(axis=0).max(axis=1)
    used = np.flatnonzero(reach)
    unit = unit_for_tables(reach)
    steps /= unit
    entries = np.rint(steps)
    steps -= entries
    spread = _spread(steps)
    steps *= PARTS
    parts = np.rint(steps)
    steps -= parts
    return ByteTables(
        entries[:, used].transpose(1, 2, 0).astype(np.uint8),
        used,
        np.ascontiguousarray(parts.transpose(1, 2, 0), np.int8),
        unit,
        *doubts_about_tables(largest, spread, _spread(steps), unit),
    )


def unit_for_tables(reach: NDArray[np.float64]) -> float:
    """Return the step for tables; ``reach`` is the largest entry of each partition, from zero."""
    used = np.flatnonzero(reach)
    return _unit(reach[used], reach.max(initial=0.0) / (MAX_BYTE // TABLES_AT_ONCE))


def doubts_about_tables(
    largest: NDArray[np.float64],
    spread: NDArray[np.float64],
    spread_in_parts: NDArray[np.float64],
    unit: float,
) -> tuple[float, int, int]:
    """Return the error, and the doubt in steps and in parts, from what each partition adds.

    ``largest`` is the largest entry, ``spread`` and ``spread_in_parts`` what rounding to steps and
    to parts leaves between two clusters, for the worst label.
    """
    slack = _slack(largest)
    error = float(spread.sum()) * unit + slack
    error_in_parts = float(spread_in_parts.sum()) * unit / PARTS + slack
    return error, *_doubts(unit, error, error_in_parts)


def round_weights(weights: NDArray[np.float64]) -> ByteTables:
    """Round weights >= 0 of shape (n_partitions,): tables that are ``weights[k]`` times identity.

    All entries but one are zero and stay exact, so the spread is the rounding error itself.
    """
    slack = _slack(weights)
    partitions, given = _in_balanced_groups(weights)
    together = given.reshape(-1, WEIGHTS_AT_ONCE).sum(axis=1).max(initial=0.0)
    # rounding adds at most half a step to each
    unit = _unit(given, together / (MAX_BYTE - WEIGHTS_AT_ONCE / 2))
    steps = weights / unit
    missing = steps - np.rint(steps)
    parts = np.rint(PARTS * missing)
    error = float(np.abs(missing).sum()) * unit + slack
    error_in_parts = float(np.abs(missing - parts / PARTS).sum()) * unit + slack
    return ByteTables(
        np.rint(given / unit).astype(np.uint8),
        partitions,
        parts.astype(np.int8),
        unit,
        error,
        *_doubts(unit, error, error_in_parts),
    )


def _in_balanced_groups(
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the partitions with weights > 0, and the weights, large ones beside small ones.

    Each ``WEIGHTS_AT_ONCE`` neighbours weigh about the same, so that a small unit is enough. The
    last places may be given to the first partition again, with no weight.
    """
    used = np.flatnonzero(weights)
    n_groups = -(-len(used) // WEIGHTS_AT_ONCE)
    partitions = np.zeros(n_groups * WEIGHTS_AT_ONCE, np.intp)
    partitions[: len(used)] = used[np.argsort(-weights[used], kind="stable")]
    given = np.where(np.arange(len(partitions)) < len(used), weights[partitions], 0.0)
    turns = np.arange(len(partitions)).reshape(WEIGHTS_AT_ONCE, n_groups)
    turns[1::2] = turns[1::2, ::-1].copy()
    order = turns.T.ravel()
    return partitions[order], given[order]


def _unit(reach: NDArray[np.float64], smallest: float) -> float:
    """Return the step: at least ``smallest``, and no sum over the partitions is too large."""
    if not reach.any():
        return 1.0
    # rounding adds at most half a step to each
    for_sums = reach.sum() / (MAX_SUM - len(reach) / 2)
    return float(max(smallest, for_sums, np.finfo(np.float64).tiny))


def _spread(missing: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for the worst label of each partition, largest minus smallest over the clusters."""
    worst: NDArray[np.float64] = (missing.max(axis=0) - missing.min(axis=0)).max(axis=1)
    return worst


def _slack(largest: NDArray[np.float64]) -> float:
    """Bound what float64 rounds off two sums over entries up to ``largest``, generously.

    One sum over n partitions is off by at most n * eps / 2 times the sum of the largest entries;
    rounding to steps adds a few operations per entry. Twice all that is allowed for.
    """
    return 2.0 * (len(largest) + 16) * float(np.finfo(np.float64).eps * largest.sum())


def _doubts(unit: float, error: float, error_in_parts: float) -> tuple[int, int]:
    in_steps = min(error / unit, MAX_SUM)
    in_parts = min(error_in_parts / unit, 2 * MAX_SUM) * PARTS
    return int(in_steps), int(in_parts)
