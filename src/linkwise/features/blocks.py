"""Which part of the result a column of each role becomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from linkwise.features.categories import fit_category
from linkwise.features.dates import DateBlock
from linkwise.features.images import PictureBlock
from linkwise.features.numbers import NumberBlock
from linkwise.features.texts import TextBlock
from linkwise.features.vectors import VectorBlock

if TYPE_CHECKING:
    import pyarrow as pa


class Block(Protocol):
    """The features of one column, fitted: what is needed to compute them for any rows."""

    @property
    def n_features(self) -> int:
        """How many there are."""

    def feature_names(self, name: str) -> list[str]:
        """Return what they are called in a column called ``name``."""

    def fill(self, column: pa.ChunkedArray, out: NDArray[np.float32]) -> None:
        """Write them, a row each."""


def fit_block(
    role: str,
    name: str,
    column: pa.ChunkedArray,
    note: Callable[[str], None],
    folder: str | None,
) -> Block:
    """Return the fitted block of a column; what people should know goes to ``note``."""
    if role == "picture":
        return PictureBlock.fit(name, column, note, folder)
    if role == "category":
        return fit_category(name, column)
    if role == "vector":
        return VectorBlock.fit(name, column)
    fits = {"number": NumberBlock.fit, "date": DateBlock.fit, "text": TextBlock.fit}
    fitted: Block = fits[role](name, column, note)
    return fitted
