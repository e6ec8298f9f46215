"""Rows of a ``.npy`` file."""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.ensemble.npy import read_npy_header
from linkwise.errors import InvalidInput


class NpySource:
    """Rows of a ``.npy`` file, read by position and never mapped.

    A mapped file would count as memory of the process page by page; plain reads leave it in the
    system's file cache. Row-major and column-major files are both understood.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        with open(self.path, "rb") as file:
            shape, self._by_column, self._dtype, self._offset = read_npy_header(file, self.path)
        if len(shape) != 2:
            raise InvalidInput(f"{self.path} holds an array of shape {shape}, expected a table.")
        if self._dtype.kind not in "buif":
            raise InvalidInput(f"{self.path} holds {self._dtype} values, expected real numbers.")
        self.n_rows, self.n_features = shape

    def read(self, start: int, stop: int) -> NDArray[Any]:
        with open(self.path, "rb", buffering=0) as file:
            if not self._by_column:
                return self._values(file, start * self.n_features, (stop - start, self.n_features))
            columns = [
                self._values(file, j * self.n_rows + start, (stop - start,))
                for j in range(self.n_features)
            ]
        return np.stack(columns, axis=1)

    def sample(self, indices: NDArray[np.intp]) -> NDArray[Any]:
        rows = np.empty((len(indices), self.n_features), dtype=self._dtype)
        with open(self.path, "rb", buffering=0) as file:
            if self._by_column:  # a whole column is read at once, values are picked from it
                for j in range(self.n_features):
                    column = self._values(file, j * self.n_rows, (self.n_rows,))
                    rows[:, j] = column[indices]
            else:
                for i, row in enumerate(indices.tolist()):
                    rows[i] = self._values(file, row * self.n_features, (self.n_features,))
        return rows

    def _values(self, file: FileIO, first: int, shape: tuple[int, ...]) -> NDArray[Any]:
        values = np.empty(shape, dtype=self._dtype)
        file.seek(self._offset + first * self._dtype.itemsize)
        view = values.reshape(-1).view(np.uint8).data
        done = 0
        while done < len(view):
            count = file.readinto(view[done:])
            if not count:
                raise InvalidInput(f"{self.path} ended while it was read. The file was changed.")
            done += count
        return values
