"""The one pass over all rows: read a block, prepare it, label it for every partition."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from linkwise.ensemble.execution import Execution
from linkwise.ensemble.models import PartitionModels
from linkwise.ensemble.preparation import TILE, NotFinite, Preparation
from linkwise.ensemble.sources import (
    Block,
    RowSource,
    SparseSource,
    block_rows,
    blocks,
    find_bad_value,
)
from linkwise.errors import InvalidInput

Write = Callable[[int, NDArray[np.uint8]], None]


class BlockLabeller(Protocol):
    """Who labels one block of rows after the other."""

    def rows_at_once(self, n_features: int) -> int:
        """Return how many rows make a block, unless somebody wishes otherwise."""

    def label(
        self,
        blocks: Iterable[tuple[int, Block]],
        preparation: Preparation,
        models: PartitionModels,
        execution: Execution,
    ) -> Generator[tuple[int, NDArray[np.uint8]]]:
        """Yield the first row and the labels, (n_partitions, n_rows), of each block in turn.

        The labels are the caller's until the next ones are asked for.
        """


class InThreads:
    """Labels blocks in threads of this process, one block each."""

    def rows_at_once(self, n_features: int) -> int:
        return block_rows(n_features)

    def label(
        self,
        blocks: Iterable[tuple[int, Block]],
        preparation: Preparation,
        models: PartitionModels,
        execution: Execution,
    ) -> Generator[tuple[int, NDArray[np.uint8]]]:
        def label(start_and_block: tuple[int, Block]) -> tuple[int, NDArray[np.uint8]]:
            start, block = start_and_block
            return start, label_block(block, preparation, models)

        return execution.map(label, blocks)


IN_THREADS = InThreads()


def label_rows(
    source: RowSource,
    preparation: Preparation,
    models: PartitionModels,
    write: Write,
    execution: Execution,
    labeller: BlockLabeller = IN_THREADS,
) -> None:
    """Label every row of ``source`` and hand blocks of labels to ``write(start, labels)``.

    Blocks are whole tiles (but the last), so a row sits at the same place of the same tile
    whatever the size of the blocks, and its labels do not depend on it.
    """
    _check_width(source, preparation)
    wanted = execution.chunk_rows or labeller.rows_at_once(source.n_features)
    step = -(-wanted // TILE) * TILE
    blocks = _blocks(source, step, preparation)
    try:
        with closing(labeller.label(blocks, preparation, models, execution)) as labelled:
            for start, labels in labelled:
                write(start, labels)
                execution.step(start + labels.shape[1], source.n_rows, "labelling rows")
    except NotFinite:
        raise explain_not_finite(source) from None


def label_block(
    block: Block, preparation: Preparation, models: PartitionModels
) -> NDArray[np.uint8]:
    """Label the rows of a block, a tile at a time: (n_partitions, len(block))."""
    n_rows = block.shape[0]
    labels = np.empty((models.n_partitions, n_rows), dtype=np.uint8)
    for start in range(0, n_rows, TILE):
        rows = block[start : start + TILE]
        labels[:, start : start + TILE] = models.label(preparation.tile(rows))[:, : rows.shape[0]]
    return labels


def _blocks(source: RowSource, step: int, preparation: Preparation) -> Iterator[tuple[int, Block]]:
    """Yield (first row, block); sparse rows stay so where directions stand for features."""
    if not (preparation.unit and isinstance(source, SparseSource)):
        yield from blocks(source, step)
        return
    for start in range(0, source.n_rows, step):
        yield start, source.sparse_rows(slice(start, start + step))


def _check_width(source: RowSource, preparation: Preparation) -> None:
    expected = len(preparation.mean)
    if source.n_features != expected:
        raise InvalidInput(
            f"X has {source.n_features} features, but the ensemble was built with {expected}."
        )


def explain_not_finite(source: RowSource) -> InvalidInput:
    """Return the error for a table in which a prepared value was not finite."""
    return find_bad_value(source) or InvalidInput(
        "X holds values near the largest a float can hold, or more than 1e38 times as large as "
        "the others. Rescale or drop such rows first."
    )
