"""Links in data frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwise.constraints.files import Columns, links_of
from linkwise.constraints.formats import Table, renamed
from linkwise.constraints.pairs import Pairs, Weights
from linkwise.constraints.row_names import Ids, RowNames, whole
from linkwise.files.frames import column_values, frame_columns, make_frame

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


def links_from_frame(
    frame: IntoDataFrame,
    n_samples: int | None,
    ids: Ids,
    names: Columns,
    *,
    skip_unknown: bool = False,
) -> tuple[int, Pairs, Pairs, Weights]:
    """Return the number of rows, must-links, cannot-links and weights; ``names`` are columns."""
    found = frame_columns(frame)
    used = {name for role, name in names.items() if name is not None} | {"weight"}
    columns = {name: _listed(found[name]) if name in used else [] for name in found}
    table = Table(columns, "the data frame", lambda entry: f"row {entry}", joint="'s ")
    table = renamed(table, names)
    known = list(ids) if isinstance(ids, Iterable) and not isinstance(ids, Sized) else ids
    if n_samples is None:
        n_samples = len(known) if isinstance(known, Sized) else _n_rows(table.columns)
    return n_samples, *links_of(table, RowNames(n_samples, known), skip_unknown=skip_unknown)


def links_to_frame(
    n_samples: int, must: Pairs, cannot: Pairs, weight: Weights, ids: Ids, backend: str | None
) -> Any:
    """Return a data frame with the columns i, j, kind and weight."""
    rows = RowNames(n_samples, ids)
    i, j = (rows.names(end) for end in np.concatenate((must, cannot)).T)
    kind = ["must"] * len(must) + ["cannot"] * len(cannot)
    return make_frame({"i": i, "j": j, "kind": kind, "weight": weight.tolist()}, backend)


def _listed(values: object) -> list[Any]:
    found = column_values(values)
    return list(found.tolist() if isinstance(found, np.ndarray) else found)


def _n_rows(columns: Mapping[str, list[Any]]) -> int:
    """Return how many rows there must be at least."""
    ends = map(whole, (*columns["i"], *columns["j"]))
    return max((end for end in ends if isinstance(end, int)), default=-1) + 1
