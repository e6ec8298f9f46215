"""How loud each column is: nothing in a clustering turns down a column that is too loud.

The variance of a column's features, summed, is set to its share. A number and a date have one, in
all, however many parts they have. A text, a picture or a vector has 16: its variance is spread over
a hundred directions or more, of which clusters explain a small part, and with less it would be
outvoted by the number that tells its length.

The values of a category are perfectly apart, however little they mean: clusters can explain all of
its variance, and no row lies between. So two of them are at most as far apart as one standard
deviation of a number, which gives it a quarter (two values) to a half (many); and where there is
little beside it, they are closer, so that a category of two values never has more than a sixteenth
of the variance of everything that is none. A number that has only two values counts as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise.features.blocks.categories import EitherBlock, OneHotBlock
from linkwise.features.blocks.numbers import NumberBlock
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
#: Variance of the other columns beside which a category has all of its share.
_ENOUGH_BESIDE = 4.0


class Loudness(NamedTuple):
    """The factor that gives a column its share, and that share; 0 where values are apart."""

    factor: float
    share: float


def balanced(columns: Mapping[str, Loudness]) -> dict[str, float]:
    """Return the factors of all columns; values that are apart come closer beside little else."""
    beside = sum(column.share for column in columns.values())
    closer = float(np.sqrt(min(1.0, beside / _ENOUGH_BESIDE))) if beside else 1.0
    return {name: factor if share else factor * closer for name, (factor, share) in columns.items()}


def loudness(role: str, block: Block, column: pa.ChunkedArray) -> Loudness:
    """Return the factor that gives a block its share of the variance."""
    if isinstance(block, EitherBlock):
        return Loudness(1.0, 0.0)
    if isinstance(block, OneHotBlock):
        return Loudness(float(np.sqrt(SHARES["category"])), 0.0)
    sample = column.take(spread_rows(len(column), _SAMPLE_ROWS))
    features = np.empty((len(sample), block.n_features), dtype=np.float32)
    block.fill(sample, features)
    if isinstance(block, NumberBlock):
        values = _values(block, features)
        if len(values) == 2:
            return Loudness(float(1.0 / (values[1] - values[0])), 0.0)
    variance = float(features.var(axis=0, dtype=np.float64).sum())
    factor = float(np.sqrt(SHARES[role] / variance)) if variance > 1e-12 else 0.0
    return Loudness(factor, 0.0 if role == "category" else SHARES[role])


def _values(block: NumberBlock, features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the different values of a number, without its gaps."""
    return np.unique(features[features[:, 1] == 0, 0] if block.flagged else features[:, 0])
