"""Folders that are there whole or not at all: made as a draft, synced, and renamed into place."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from linkwise.errors import InvalidInput
from linkwise.session.errors import SessionError
from linkwise.session.journal.lock import FolderLock

_DRAFT = re.compile(r"\..+\.draft-\w+")


@contextmanager
def draft_of(folder: Path) -> Iterator[Path]:
    """Lend a folder to be filled, which becomes ``folder`` at the end of the block.

    If the block fails, nothing is left behind. The draft is locked as long, so that nobody takes
    it for what a killed process left.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"{folder} exists already and is not empty; it was left alone.")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = tempfile.mkdtemp(prefix=f".{folder.name}.draft-", dir=folder.parent)
    except OSError as error:
        raise SessionError(
            f"no session can be made in {folder.parent}: {reason(error)}."
        ) from error
    draft = Path(made)
    try:
        lock = FolderLock(draft)
        try:
            yield draft
            _finish_tree(draft)
            os.replace(draft, folder)
            _sync(folder.parent)
        finally:
            lock.close()
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def remove_left_overs(parent: Path) -> list[str]:
    """Remove the drafts of processes that were killed; returns their names."""
    removed = []
    for draft in parent.iterdir():
        if _DRAFT.fullmatch(draft.name) and draft.is_dir() and not draft.is_symlink():
            try:
                lock = FolderLock(draft)
            except SessionError:  # somebody is filling it
                continue
            shutil.rmtree(draft, ignore_errors=True)
            lock.close()
            removed.append(draft.name)
    return removed


def reason(error: OSError) -> str:
    """Return what the system says, as part of a sentence."""
    return (error.strerror or str(error)).lower()


def _finish_tree(folder: Path) -> None:
    """Leave everything to its owner alone, and bring it to the disk."""
    for parent, _, files in os.walk(folder):
        for file in files:
            Path(parent, file).chmod(0o600)
            _sync(Path(parent, file))
        Path(parent).chmod(0o700)
        _sync(Path(parent))


def _sync(path: Path) -> None:
    """Ask the system to bring a file or folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
