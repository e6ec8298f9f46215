"""A column of a table that names picture files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.features.columns import shown, strings_in
from linkwise.features.pictures.images import N_FEATURES, feature_names, fill_picture_rows
from linkwise.features.pictures.picture_files import is_there

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class PictureBlock:
    """A column of names of picture files, which lie in ``folder``.

    What cannot be read is named when it is fitted, and lies where no picture is.
    """

    folder: str

    @classmethod
    def fit(
        cls, name: str, column: pa.ChunkedArray, note: Callable[[str], None], folder: str
    ) -> Self:
        """Look whether the pictures are there."""
        block = cls(folder)
        there = strings_in(column).drop_null()
        missing = [value for value in there.to_pylist() if not is_there(block.path(value))]
        if len(missing) == len(there):
            where = folder or "the working directory"
            first = f" {shown(missing[0])} is not in {where}." if missing else ""
            raise InvalidInput(
                f'column "{name}" cannot be used as picture: no value in it is the name of a '
                f"picture file that is there.{first}"
            )
        if missing:
            listed = ", ".join(list(dict.fromkeys(missing))[:_MOST_NAMED])
            many = f"{len(missing)} pictures are not there, such as {listed}"
            note(f'"{name}": {many if missing[1:] else f"{listed} is not there"}.')
        return block

    def path(self, value: str) -> Path:
        """Return where a picture is."""
        return Path(self.folder) / value.strip()

    @property
    def n_features(self) -> int:
        return N_FEATURES

    def feature_names(self, name: str) -> list[str]:
        return [f"{name} {feature}" for feature in feature_names()]

    def fill(self, column: pa.ChunkedArray, out: NDArray[np.float32]) -> None:
        """Write the features of the pictures that can be read, zeros for the others."""
        names = strings_in(column)
        there = np.flatnonzero(names.is_valid().to_numpy())
        paths = [self.path(value) for value in names.drop_null().to_pylist()]
        if len(there) == len(out):
            fill_picture_rows(paths, out, refuse=False)
            return
        rows = np.empty((len(paths), N_FEATURES), dtype=np.float32)
        fill_picture_rows(paths, rows, refuse=False)
        out[:] = 0.0
        out[there] = rows
