"""Export files, written for one download each."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from linkwise.session.errors import SessionError
from linkwise.session.journal.lock import FolderLock

if TYPE_CHECKING:
    from linkwise.session import Session

FOLDER = ".exports"


class ExportFolder:
    """Where a service puts the files that are about to be taken home.

    Every service below a root has a folder of its own and holds it; those that nobody holds were
    left by a service that was killed, and are removed.
    """

    def __init__(self, root: Path) -> None:
        self._all = root / FOLDER
        self._folder: Path | None = None
        self._lock: FolderLock | None = None
        self._making = Lock()

    @property
    def path(self) -> Path:
        """The folder, made with the first use."""
        with self._making:
            if self._folder is None:
                self._all.mkdir(mode=0o700, exist_ok=True)
                self._remove_left_overs()
                folder = self._all / secrets.token_hex(8)
                folder.mkdir(mode=0o700)
                self._lock, self._folder = FolderLock(folder), folder
            return self._folder

    def close(self) -> None:
        """Remove the folder with everything in it."""
        with self._making:
            if self._folder is not None and self._lock is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
                self._lock.close()
                self._folder = None

    def _remove_left_overs(self) -> None:
        for place in self._all.iterdir():
            if not place.is_dir() or place.is_symlink():
                place.unlink(missing_ok=True)  # of a version that had one folder for all
                continue
            try:
                lock = FolderLock(place)
            except SessionError:  # another service's
                continue
            shutil.rmtree(place, ignore_errors=True)
            lock.close()


def write_export(
    session: Session, exports: ExportFolder, what: str, suffix: str, raw: bool, at: int | None
) -> Path:
    """Write the labels or the answers to a new file and return its path."""
    path = exports.path / f"{secrets.token_hex(16)}.{suffix}"
    try:
        session.export(path, what=what, raw=raw, at=at)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path
