"""What people may pass as ``constraints=``."""

from __future__ import annotations

from typing import Any

from linkwise.constraints.labels import PartialLabels
from linkwise.constraints.links import Links
from linkwise.errors import InvalidInput, InvalidLinks


def as_constraints(constraints: Any, n_samples: int) -> Links | PartialLabels | None:
    """Return ``constraints`` as Links, PartialLabels or None, about ``n_samples`` rows.

    A one-dimensional array is read as partial labels: -1, None and NaN mean unknown.
    """
    if constraints is None:
        return None
    given = constraints if isinstance(constraints, Links | PartialLabels) else _read(constraints)
    if len(given) != n_samples:
        name = "links" if isinstance(given, Links) else "labels"
        raise InvalidInput(
            f"constraints describe {len(given)} rows but X has {n_samples}. "
            f"Slice both together: X[rows], {name}[rows]."
        )
    return given


def _read(constraints: Any) -> PartialLabels:
    try:
        return PartialLabels(constraints)
    except InvalidLinks:
        raise InvalidInput(
            "constraints must be Links, PartialLabels or a 1-d array of partial labels, "
            f"got {type(constraints).__name__}. Pairs are written "
            "Links(n_samples, must=[(0, 1)], cannot=[(2, 3)])."
        ) from None
