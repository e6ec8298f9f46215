"""What people may pass as ``constraints=``."""

from __future__ import annotations

from typing import TypeAlias

from linkwise.constraints.labels import PartialLabels
from linkwise.constraints.links import Links
from linkwise.errors import InvalidInput, InvalidLinks
from linkwise.typing import LabelsLike

#: What may be passed as ``constraints=``; an array is read as partial labels.
Knowledge: TypeAlias = Links | PartialLabels | LabelsLike


def as_constraints(constraints: Knowledge | None, n_samples: int) -> Links | PartialLabels | None:
    """Return ``constraints`` as Links, PartialLabels or None, about ``n_samples`` rows.

    A one-dimensional array is read as partial labels: -1, None, NaN and empty text mean
    unknown.
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


def refuse_knowledge_as_y(where: str, y: object) -> None:
    """Refuse Links or PartialLabels in the place of ``y``, which no fit reads."""
    if isinstance(y, Links | PartialLabels):
        kind = type(y).__name__
        name = "links" if isinstance(y, Links) else "labels"
        raise InvalidInput(
            f"{where}.fit(X, {name}): {kind} were given as y, which is never read; it is for "
            f"scorers. Knowledge belongs to constraints: fit(X, constraints={name})."
        )


def _read(constraints: LabelsLike) -> PartialLabels:
    try:
        return PartialLabels(constraints)
    except InvalidLinks:
        raise InvalidInput(
            "constraints must be Links, PartialLabels or a 1-d array of partial labels, "
            f"got {type(constraints).__name__}. Pairs are written "
            "Links(n_samples, must=[(0, 1)], cannot=[(2, 3)])."
        ) from None
