"""Rows of a Ray Dataset, read from its blocks wherever these are."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linkwise.engines.on_ray.calls import Call, Handle, import_ray, in_order
from linkwise.errors import InvalidInput


def is_dataset(X: object) -> bool:
    """Tell whether something is a Ray Dataset, without loading what makes one."""
    return any(base.__module__.startswith("ray.data.") for base in type(X).__mro__)


class DatasetRows:
    """Rows of the blocks of a dataset, in their order; every column must be numeric.

    The blocks belong to the process that made the dataset: another one cannot find them again.
    """

    def __init__(self, blocks: list[Handle], counts: list[int], columns: list[str]) -> None:
        self._blocks, self.columns = blocks, columns
        self._starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        self.n_rows, self.n_features = int(self._starts[-1]), len(columns)

    @classmethod
    def of(cls, dataset: Handle) -> Self:
        """Let the blocks of a dataset be made, if they are not there, and remember where."""
        made = dataset.materialize()
        blocks = made.to_arrow_refs()
        counts = list(in_order([Call.task(_count_rows, block) for block in blocks]))
        return cls(blocks, counts, list(made.schema().names))

    def read(self, start: int, stop: int) -> NDArray[Any]:
        parts = []
        k = int(np.searchsorted(self._starts, start, side="right")) - 1
        while start < stop:
            first, until = int(self._starts[k]), min(stop, int(self._starts[k + 1]))
            parts.append(self._values(k)[start - first : until - first])
            start, k = until, k + 1
        return np.concatenate(parts)

    def _values(self, k: int) -> NDArray[Any]:
        block = import_ray().get(self._blocks[k])
        columns = [np.asarray(block[name]) for name in self.columns]
        for name, values in zip(self.columns, columns, strict=True):
            if values.ndim != 1 or values.dtype.kind not in "buif":
                raise InvalidInput(
                    f"column {name!r} of the dataset holds {values.dtype} of shape "
                    f"{values.shape}, expected real numbers. dataset.select_columns([...]) keeps "
                    "those you name."
                )
        return np.column_stack(columns)


def _count_rows(block: Handle) -> int:
    return int(block.num_rows)
