"""The lock: one process at a time, released by the system even after ``kill -9``."""

from __future__ import annotations

import os
from pathlib import Path

from linkwise.session.errors import SessionError, SessionLocked

try:
    import fcntl
except ImportError:  # pragma: no cover  # no such lock on Windows
    fcntl = None  # type: ignore[assignment]

LOCK_FILE = "lock"


class FolderLock:
    """Holds a folder for this process until closed."""

    def __init__(self, folder: Path) -> None:
        if fcntl is None:
            raise SessionError("sessions need a system with POSIX file locks.")
        path = folder / LOCK_FILE
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            reason = (error.strerror or "it cannot be written").lower()
            raise SessionError(
                f"the session in {folder} cannot be opened for writing: {reason}. "
                f"A session needs to write its journal there."
            ) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(self._file)
            os.close(self._file)
            raise SessionLocked(_sentence(folder, holder)) from None
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def close(self) -> None:
        """Let other processes in."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _holder(file: int) -> int | None:
    text = os.pread(file, 32, 0).decode("ascii", "replace").strip()
    return int(text) if text.isdigit() else None


def _sentence(folder: Path, holder: int | None) -> str:
    if holder == os.getpid():
        return f"the session in {folder} is open already in this process ({holder})."
    who = "another process" if holder is None else f"process {holder}"
    return f"the session in {folder} is held by {who}. Close it there, or send your answers to it."
