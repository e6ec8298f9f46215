"""How loud each column is: its share of the total variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwise.features.columns import spread_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from linkwise.features.blocks import Block

_SAMPLE_ROWS = 10_000
#: The variance that a column has in all, by its role.
SHARES = {"number": 1.0, "category": 0.5, "date": 0.5, "text": 8.0, "picture": 8.0, "vector": 8.0}


def loudness(role: str, block: Block, column: pa.ChunkedArray) -> float:
    """Return the factor that gives a block its share of the variance."""
    sample = column.take(spread_rows(len(column), _SAMPLE_ROWS))
    features = np.empty((len(sample), block.n_features), dtype=np.float32)
    block.fill(sample, features)
    variance = float(features.var(axis=0, dtype=np.float64).sum())
    return float(np.sqrt(SHARES[role] / variance)) if variance > 1e-12 else 0.0
