"""Several partial labellings of the same rows, and how they are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links, PartialLabels
from linkwise.errors import InvalidInput
from linkwise.typing import LabelsLike


@dataclass(frozen=True)
class LabelColumns:
    """Partial labellings of the same rows, one per column.

    A two-dimensional array or data frame says the same and is cut by rows as every table is, so
    it is what people pass; this is what an estimator reads.
    """

    columns: tuple[PartialLabels, ...]

    @classmethod
    def from_table(cls, table: object, n_samples: int) -> LabelColumns:
        """Read a table with one row per row of ``X`` and one column per labelling."""
        cells = np.asarray(table)
        if len(cells) != n_samples:
            raise InvalidInput(
                f"constraints describe {len(cells)} rows but X has {n_samples}. "
                f"Slice both together: X[rows], labels[rows]."
            )
        if cells.shape[1] == 0:
            raise InvalidInput("constraints have no column. Leave them out to say nothing.")
        return cls(tuple(PartialLabels(_plain(column)) for column in cells.T))

    @staticmethod
    def is_table(constraints: object) -> bool:
        """Tell a table of labels from links and from one labelling."""
        return getattr(constraints, "ndim", 1) == 2

    @property
    def codes(self) -> NDArray[np.int64]:
        """Class of each row within each column, -1 where unknown: (n_samples, n_columns)."""
        return np.column_stack([column.codes for column in self.columns])

    @property
    def n_classes(self) -> list[int]:
        """Number of classes each column names."""
        return [len(column.classes) for column in self.columns]

    def __len__(self) -> int:
        return len(self.columns[0])

    def to_links(self) -> Links:
        """Return the links of all columns together; columns may contradict each other."""
        links = self.columns[0].to_links()
        for column in self.columns[1:]:
            links = links | column.to_links()
        return links


def _plain(column: NDArray[Any]) -> LabelsLike:
    """Undo what NumPy does to a table of mixed types: let each column have its own."""
    return column.tolist() if column.dtype.kind == "O" else column
