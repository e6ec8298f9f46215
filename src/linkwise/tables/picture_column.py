"""Columns that name picture files: which of them lie in the folder and can be read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_NAMED = 10


def inside(names: pa.ChunkedArray, folder: Path) -> pa.ChunkedArray:
    """Return the names with gaps where they lead out of ``folder``: nothing there is looked at."""
    import pyarrow as pa

    home = folder.resolve()
    kept = [name if name and _is_inside(home, name) else None for name in names.to_pylist()]
    return pa.chunked_array([pa.array(kept, pa.string())])


def any_inside(names: pa.ChunkedArray, folder: Path) -> bool:
    """Tell whether any of the pictures is there."""
    home = folder.resolve()
    there = (name for name in names.to_pylist() if name and _is_inside(home, name))
    return any((home / name.strip()).is_file() for name in there)


def broken_rows(
    names: pa.ChunkedArray, folder: Path, suspicious: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the rows whose picture is not there or cannot be read, among ``suspicious`` ones."""
    from linkwise.features.picture_files import BrokenPicture, thumbnail

    broken = []
    for row in suspicious.tolist():
        name = names[row].as_py()
        if name is None:
            continue
        try:
            thumbnail(folder / name.strip(), 1)
        except (BrokenPicture, OSError):
            broken.append(row)
    return np.array(broken, dtype=np.int64)


def told(column: str, broken: Iterable[str]) -> str:
    """Return the sentence that names pictures which cannot be used."""
    names = list(broken)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    what = "1 picture" if len(names) == 1 else f"{len(names)} pictures"
    listed = ", ".join(names[:_MOST_NAMED])
    return f'"{column}": {what} cannot be read and count as missing: {listed}{more}.'


def _is_inside(home: Path, name: str) -> bool:
    if "\x00" in name:
        return False
    path = (home / name.strip()).resolve()
    return path.is_relative_to(home) and path != home
