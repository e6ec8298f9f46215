"""Embeddings by a model that is on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin


class ImageEmbeddings(TransformerMixin, BaseEstimator):
    """Rows of numbers by a model."""

    def __init__(
        self, model: str, *, batch_size: int = 64, device: str = "cpu", cache: str | None = None
    ) -> None:
        self.model = model
        self.batch_size = batch_size
        self.device = device
        self.cache = cache

    def fit(self, X: Sequence[str], y: object = None) -> Self:
        raise NotImplementedError

    def transform(self, X: Sequence[str]) -> NDArray[np.float32]:
        raise NotImplementedError
