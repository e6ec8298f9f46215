"""Joining: the files of rows that joined a living session.

A file is written, synced and known by its hash before the event that makes its rows part of the
session. So a crash in between leaves a file that nothing refers to, and never an event without
its rows.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from linkwise.errors import InvalidInput
from linkwise.files.endings import ending_of
from linkwise.session.data.complaints import complaints_about
from linkwise.session.data.description import Description
from linkwise.session.data.display import Display
from linkwise.session.data.file import (
    DataFile,
    Placed,
    TableLike,
    content_hash,
    place_data,
    write_listing,
)
from linkwise.session.data.newcomers import Newcomers, elsewhere
from linkwise.session.errors import DataChanged
from linkwise.tables import ENDINGS
from linkwise.typing import Matrix


@dataclass(frozen=True, eq=False)
class Part:
    """Rows that join: their file, their features, and how they are shown.

    ``unusable`` are those, counted from the first of them, that have nothing to group by.
    """

    sha256: str
    file: str
    X: Matrix
    display: Display
    unusable: Sequence[int] = ()

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def payload(self) -> dict[str, Any]:
        """What the event says about it, beyond the hash."""
        unusable = list(self.unusable) or None
        return {"file": self.file, "n_rows": self.n_rows, "unusable": unusable}


class Joining:
    """Writes and reads the files of the rows that joined."""

    def __init__(self, folder: Path, description: Description, newcomers: Newcomers) -> None:
        self._folder, self._about, self._newcomers = folder, description, newcomers

    def tidy(self) -> None:
        """Remove what a process that was killed while it wrote has left."""
        for draft in self._folder.glob(".added-*"):
            shutil.rmtree(draft, ignore_errors=True)

    def write(self, data: TableLike) -> Part:
        """Keep rows in the folder of the session, safely, and read them as it will."""
        with (
            complaints_about(data),
            TemporaryDirectory(prefix=".added-", dir=self._folder) as draft,
        ):
            placed = self._at_home(place_data(data, Path(draft)))
            path = placed.path
            if path.is_dir():
                raise InvalidInput(
                    f"{path} is a folder. Rows that join are copied to the session: give one file "
                    "or a table."
                )
            self._newcomers.check_pictures(placed)
            if not placed.copied:
                ending = ending_of(path, ENDINGS) or path.suffix
                path = Path(shutil.copyfile(path, Path(draft, f"data{ending}")))
            self._check_kind(path)
            sha256 = content_hash(path)
            name = f"added-{sha256[:16]}{''.join(path.suffixes)}"
            part = self._part(sha256, name, path)
            _ = part.display.ids  # which complains where some are missing or twice
            path.chmod(0o600)
            _sync(path)
            os.replace(path, self._folder / name)
            _sync(self._folder)
        return self._part(sha256, name, self._folder / name)

    def _at_home(self, placed: Placed) -> Placed:
        """Return a folder of pictures with their names as seen from that of the session."""
        home = self._about.pictures
        if placed.pictures is None or home is None:
            return placed
        if not placed.pictures.is_relative_to(home.resolve()):
            raise elsewhere()
        write_listing(placed.path, placed.pictures, home.resolve())
        return placed

    def read(self, payload: dict[str, Any]) -> Part:
        """Return rows that joined, as their event tells; refuses a file that is another one."""
        path = joined_file(self._folder, payload)
        return self._part(payload["data"], path.name, path)

    def _part(self, sha256: str, name: str, path: Path) -> Part:
        new, about = self._newcomers.read(path), self._about
        file, n_rows = DataFile.of(path), int(new.X.shape[0])
        display = Display(file, about.columns, n_rows, about.image_shape, about.pictures)
        return Part(sha256, name, new.X, display, new.unusable)

    def _check_kind(self, path: Path) -> None:
        """Refuse an array where rows have names, texts or pictures, which an array has not."""
        columns = self._about.columns
        wanted = [name for name in (columns.id, columns.text, columns.image) if name is not None]
        if wanted and path.suffix.lower() == ".npy":
            raise InvalidInput(
                f"the rows of this session have the column{'s' if len(wanted) > 1 else ''} "
                f"{', '.join(wanted)}: give a table or a file that has them too."
            )


def joined_file(folder: Path, payload: dict[str, Any]) -> Path:
    """Return the file of rows that joined, as their event tells; refuses one that is another."""
    path = folder / Path(payload["file"]).name
    if not path.is_file() or content_hash(path) != payload["data"]:
        raise DataChanged(
            f"{path} is gone or has changed: it holds {payload['n_rows']} rows that joined "
            f"the session. Put the file back as it was."
        )
    return path


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
