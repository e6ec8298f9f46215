"""Pictures: a small colour thumbnail and its edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

if TYPE_CHECKING:
    import pyarrow as pa


class ImageFeatures(TransformerMixin, BaseEstimator):
    """Rows of numbers from pictures, without any model.

    Parameters
    ----------
    skip_broken : bool, default=False
        Leave out files that cannot be read instead of refusing them.
    """

    def __init__(self, *, skip_broken: bool = False) -> None:
        self.skip_broken = skip_broken

    def fit(self, X: str | PathLike[str] | Sequence[str], y: object = None) -> Self:
        raise NotImplementedError

    def transform(self, X: str | PathLike[str] | Sequence[str]) -> NDArray[np.float32]:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class PictureBlock:
    """A column of names of picture files."""

    folder: str | None

    @classmethod
    def fit(
        cls, name: str, column: pa.ChunkedArray, note: Callable[[str], None], folder: str | None
    ) -> Self:
        raise NotImplementedError

    @property
    def n_features(self) -> int:
        return 0

    def feature_names(self, name: str) -> list[str]:
        return [name][:0]

    def fill(self, column: pa.ChunkedArray, out: NDArray[np.float32]) -> None:
        raise NotImplementedError
