"""Embeddings that were computed before, on disk, found by the content they are of."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 500
_log = logging.getLogger(__name__)


def default_cache() -> Path | None:
    """Return the folder of this user's cache; None where there is none that can be written."""
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder = Path(base) / "linkwise" / "embeddings"
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(f"{folder} cannot be written")
    except (OSError, RuntimeError) as error:  # the latter where nobody has a home
        _log.warning("embeddings are not kept for the next time: %s", error)
        return None
    return folder


class EmbeddingCache:
    """One file per model: hashes of contents, and their vectors.

    Parameters
    ----------
    folder : Path
        Where caches are kept.
    model : str
        The model's fingerprint.
    """

    def __init__(self, folder: Path, model: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{model[:32]}.sqlite"
        with closing(self._open()) as known, known:
            known.execute(
                "CREATE TABLE IF NOT EXISTS vectors (content BLOB PRIMARY KEY, vector BLOB) "
                "WITHOUT ROWID"
            )

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=60)

    def find(self, contents: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Return the vectors that are known, by hash."""
        found = {}
        with closing(self._open()) as known:
            for start in range(0, len(contents), _AT_ONCE):
                part = contents[start : start + _AT_ONCE]
                marks = ",".join("?" * len(part))
                asked = f"SELECT content, vector FROM vectors WHERE content IN ({marks})"
                for content, vector in known.execute(asked, part):
                    found[content] = np.frombuffer(vector, dtype="<f4")
        return found

    def keep(self, vectors: Iterable[tuple[bytes, NDArray[np.float32]]]) -> None:
        """Write vectors by the hashes of what they are of."""
        rows = [(content, vector.astype("<f4").tobytes()) for content, vector in vectors]
        with closing(self._open()) as known, known:
            known.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
