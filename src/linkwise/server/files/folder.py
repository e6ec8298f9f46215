"""Data files and folders of pictures that were here before, below one named when it began."""

from __future__ import annotations

import os
from pathlib import Path

from linkwise.features.pictures.picture_files import is_picture_name
from linkwise.files.endings import ending_of
from linkwise.files.parquet_folder import PARQUET
from linkwise.server.refusals import NotFound
from linkwise.tables import ENDINGS

MOST_LISTED = 1000


class DataFolder:
    """The folder with the data files, or none."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = None if folder is None else folder.resolve(strict=True)

    def names(self) -> list[str]:
        """Return the data files and folders of pictures below the folder; hidden ones are left out.

        A folder that holds pictures, and no table to go with them, ends in a slash; so does one of
        several Parquet files, which may be one table.
        """
        if self.folder is None:
            return []
        found: list[str] = []
        for place, folders, files in os.walk(self.folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            below = Path(place).relative_to(self.folder)
            data = [(below / name).as_posix() for name in sorted(files) if _is_data(name)]
            if not data and any(map(is_picture_name, files)):
                data = [f"{below.as_posix()}/"]
            if sum(map(_is_parquet, files)) > 1:
                data = [f"{below.as_posix()}/", *data]
            found += data
            if len(found) >= MOST_LISTED:
                break
        return found[:MOST_LISTED]

    def path(self, name: str) -> Path:
        """Return the file of that name, which must lie below the folder."""
        missing = NotFound(f"there is no data file {name!r}. See the list of files.")
        is_folder = name.endswith("/")
        if self.folder is None or "\x00" in name:
            raise missing
        if not is_folder and not _is_data(name.rpartition("/")[2]):
            raise missing
        try:
            path = (self.folder / name).resolve(strict=True)
        except OSError:
            raise missing from None
        is_there = path.is_dir() if is_folder else path.is_file()
        if not path.is_relative_to(self.folder) or not is_there:
            raise missing
        return path


def _is_parquet(name: str) -> bool:
    return name.endswith(PARQUET) and not name.startswith((".", "_"))


def _is_data(name: str) -> bool:
    return not name.startswith(".") and ending_of(name, ENDINGS) is not None
