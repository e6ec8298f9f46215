"""Texts: words and pairs of words, weighed by rarity, in a hundred directions, of length one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.features.blocks.terms import Terms
from linkwise.features.columns import spread_rows, strings_in

if TYPE_CHECKING:
    import pyarrow as pa

#: Directions in which texts are told apart.
N_DIRECTIONS = 100
#: What is longer is read up to here.
LONGEST_TEXT = 100_000
#: Texts from which words and directions are learned.
_SAMPLE_ROWS = 10_000
_CHUNK = 4096


@dataclass(frozen=True, eq=False)
class TextBlock:
    """A column of texts."""

    terms: Terms

    @classmethod
    def fit(cls, name: str, column: pa.ChunkedArray, note: Callable[[str], None]) -> Self:
        """Learn words and directions from up to 10,000 of the texts."""
        import pyarrow.compute as pc

        column = strings_in(column)
        n_long = pc.sum(pc.greater(pc.utf8_length(column), LONGEST_TEXT)).as_py()
        if n_long:
            what = "1 text" if n_long == 1 else f"{n_long} texts"
            note(f'"{name}": of {what} only the first {LONGEST_TEXT:,} characters are read.')
        there = column.drop_null()
        sample = _cut(there.take(spread_rows(len(there), _SAMPLE_ROWS)))
        try:
            return cls(Terms.fit(sample, N_DIRECTIONS))
        except ValueError:
            raise InvalidInput(
                f'column "{name}" cannot be used as text: it has no words.'
            ) from None

    @property
    def n_features(self) -> int:
        return self.terms.n_features

    def feature_names(self, name: str) -> list[str]:
        return [f"{name} topic {k}" for k in range(self.n_features)]

    def fill(self, column: pa.ChunkedArray, out: NDArray[np.float32]) -> None:
        """Write the features of a column; an empty text lies at the origin."""
        column = strings_in(column)
        for start in range(0, len(column), _CHUNK):
            part = column.slice(start, _CHUNK)
            self.terms.fill(_cut(part), out[start : start + len(part)])


def _cut(column: pa.ChunkedArray) -> list[str]:
    import pyarrow.compute as pc

    shortened = pc.utf8_slice_codeunits(pc.fill_null(column, ""), 0, LONGEST_TEXT)
    texts: list[str] = shortened.to_pylist()
    return texts
