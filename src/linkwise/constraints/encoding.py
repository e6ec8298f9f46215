"""Label names, whatever they are, as whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidLinks
from linkwise.files.frames import column_values
from linkwise.typing import LabelsLike

UNKNOWN = -1


def encode(labels: LabelsLike, unknown: object = UNKNOWN) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the sorted class names and the class of each row, -1 where it is unknown.

    None, NaN, empty text and ``unknown`` mean that nobody knows. Floats that are all whole become
    integers: they are what integers with gaps look like in NumPy and pandas.
    """
    given = _one_per_row(labels)
    known = ~_is_unknown(given, unknown)
    names = given[known]
    if names.dtype.kind == "O":  # of one kind, now that the unknown ones are gone?
        names = _from_list(names.tolist())
    if names.dtype.kind == "f" and (names == np.floor(names)).all() and (abs(names) < 2**53).all():
        names = names.astype(np.int64)
    classes, inverse = _unique(names)
    codes = np.full(len(given), UNKNOWN, dtype=np.int64)
    codes[known] = inverse
    return classes, codes


def _one_per_row(labels: Any) -> NDArray[Any]:
    column = column_values(labels)
    if column is not None:
        labels = column
    sized = hasattr(labels, "__len__") or hasattr(labels, "__array__")
    if isinstance(labels, str | bytes | dict | set) or not sized:
        raise InvalidLinks(f"labels must be one label per row, got {labels!r}.")
    given = np.asarray(labels) if hasattr(labels, "__array__") else _from_list(list(labels))
    if given.ndim != 1:
        raise InvalidLinks(
            f"labels must be one label per row, of shape (n_samples,), got shape {given.shape}."
        )
    return given if given.dtype.kind in "biufU" else given.astype(object)


def _from_list(labels: list[Any]) -> NDArray[Any]:
    """Make an array of a list; where kinds are mixed, numbers do not turn into text."""
    labels = [label.item() if isinstance(label, np.generic) else label for label in labels]
    for row, label in enumerate(labels):
        if isinstance(label, list | tuple | dict | set | np.ndarray):
            raise InvalidLinks(f"labels[{row}] = {label!r} is not a single label.")
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= {int, float, str, bool}:
        return np.asarray(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def _is_unknown(given: NDArray[Any], unknown: object) -> NDArray[np.bool_]:
    """Tell which labels mean unknown; in text, the text of ``unknown`` does too."""
    nothing = () if _is_missing(unknown) else (unknown, str(unknown))
    if given.dtype.kind == "O":
        gone = [_is_missing(name) or name in nothing for name in given.tolist()]
        return np.array(gone, dtype=bool)
    missing = np.zeros(len(given), dtype=bool)
    if given.dtype.kind == "f":
        missing = np.isnan(given)
    if given.dtype.kind == "U":
        missing = np.char.strip(given) == ""
    if given.dtype.kind == "b" or not nothing:
        return missing
    if given.dtype.kind == "U":
        return np.asarray(missing | (given == str(unknown)))
    return missing if isinstance(unknown, str) else np.asarray(missing | (given == unknown))


def _is_missing(name: object) -> bool:
    """Tell None, NaN, NaT, pandas' NA and empty text from a name."""
    if isinstance(name, str):
        return not name.strip()
    if name is None or type(name).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(name, float) and name != name


def _unique(names: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the sorted names and the number of each; mixed kinds are sorted kind by kind."""
    if names.dtype.kind in "iu" and len(names):
        return _unique_numbers(names)
    if names.dtype.kind != "O":
        classes, inverse = np.unique(names, return_inverse=True)
        return classes, inverse.astype(np.int64)
    listed = names.tolist()
    try:
        ordered = sorted(set(listed))
    except TypeError:
        ordered = sorted(set(listed), key=lambda name: (type(name).__name__, repr(name)))
    number = {name: code for code, name in enumerate(ordered)}
    return _from_list(ordered), np.array([number[name] for name in listed], dtype=np.int64)


def _unique_numbers(names: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Number whole numbers; by counting instead of sorting where they lie close together."""
    low, high = int(names.min()), int(names.max())
    if high - low > 2 * len(names) + 1000 or high >= 2**63:
        classes, inverse = np.unique(names, return_inverse=True)
        return classes, inverse.astype(np.int64)
    offset = names.astype(np.int64) - low
    present = np.zeros(high - low + 1, dtype=bool)
    present[offset] = True
    classes = (np.flatnonzero(present) + low).astype(names.dtype)
    return classes, (np.cumsum(present) - 1)[offset]
