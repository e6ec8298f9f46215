"""What was asked of a table, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from linkwise.features import Role, TableFeatures


@dataclass(frozen=True, eq=False)
class Table:
    """Rows ready to be clustered.

    Attributes
    ----------
    X : array or CSR array of shape (n_rows, n_features)
        The features.
    features : list of str
        The columns grouped by; column numbers for arrays.
    ids : list or None
        What the rows are called; None where they go by number.
    left_out : dict
        Columns that were not used, and why in words.
    has_units : bool
        Whether each column may have a unit of its own (numbers of tables), or all share one
        (arrays, and what was made of texts, pictures and mixed tables).
    has_header : bool
        Whether the file itself names its columns.
    roles : dict
        What each column was taken for, with the reason; none for arrays.
    numeric : set of str
        Columns that hold nothing but numbers, used or not.
    made : TableFeatures or None
        What made the rows of columns that are not numbers alone; it can do it again with new rows.
    unusable : array of int
        Rows in which there is nothing to group by.
    encoding : str or None
        The encoding in which a file of text was read.
    notes : list of str
        What else people should know, a sentence each.
    """

    X: Any
    features: list[str]
    ids: list[Any] | None = None
    left_out: dict[str, str] = field(default_factory=dict)
    has_units: bool = True
    has_header: bool = True
    roles: dict[str, Role] = field(default_factory=dict)
    numeric: frozenset[str] = frozenset()
    made: TableFeatures | None = None
    unusable: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    encoding: str | None = None
    notes: list[str] = field(default_factory=list)

    def called(self, row: int) -> str:
        """Return what people call a row."""
        return f"row {row}" if self.ids is None else str(self.ids[row])


@dataclass(frozen=True)
class Choice:
    """Which columns the user asked for.

    Attributes
    ----------
    id_column : str or None
        The column that names the rows.
    features : tuple of str
        Group by these and no others; by none, all that can be used.
    drop : tuple of str
        Columns to leave out.
    roles : mapping of str to str
        What columns are, where the guess is wrong: one of ``linkwise.features.ROLES``.
    """

    id_column: str | None = None
    features: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)

    @property
    def as_text(self) -> list[str]:
        """Columns whose values count as they are written, "007" unlike "7"."""
        told = [name for name, role in self.roles.items() if role != "number"]
        return told if self.id_column is None else [self.id_column, *told]

    @property
    def only(self) -> list[str] | None:
        """The columns that have to be read, None for all."""
        return list(self.features) or None
