"""All that a fitted model knows, in one value that never changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links, PartialLabels
from linkwise.engines.base import Engine
from linkwise.ensemble import Ensemble, RowSource


@dataclass(frozen=True)
class Rows:
    """Rows that need not be in memory, with the one attribute every fit looks at."""

    source: RowSource

    @property
    def shape(self) -> tuple[int, int]:
        return self.source.n_rows, self.source.n_features


#: What a class prepares once, and what it finds from all that was said.
Prepared = TypeVar("Prepared")
Solved = TypeVar("Solved")


@dataclass(frozen=True, eq=False)
class Moment(Generic[Prepared, Solved]):
    """All that a fitted model knows, at one moment.

    Attributes
    ----------
    engine : Engine
        Who keeps the labels of the partitions, and votes.
    ensemble : Ensemble
        The partitions; rows may have been appended to them since.
    n_rows : int
        Rows there are.
    basis
        What was prepared once and does not depend on answers.
    links, named : Links, PartialLabels
        All that was said.
    solution
        What it amounts to.
    n_clusters : int
        Clusters there are.
    wanted : int or "auto"
        The number that was asked for.
    left_out : int64 array
        Rows that belong nowhere, increasing.
    """

    engine: Engine
    ensemble: Ensemble
    n_rows: int
    basis: Prepared
    links: Links
    named: PartialLabels
    solution: Solved
    n_clusters: int
    wanted: int | str
    left_out: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Restored(Generic[Prepared, Solved]):
    """What a class makes of the arrays in a file; no solution where it must be found again."""

    basis: Prepared
    solution: Solved | None
    wanted: int | str
    left_out: NDArray[np.int64]
