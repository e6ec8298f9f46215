"""One wording for every parameter check."""

from __future__ import annotations

import numbers
from collections.abc import Collection
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from linkwise.errors import InvalidInput

#: A value as long as this is told by its type.
_LONGEST = 60


def check_number(
    owner: object,
    name: str,
    *,
    low: float | None = None,
    high: float | None = None,
    integer: bool = False,
    or_in: Collection[Any] = (),
) -> None:
    """Refuse ``owner.name`` unless it is a number in ``[low, high]`` or one of ``or_in``."""
    where = type(owner).__name__
    require_number(
        where, name, getattr(owner, name), low=low, high=high, integer=integer, or_in=or_in
    )


def require_number(
    where: str,
    name: str,
    value: Any,
    *,
    low: float | None = None,
    high: float | None = None,
    integer: bool = False,
    or_in: Collection[Any] = (),
) -> None:
    """Refuse the argument ``name`` of ``where``, a class or function, as :func:`check_number`."""
    if isinstance(value, str | type(None)) and value in or_in:
        return
    kind = numbers.Integral if integer else numbers.Real
    fits = isinstance(value, kind) and not isinstance(value, bool) and isfinite(value)
    fits = fits and (low is None or value >= low) and (high is None or value <= high)
    if not fits:
        wanted = "a whole number" if integer else "a number"
        if low is not None and high is not None:
            wanted += f" from {low} to {high}"
        elif low is not None:
            wanted += f" >= {low}"
        elif high is not None:
            wanted += f" <= {high}"
        wanted += "".join(f" or {option!r}" for option in or_in)
        found = repr(value)
        if len(found) > _LONGEST or "\n" in found:
            found = f"{type(value).__name__}(...)"  # a whole table, say
        raise InvalidInput(f"{where}({name}={found}): {name} must be {wanted}.")


def check_choice(owner: object, name: str, choices: Collection[Any]) -> None:
    """Refuse ``owner.name`` unless it is one of ``choices``."""
    value = getattr(owner, name)
    if not any(value is choice or value == choice for choice in choices):
        listed = ", ".join(repr(choice) for choice in choices)
        raise InvalidInput(
            f"{type(owner).__name__}({name}={value!r}): {name} must be one of {listed}."
        )


def check_row_weights(
    owner: object, given: ArrayLike | None, n_rows: int
) -> NDArray[np.float64] | None:
    """Return the weights of rows; refuse those that are not one number >= 0 for each row."""
    if given is None:
        return None
    weights = np.asarray(given, dtype=np.float64)
    weights = np.full(n_rows, weights) if weights.ndim == 0 else weights
    where = f"{type(owner).__name__}.fit(sample_weight=...)"
    if weights.shape != (n_rows,):
        raise InvalidInput(
            f"{where}: the weights have shape {weights.shape}, but X has {n_rows} rows. Give one "
            "number for each row."
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise InvalidInput(
            f"{where}: the weight of row {wrong[0]} is {weights[wrong[0]]:g}; it must be a number "
            ">= 0."
        )
    if not weights.any():
        raise InvalidInput(f"{where}: all weights are zero, so that no row counts.")
    return weights


def check_sparse(X: object) -> None:
    """Refuse a sparse matrix whose parts contradict each other; anything else is let through.

    SciPy follows such a matrix out of its arrays, which ends the process at best.
    """
    if sparse.issparse(X) and hasattr(X, "check_format"):
        try:
            X.check_format(full_check=True)
        except ValueError as error:
            raise InvalidInput(
                f"X is a sparse matrix that contradicts itself: {str(error).rstrip('.')}."
            ) from None
