"""Pairs of rows as people write them, checked and brought into one order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwise.errors import InvalidLinks
from linkwise.typing import PairsLike

Pairs = NDArray[np.int64]
Weights = NDArray[np.float64]


def read_pairs(name: str, pairs: PairsLike, n_samples: int) -> Pairs:
    """Return ``pairs`` as an integer array of shape (k, 2), or say which pair is wrong."""
    array = _as_array(name, pairs)
    if array.size == 0 and array.ndim in (1, 2):
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InvalidLinks(
            f"{name} must be pairs of rows such as [(0, 1), (2, 3)], of shape (k, 2), "
            f"got shape {array.shape}."
        )
    advice = " Give ids= if rows go by id." if array.dtype.kind == "U" else ""
    _refuse(name, array, ~_whole(array), f"is not a pair of row numbers.{advice}")
    outside = (array < 0) | (array >= n_samples)
    _refuse(name, array, outside, f"points outside {describe_rows(n_samples)}.")
    rows = array.astype(np.int64)
    itself = np.flatnonzero(rows[:, 0] == rows[:, 1])
    if itself.size:
        first = int(itself[0])
        row = int(rows[first, 0])
        raise InvalidLinks(f"{name}[{first}] = ({row}, {row}) links row {row} to itself.")
    return rows


def read_weights(weight: ArrayLike | Iterable[float] | None, n_links: int) -> Weights:
    """Return one weight per link, ones if None, or say which weight is wrong."""
    if weight is None:
        return np.ones(n_links)
    given = np.asarray(weight if _is_sized(weight) else list(_iterable("weight", weight)))
    if given.shape != (n_links,):
        found = f"{given.size} values" if given.ndim == 1 else f"shape {given.shape}"
        raise InvalidLinks(
            f"weight has {found} for {n_links} links: give one per pair, must first."
        )
    numbers = given.dtype.kind in "iuf" or not n_links
    values = given.astype(np.float64) if numbers else np.array([_number(w) for w in given])
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if wrong.size:
        first = int(wrong[0])
        raise InvalidLinks(
            f"weight[{first}] = {given.tolist()[first]!r} must be a finite number >= 0."
        )
    return np.asarray(values + 0.0)  # -0.0 becomes 0.0: equal weights have equal bytes


def in_order(pairs: Pairs, weight: Weights) -> tuple[Pairs, Weights]:
    """Sort pairs, smaller row first, and keep each once with its largest weight."""
    low, high = pairs.min(axis=1, initial=np.iinfo(np.int64).max), pairs.max(axis=1, initial=-1)
    if not _increasing(low, high):
        order = np.lexsort((high, low))
        low, high, weight = low[order], high[order], weight[order]
        new = np.ones(len(low), dtype=bool)
        new[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
        starts = np.flatnonzero(new)
        low, high = low[starts], high[starts]
        weight = np.maximum.reduceat(weight, starts) if starts.size else weight
    return np.column_stack((low, high)), np.array(weight)


def is_among(pairs: Pairs, others: Pairs) -> NDArray[np.bool_]:
    """Tell which pairs occur in ``others``; both have no duplicates."""
    both = np.concatenate((pairs, others))
    _, place, count = np.unique(both, axis=0, return_inverse=True, return_counts=True)
    return count[place.reshape(-1)[: len(pairs)]] > 1


def describe_rows(n_samples: int) -> str:
    """Name the rows there are: ``the 4 rows (0 to 3)``."""
    if n_samples == 0:
        return "the data, which has no rows"
    return f"the {n_samples} rows (0 to {n_samples - 1})"


def _as_array(name: str, pairs: Any) -> NDArray[Any]:
    listed = pairs if _is_sized(pairs) else list(_iterable(name, pairs))
    try:
        return np.asarray(listed)
    except ValueError:  # the pairs do not all have two ends
        for position, pair in enumerate(listed):
            if np.ndim(pair) != 1 or len(pair) != 2:
                raise InvalidLinks(
                    f"{name}[{position}] = {pair!r} is not a pair of rows."
                ) from None
        raise


def _is_sized(values: object) -> bool:
    return isinstance(values, list | tuple | np.ndarray) or hasattr(values, "__array__")


def _iterable(name: str, values: object) -> Iterable[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        wanted = "one number per pair" if name == "weight" else "pairs of rows such as [(0, 1)]"
        raise InvalidLinks(f"{name} must be {wanted}, got {values!r}.")
    return values


def _number(value: object) -> float:
    """Return a weight out of a mixed list; NaN if it is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return np.nan
    return float(value)


def _whole(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which values are whole numbers; booleans and text are not."""
    if array.dtype.kind in "iu":
        return np.ones(array.shape, dtype=bool)
    if array.dtype.kind == "f":
        return np.asarray(np.isfinite(array) & (array == np.floor(array)))
    if array.dtype.kind == "O":
        whole = [
            isinstance(value, int) and not isinstance(value, bool)
            for value in array.ravel().tolist()
        ]
        return np.array(whole).reshape(array.shape)
    return np.zeros(array.shape, dtype=bool)


def _refuse(name: str, array: NDArray[Any], wrong: NDArray[np.bool_], complaint: str) -> None:
    positions = np.flatnonzero(wrong.any(axis=1))
    if positions.size:
        first = int(positions[0])
        i, j = array[first].tolist()
        raise InvalidLinks(f"{name}[{first}] = ({i!r}, {j!r}) {complaint}")


def _increasing(low: NDArray[np.int64], high: NDArray[np.int64]) -> bool:
    after = (low[1:] > low[:-1]) | ((low[1:] == low[:-1]) & (high[1:] > high[:-1]))
    return bool(after.all())
