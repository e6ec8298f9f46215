"""How loud each column is: nothing in a clustering turns down a column that is too loud.

The variance of a column's features, summed, is set to its share. A number and a date have one, in
all, however many parts they have. Two values of a category are as far apart as one standard
deviation of a number, which gives it a share of a quarter (two values) to a half (many): however
little it means, its values are perfectly apart, so that clusters can explain all of its variance. A
text, a picture or a vector has 16: its variance is spread over a hundred directions or more, of
which clusters explain a small part, and with less it would be outvoted by the number that tells its
length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwise.features.blocks.categories import EitherBlock, OneHotBlock
from linkwise.features.columns import spread_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from linkwise.features.blocks.fit import Block

_SAMPLE_ROWS = 10_000
#: The variance that a column has in all, by its role.
SHARES = {
    "number": 1.0,
    "date": 1.0,
    "category": 0.5,
    "text": 16.0,
    "picture": 16.0,
    "vector": 16.0,
}


def loudness(role: str, block: Block, column: pa.ChunkedArray) -> float:
    """Return the factor that gives a block its share of the variance."""
    if isinstance(block, EitherBlock):
        return 1.0
    if isinstance(block, OneHotBlock):
        return float(np.sqrt(SHARES["category"]))
    sample = column.take(spread_rows(len(column), _SAMPLE_ROWS))
    features = np.empty((len(sample), block.n_features), dtype=np.float32)
    block.fill(sample, features)
    variance = float(features.var(axis=0, dtype=np.float64).sum())
    return float(np.sqrt(SHARES[role] / variance)) if variance > 1e-12 else 0.0
