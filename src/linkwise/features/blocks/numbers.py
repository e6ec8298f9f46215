"""Numbers: gaps filled and flagged, scaled by what most rows do, outliers bent inwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.features.blocks.strange import no_such_value, strange_values
from linkwise.features.columns import decimal_mark, is_text, numbers_in, spread_rows

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows from which the middle and the spread of a column are learned.
_SAMPLE_ROWS = 100_000
#: No value gets farther from the middle, in units of the middle half's width.
_FARTHEST = 3.0


@dataclass(frozen=True, eq=False)
class Squash:
    """Centre by the median, scale by the middle half, bend outliers inwards.

    With z = (x - median) / (width of the middle half), x becomes z / sqrt(1 + (z / 3)²), which is
    z where most rows are and never beyond 3. This is what skrub's ``SquashingScaler`` does.
    """

    middle: float
    width: float

    @classmethod
    def fit(cls, values: NDArray[np.float64]) -> Self:
        """Learn from values, of which those that are not finite say nothing."""
        finite = values[np.isfinite(values)]
        if not finite.size:
            return cls(0.0, 1.0)
        low, middle, high = np.quantile(finite, [0.25, 0.5, 0.75])
        width = high - low
        if not 0 < width < np.inf:
            width = (finite.max() / 2 - finite.min() / 2) or 1.0
        return cls(float(middle), float(width))

    def apply(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return squashed values, 0 (the middle) where there is none."""
        with np.errstate(over="ignore", invalid="ignore"):
            z = values / self.width - self.middle / self.width
            bent = np.where(np.isinf(z), np.sign(z) * _FARTHEST, z / np.hypot(1, z / _FARTHEST))
        return np.asarray(np.nan_to_num(bent, nan=0.0))


@dataclass(frozen=True, eq=False)
class NumberBlock:
    """A column of numbers, and whether there was one if some are missing."""

    decimal: str
    squash: Squash
    flagged: bool

    @classmethod
    def fit(cls, name: str, column: pa.ChunkedArray, note: Callable[[str], None]) -> Self:
        """Learn scale and gaps."""
        decimal = decimal_mark(column) if is_text(column) else "."
        values = numbers_in(column, decimal)
        gaps = np.isnan(values)
        if gaps.all():
            raise InvalidInput(
                f'column "{name}" cannot be used as number: {no_such_value(column)}.'
            )
        strange = gaps & column.is_valid().to_numpy()
        if strange.any():
            found = strange_values(column, strange, "number")
            note(f'"{name}": {found}.')
        squash = Squash.fit(values[spread_rows(len(values), _SAMPLE_ROWS)])
        return cls(decimal, squash, bool(gaps.any()))

    @property
    def n_features(self) -> int:
        return 1 + self.flagged

    def feature_names(self, name: str) -> list[str]:
        return [name, f"{name} is missing"][: self.n_features]

    def fill(self, column: pa.ChunkedArray, out: NDArray[np.float32]) -> None:
        """Write the features of a column."""
        values = numbers_in(column, self.decimal)
        if self.flagged:
            out[:, 1] = np.isnan(values)
        out[:, 0] = self.squash.apply(values)
