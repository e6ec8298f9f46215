"""A shard: some of the rows, and their labels in a file that can be made again at any time."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from linkwise.engines.base import Ballot, Engine, Votes
from linkwise.engines.label_files import write_part
from linkwise.ensemble import Ensemble, LabelMatrix, RowSource
from linkwise.ensemble.execution import Execution
from linkwise.ensemble.models import PartitionModels
from linkwise.ensemble.preparation import TILE, Preparation
from linkwise.ensemble.sources import part_of
from linkwise.errors import InvalidInput, MissingData

#: One byte a row where that is enough; the largest number stands for "nowhere".
Packed: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]


def cuts(n_rows: int, n_parts: int) -> list[int]:
    """Return where to cut a table into at most so many parts of whole tiles, about alike.

    Examples
    --------
    >>> cuts(2000, 3), cuts(100, 4)
    ([0, 768, 1536, 2000], [0, 100])
    """
    n_tiles = -(-n_rows // TILE)
    n_parts = max(1, min(n_parts, n_tiles))
    return [min(n_rows, TILE * (-(-n_tiles * k // n_parts))) for k in range(n_parts + 1)]


def pack(labels: NDArray[np.int32], n_clusters: int) -> Packed:
    """Return labels in as few bytes as they need."""
    return labels.astype(np.uint8) if n_clusters < 256 else labels.astype(np.uint16)


def unpack(packed: Packed) -> NDArray[np.int32]:
    """Return the labels that were packed."""
    labels = packed.astype(np.int32)
    labels[packed == np.iinfo(packed.dtype).max] = -1
    return labels


class Shard:
    """Rows ``start`` to ``stop`` of a table, labelled by trained partitions.

    The labels lie in a file of ``folder``, and how many there are in another; a shard that finds
    both goes on where they end, and one that finds none begins again: labels are a function of
    rows and partitions.

    Parameters
    ----------
    source : RowSource
        The table.
    start, stop : int
        Which rows of it; ``start`` is a multiple of a tile.
    preparation : Preparation
        What is done to rows first.
    models : PartitionModels
        The partitions.
    folder : Path
        Where labels are kept; nobody else's.
    engine : Engine
        Who labels and votes.
    n_threads : int
        Threads that may be used.
    """

    def __init__(
        self,
        source: RowSource,
        start: int,
        stop: int,
        preparation: Preparation,
        models: PartitionModels,
        folder: Path,
        engine: Engine,
        n_threads: int,
    ) -> None:
        self._source, self._start, self.n_rows = source, start, stop - start
        self._engine, self._n_threads, self._folder = engine, n_threads, folder
        labels = _found(folder, models.n_partitions, self.n_rows)
        self._ensemble = Ensemble(labels, models, preparation)
        self._voted: tuple[str, Votes] | None = None

    @property
    def n_labelled(self) -> int:
        """Rows that have labels so far."""
        return self._ensemble.n_rows

    def label(self, until: int) -> int:
        """Label whole tiles until so many rows have labels at least; return how many have."""
        done, stop = self.n_labelled, min(TILE * -(-until // TILE), self.n_rows)
        if done < stop:
            part = part_of(self._source, self._start + done, self._start + stop)
            self._engine.extend(self._ensemble, part, Execution(self._n_threads))
        return self.n_labelled

    def rows(self, indices: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the labels of some rows, counted from the shard's first: (n, n_partitions)."""
        self.label(self.n_rows)
        return self._ensemble.labels.rows(indices)

    def blocks(self, n_rows: int) -> NDArray[np.uint8]:
        """Return the labels of the first rows, (n_partitions, n_rows)."""
        self.label(self.n_rows)
        return self._ensemble.labels.array[:, :n_rows]

    def vote(self, key: str, ballot: Ballot, first: int, n_rows: int) -> Votes:
        """Vote on the first ``n_rows``, which are the rows from the number ``first`` on among all.

        What was voted last is kept under its ``key``.
        """
        if self._voted is None or self._voted[0] != key:
            self.label(self.n_rows)
            mine = ballot.part(first, n_rows)
            outcome = self._engine.vote(self._ensemble, mine, self._n_threads)
            self._voted = key, Votes(outcome.labels, outcome.margins)
        return self._voted[1]

    def write(self, folder: str, votes: Votes, first: int) -> None:
        """Write what was voted, with the names of the rows where the table has some."""
        read_ids = getattr(self._source, "read_ids", None)
        stop = self._start + len(votes.labels)
        ids = read_ids(self._start, stop) if read_ids else None
        write_part(folder, first, *votes, ids=ids)

    def drop(self) -> None:
        """Remove the labels."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _found(folder: Path, n_partitions: int, n_rows: int) -> LabelMatrix:
    """Return the labels that are in a folder, as far as they go, or room for new ones."""
    try:
        labels = LabelMatrix.resume(folder)
        if labels.n_partitions == n_partitions and labels.n_rows <= n_rows:
            return labels
    except (InvalidInput, MissingData):
        pass
    labels = LabelMatrix.empty(n_partitions, 0, folder)
    labels.reserve(n_rows)
    return labels
