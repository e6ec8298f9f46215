"""The lock: one process at a time, released by the system even after ``kill -9``."""

from __future__ import annotations

import os
from pathlib import Path

from filelock import FileLock, Timeout

from linkwise.session.errors import SessionError, SessionLocked

LOCK_FILE = "lock"
#: Number of the process that holds the lock; a file of its own, since whoever asks may not read or
#: may even empty the locked one, depending on the system.
HOLDER_FILE = "lock.holder"


class FolderLock:
    """Holds a folder for this process until closed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = FileLock(folder / LOCK_FILE, thread_local=False)
        try:
            self._lock.acquire(blocking=False)
            (folder / HOLDER_FILE).write_text(f"{os.getpid()}\n", encoding="ascii")
        except Timeout:
            raise SessionLocked(_sentence(folder, _holder(folder))) from None
        except OSError as error:
            self.close()
            reason = (error.strerror or "it cannot be written").lower()
            raise SessionError(
                f"the session in {folder} cannot be opened for writing: {reason}. "
                f"A session needs to write its journal there."
            ) from error

    def close(self, *, tidy: bool = False) -> None:
        """Let other processes in; ``tidy`` leaves no file of the lock in the folder."""
        if tidy:
            for name in (HOLDER_FILE, LOCK_FILE):
                (self._folder / name).unlink(missing_ok=True)
        self._lock.release(force=True)


def _holder(folder: Path) -> int | None:
    """Return the process that holds the folder; None where it did not say."""
    try:
        text = (folder / HOLDER_FILE).read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def _sentence(folder: Path, holder: int | None) -> str:
    if holder == os.getpid():
        return f"the session in {folder} is open already in this process ({holder})."
    who = "another process" if holder is None else f"process {holder}"
    return f"the session in {folder} is held by {who}. Close it there, or send your answers to it."
