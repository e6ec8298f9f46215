"""A folder of pictures is a table too: one picture, one row."""

from __future__ import annotations

import os
from pathlib import Path

from linkwise.errors import InvalidFile
from linkwise.files.endings import listed
from linkwise.tables.frame import Frame

#: What the only column of such a table is called. It names the rows as well.
COLUMN = "file"


def read_folder(folder: Path) -> Frame:
    """Return the pictures of a folder and the folders in it, by their paths below it."""
    import pyarrow as pa

    from linkwise.features.pictures.picture_files import PICTURE_ENDINGS

    names = picture_names(folder)
    called = folder.name or folder.resolve().name or str(folder)  # "." has no name of its own
    if not names:
        raise InvalidFile(
            called,
            f" is a folder without pictures: no file in it ends in {listed(PICTURE_ENDINGS)}.",
        )
    return Frame(called, [COLUMN], len(names), [pa.chunked_array([names])])


def picture_names(folder: Path) -> list[str]:
    """Return the pictures below a folder, in the order of their names; hidden ones are left out."""
    from linkwise.features.pictures.picture_files import is_picture_name

    found: list[str] = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        below = Path(place).relative_to(folder)
        pictures = (name for name in files if not name.startswith(".") and is_picture_name(name))
        found += [(below / name).as_posix() for name in pictures]
    return sorted(found)
