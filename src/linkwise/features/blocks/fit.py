"""Which part of the result a column of each role becomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.features.blocks.categories import fit_category
from linkwise.features.blocks.dates import DateBlock
from linkwise.features.blocks.numbers import NumberBlock
from linkwise.features.blocks.picture_column import PictureBlock
from linkwise.features.blocks.strange import no_such_value
from linkwise.features.blocks.texts import TextBlock
from linkwise.features.blocks.vectors import VectorBlock

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
    folder: str,
) -> Block:
    """Return the fitted block of a column; what people should know goes to ``note``."""
    import pyarrow as pa

    try:
        return _fit(role, name, column, note, folder)
    except pa.ArrowException:
        raise InvalidInput(
            f'column "{name}" cannot be used as {role}: {no_such_value(column)}.'
        ) from None


def _fit(
    role: str,
    name: str,
    column: pa.ChunkedArray,
    note: Callable[[str], None],
    folder: str,
) -> Block:
    if role == "picture":
        return PictureBlock.fit(name, column, note, folder)
    if role == "category":
        return fit_category(name, column)
    if role == "vector":
        return VectorBlock.fit(name, column)
    if role == "number":
        return NumberBlock.fit(name, column, note)
    if role == "date":
        return DateBlock.fit(name, column, note)
    return TextBlock.fit(name, column, note)
