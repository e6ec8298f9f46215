"""Moves: how many rows each change moved, kept so that a sudden end does not forget them.

The file is never needed: without it, or where it is damaged, the curve of moved rows begins anew.
"""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

logger = logging.getLogger(__name__)

FILE = "moved.json"
MAX_MOVED = 1_000

#: (event, rows) for each view that was computed.
Moved = list[tuple[int, int]]


class Moves:
    """The rows that moved with each change, the latest last."""

    def __init__(self, folder: Path, last: int) -> None:
        self._folder = folder
        self.moved: Moved = [(seq, rows) for seq, rows in _read(folder / FILE) if seq <= last]

    def add(self, seq: int, rows: int) -> None:
        """Remember a change, also beyond the end of this process."""
        self.moved = [*self.moved, (seq, rows)][-MAX_MOVED:]
        draft = self._folder / f"{FILE}.new"
        try:
            draft.write_text(json.dumps(self.moved))
            draft.chmod(0o600)
            os.replace(draft, self._folder / FILE)
        except OSError as error:
            logger.warning("%s cannot be written (%s); nothing else is lost", FILE, error)


def _read(path: Path) -> Moved:
    try:
        return [(int(seq), int(rows)) for seq, rows in json.loads(path.read_text())]
    except (OSError, ValueError, TypeError):
        return []
