"""Newcomers: rows that are not part of a session, read as its model sees rows."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from linkwise.errors import InvalidInput
from linkwise.session.data.description import Description
from linkwise.session.data.file import TableLike, place_data, read_data
from linkwise.tables import Choice, read_table
from linkwise.tables.read import ARRAYS
from linkwise.typing import Matrix


class Newcomers:
    """Picks the features of a session, and gives them its mean and spread where it has them."""

    def __init__(self, description: Description) -> None:
        self._about = description

    def read(self, data: TableLike) -> Matrix:
        """Return the features of the rows of a file, an array or a data frame."""
        with TemporaryDirectory() as folder:
            path, _ = place_data(data, Path(folder))
            X = self._features(path)
        return X if self._scaler is None else self._scaler.transform(X)

    def _features(self, path: Path) -> Matrix:
        features, columns = self._about.features, self._about.columns
        if path.suffix.lower() not in ARRAYS:
            return read_table(path, Choice(features=tuple(features))).X
        X = read_table(path, Choice(), columns.array if path.suffix == ".npz" else None).X
        by_number = self._about.data.path.suffix.lower() in ARRAYS
        chosen = bool(columns.features or columns.drop)
        if X.shape[1] != len(features) and by_number and chosen:
            return read_table(path, Choice(features=tuple(features))).X
        if X.shape[1] != len(features):
            raise InvalidInput(
                f"the rows have {X.shape[1]} columns, the session is about {len(features)} "
                f"features: {', '.join(features[:10])}{', ...' if len(features) > 10 else ''}."
            )
        return X

    @cached_property
    def _scaler(self) -> Any:
        """What gives features the mean and spread of the session's first rows; None: nothing."""
        about = self._about
        if not about.standardised:
            return None
        X = read_data(about.data.path, about.columns).X
        return StandardScaler(with_mean=not sp.issparse(X)).fit(X)
