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
_LOOKED_FOR = 1000


def present(names: pa.ChunkedArray, folder: Path) -> pa.ChunkedArray:
    """Return the names with gaps where no file is below ``folder``; elsewhere nothing is looked at.

    Gaps are also where there was no name.
    """
    import pyarrow as pa

    home = folder.resolve()
    kept = [name if _is_there(home, name) else None for name in names.to_pylist()]
    return pa.chunked_array([pa.array(kept, pa.string())])


def any_inside(names: pa.ChunkedArray, folder: Path) -> bool:
    """Tell whether any of the pictures is there; of many, some are looked for."""
    from linkwise.features.columns import spread_rows

    home = folder.resolve()
    some = names.take(spread_rows(len(names), _LOOKED_FOR)).to_pylist()
    return any(_is_there(home, name) for name in some)


def broken(names: pa.ChunkedArray, folder: Path, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return those of some rows whose picture cannot be read."""
    from linkwise.features.pictures.picture_files import BrokenPicture, thumbnail

    found = []
    for row in rows.tolist():
        name = names[row].as_py()
        try:
            if name is not None:
                thumbnail(folder / name.strip(), 1)
        except (BrokenPicture, OSError):
            found.append(row)
    return np.array(found, dtype=np.int64)


def told(column: str, unread: Iterable[str]) -> str:
    """Return the sentence that names pictures which cannot be used."""
    names = list(unread)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    what, counts = (
        ("1 picture", "counts") if len(names) == 1 else (f"{len(names)} pictures", "count")
    )
    listed = ", ".join(names[:_MOST_NAMED])
    return f'"{column}": {what} cannot be read and {counts} as missing: {listed}{more}.'


def _is_there(home: Path, name: str | None) -> bool:
    from linkwise.features.pictures.picture_files import is_there

    if not name or "\x00" in name:
        return False
    path = (home / name.strip()).resolve()
    return path.is_relative_to(home) and is_there(path)
