"""Vectors: a column of lists of numbers, such as embeddings, taken as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa

_CHUNK = 65_536


@dataclass(frozen=True, eq=False)
class VectorBlock:
    """A column of vectors; where there is none, their mean stands."""

    mean: NDArray[np.float32]

    @classmethod
    def fit(cls, name: str, column: pa.ChunkedArray) -> Self:
        """Learn the mean."""
        import pyarrow.compute as pc

        there = column.drop_null()
        lengths = pc.min_max(pc.list_value_length(there)).as_py()
        if not lengths["min"] or lengths["min"] != lengths["max"]:
            raise InvalidInput(
                f'column "{name}" cannot be used as vector: its values are no lists of one length.'
            )
        return cls(_matrix(there, lengths["max"]).mean(axis=0, dtype=np.float64).astype(np.float32))

    @property
    def n_features(self) -> int:
        return len(self.mean)

    def feature_names(self, name: str) -> list[str]:
        return [f"{name} {k}" for k in range(self.n_features)]

    def fill(self, column: pa.ChunkedArray, out: NDArray[np.float32]) -> None:
        """Write the vectors."""
        for start in range(0, len(column), _CHUNK):
            part = column.slice(start, _CHUNK)
            there = part.is_valid().to_numpy()
            rows = out[start : start + len(part)]
            rows[:] = self.mean
            rows[there] = _matrix(part.drop_null(), self.n_features)


def _matrix(column: pa.ChunkedArray, n_features: int) -> NDArray[np.float32]:
    import pyarrow as pa
    import pyarrow.compute as pc

    flat = pc.cast(pc.list_flatten(column), pa.float32(), safe=False).to_numpy()
    if len(flat) != len(column) * n_features:
        raise InvalidInput(f"expected vectors of {n_features} numbers, some are of another length.")
    return np.nan_to_num(np.asarray(flat, dtype=np.float32).reshape(-1, n_features))
