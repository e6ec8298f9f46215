"""Which rows are meant by ``links[rows]``, and what becomes of the pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints.pairs import Pairs, describe_rows
from linkwise.errors import InvalidInput
from linkwise.typing import RowsLike


def read_rows(name: str, rows: RowsLike, n_samples: int) -> NDArray[np.int64]:
    """Return the row numbers selected by a mask, integers, a slice or ``(rows, ...)``.

    Negative integers count from the end, as in NumPy.
    """
    if isinstance(rows, tuple):
        rows = _only_axis(name, rows)
    if rows is Ellipsis:
        rows = slice(None)
    if isinstance(rows, slice):
        return np.arange(*rows.indices(n_samples), dtype=np.int64)
    selected = np.asarray(rows)
    if selected.ndim == 0:
        raise InvalidInput(
            f"{name}[{rows!r}] is a single row. Select rows with a list, a slice or a mask, "
            f"such as {name}[[0, 1]]."
        )
    if selected.ndim == 1 and selected.dtype.kind == "b":
        return _read_mask(name, selected, n_samples)
    if selected.size == 0 and selected.ndim == 1:
        return np.empty(0, dtype=np.int64)
    if selected.ndim != 1 or selected.dtype.kind not in "iu":
        raise InvalidInput(
            f"{name}[rows] reads a mask, whole numbers or a slice, "
            f"got an array of shape {selected.shape} and type {selected.dtype}."
        )
    return _read_numbers(selected, n_samples)


def renumber(
    pairs: Pairs, selected: NDArray[np.int64], n_samples: int
) -> tuple[Pairs, NDArray[np.int64]]:
    """Return the pairs between selected rows by their new numbers, and which pair each was."""
    places = np.flatnonzero(_is_named(selected, pairs, n_samples))
    places = places[np.argsort(selected[places], kind="stable")]
    rows = selected[places]
    first = np.searchsorted(rows, pairs, side="left")
    copies = np.searchsorted(rows, pairs, side="right") - first
    n_new = copies.prod(axis=1)
    kept = np.repeat(np.arange(len(pairs)), n_new)
    number = np.arange(len(kept)) - (np.cumsum(n_new) - n_new)[kept]
    i = places[first[kept, 0] + number // copies[kept, 1]]
    j = places[first[kept, 1] + number % copies[kept, 1]]
    return np.column_stack((i, j)), kept


def _is_named(selected: NDArray[np.int64], pairs: Pairs, n_samples: int) -> NDArray[np.bool_]:
    """Tell which selected rows any pair names, at a cost that few rows of many keep small."""
    if len(selected) < n_samples // 20:
        return np.isin(selected, pairs, kind="sort")
    named = np.zeros(n_samples, dtype=bool)
    named[pairs] = True
    return named[selected]


def _only_axis(name: str, rows: tuple[Any, ...]) -> RowsLike:
    """Take ``rows`` out of ``(rows, ...)``, the way scikit-learn slices."""
    named = [part for part in rows if part is not Ellipsis]
    if len(named) > 1 or len(rows) > 2:
        raise InvalidInput(
            f"{name} has one axis, the rows, but got {len(named)} of them. "
            f"Select rows with a list: {name}[[0, 1]]."
        )
    return named[0] if named else Ellipsis


def _read_mask(name: str, mask: NDArray[np.bool_], n_samples: int) -> NDArray[np.int64]:
    if len(mask) != n_samples:
        raise InvalidInput(f"{name}[mask]: the mask has {len(mask)} values for {n_samples} rows.")
    return np.flatnonzero(mask).astype(np.int64)


def _read_numbers(numbers: NDArray[Any], n_samples: int) -> NDArray[np.int64]:
    outside = np.flatnonzero((numbers < -n_samples) | (numbers >= n_samples))
    if outside.size:
        first = int(outside[0])
        raise InvalidInput(
            f"rows[{first}] = {int(numbers[first])} points outside {describe_rows(n_samples)}."
        )
    rows = numbers.astype(np.int64)
    return np.where(rows < 0, rows + n_samples, rows)
