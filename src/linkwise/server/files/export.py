"""Export files, written for one download each."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkwise.session import Session


def write_export(session: Session, folder: Path, what: str, suffix: str, raw: bool) -> Path:
    """Write the labels or the answers to a new file in ``folder`` and return its path."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{secrets.token_hex(16)}.{suffix}"
    try:
        session.export(path, what=what, raw=raw)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path
