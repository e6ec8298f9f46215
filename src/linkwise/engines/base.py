"""The waist: all that is ever asked about all rows.

Two operations touch every row: labelling it for all partitions, once, and the vote. A third reads
the labels of a few rows. An engine does these wherever it likes, and the same rows, seed and
answers give the same labels. What is small, and all that is sequential by nature, stays with the
estimator.

An engine keeps labels as an :class:`~linkwise.ensemble.Ensemble`, whose ``labels.rows(indices)``
is the third operation; where the bytes lie is the engine's own affair.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from linkwise.engines.label_files import write_part
from linkwise.ensemble import Ensemble, RowSource, SourceLike
from linkwise.ensemble.execution import Execution
from linkwise.ensemble.models import PartitionModels
from linkwise.ensemble.preparation import Preparation

Labels = NDArray[np.int32]
Margins = NDArray[np.float32]
#: Labels of some rows in all partitions, (n_partitions, n_rows).
Blocks = NDArray[np.uint8]
T = TypeVar("T")


class Votes(NamedTuple):
    """The cluster of each row, -1 where it belongs nowhere, and how far it leads."""

    labels: Labels
    margins: Margins

    @staticmethod
    def joined(parts: Sequence[Votes]) -> Votes:
        """Return the votes of rows that were counted in parts, one after the other."""
        if len(parts) == 1:
            return parts[0]
        labels, margins = zip(*parts, strict=True)
        return Votes(np.concatenate(labels), np.concatenate(margins))

    def sizes(self, n_clusters: int) -> NDArray[np.int64]:
        """Return how many rows each cluster has."""
        return np.bincount(self.labels + 1, minlength=n_clusters + 1)[1:].astype(np.int64)

    def write(self, folder: str) -> None:
        """Write one Parquet file to a folder: the number of each row, its cluster, its margin."""
        write_part(folder, 0, self.labels, self.margins)


class Rule(Protocol):
    """How the labels of a row decide its cluster: a few arrays, the same for all rows.

    An engine that knows better ways to count by some rules looks at the type; any other rule it
    lets count for itself. :mod:`linkwise.engines.rules` has those there are.
    """

    @property
    def n_clusters(self) -> int: ...

    def count(self, blocks: Blocks, n_threads: int | None = None) -> Votes:
        """Return the clusters and margins of rows, which do not depend on each other."""


@dataclass(frozen=True, eq=False)
class Ballot:
    """A vote over all rows: the rule, and the rows for which something else was settled.

    Attributes
    ----------
    rule : Rule
        How rows are counted.
    n_rows : int
        The vote is about so many of the first rows.
    rows, settled : integer arrays of shape (n_settled,)
        Rows that the vote does not decide, and their clusters. Where these differ from the vote,
        the margin is 0.
    left_out : int64 array
        Rows that belong nowhere: label -1, margin 0.
    """

    rule: Rule
    n_rows: int
    rows: NDArray[np.integer]
    settled: NDArray[np.integer]
    left_out: NDArray[np.int64]

    def part(self, first: int, n_rows: int) -> Ballot:
        """Return the vote over some rows alone, which then have the numbers from 0 on."""
        here = _within(self.rows, first, n_rows)
        left_out = self.left_out[_within(self.left_out, first, n_rows)]
        return Ballot(
            self.rule, n_rows, self.rows[here] - first, self.settled[here], left_out - first
        )

    def amend(self, votes: Votes) -> Votes:
        """Put what was settled in the place of the votes, and lock them."""
        labels, margins = votes
        np.minimum(margins, 1.0, out=margins)  # a row beyond all landmarks leads by no more
        margins[self.rows[labels[self.rows] != self.settled]] = 0.0
        labels[self.rows] = self.settled
        labels[self.left_out], margins[self.left_out] = -1, 0.0
        for array in votes:
            array.setflags(write=False)
        return votes


def _within(rows: NDArray[np.integer], first: int, n_rows: int) -> NDArray[np.bool_]:
    return np.asarray((rows >= first) & (rows < first + n_rows))


class Outcome(Protocol):
    """What was voted; an engine may fetch it when it is asked for. :class:`Votes` are one."""

    @property
    def labels(self) -> Labels:
        """Cluster of each row, -1 where it belongs nowhere."""

    @property
    def margins(self) -> Margins:
        """Lead of each row's cluster over the next."""

    def sizes(self, n_clusters: int) -> NDArray[np.int64]:
        """Return how many rows each cluster has."""

    def write(self, folder: str) -> None:
        """Write Parquet files to a folder: the number of each row, its cluster, its margin."""


@runtime_checkable
class Engine(Protocol):
    """Where the work over all rows is done."""

    def open(self, X: SourceLike) -> RowSource:
        """Return rows to fit on; an engine may understand more than arrays and files."""

    def train(
        self,
        recipe: Callable[[NDArray[np.float32], np.random.SeedSequence], T],
        pool: NDArray[np.float32],
        seeds: list[np.random.SeedSequence],
        execution: Execution,
    ) -> list[T]:
        """Return ``recipe(pool, seed)`` for all seeds, in order.

        A recipe is an object with a type that says what it makes, such as
        :class:`~linkwise.ensemble.generate.SampledKMeans`, not a function defined on the spot.
        """

    def label(
        self,
        source: RowSource,
        preparation: Preparation,
        models: PartitionModels,
        path: str | os.PathLike[str] | None,
        execution: Execution,
    ) -> Ensemble:
        """Label all rows with trained partitions, and keep the labels; in ``path`` if given."""

    def extend(self, ensemble: Ensemble, source: RowSource, execution: Execution) -> None:
        """Label rows and append them; if that fails or is cancelled, nothing is appended."""

    def vote(self, ensemble: Ensemble, ballot: Ballot, n_threads: int | None) -> Outcome:
        """Let the partitions vote on the rows that are kept."""

    def predict(
        self, ensemble: Ensemble, source: RowSource, rule: Rule, n_threads: int | None
    ) -> Labels:
        """Label rows and let the partitions vote on them, keeping nothing."""
