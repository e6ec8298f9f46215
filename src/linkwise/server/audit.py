"""The audit log: who did what, a line of JSON for everything that was to change something.

It holds names of people and sessions and what became of the request, and no data. It lies below
the root, where only the owner can read it.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

FILE = ".audit.jsonl"
#: When it is longer, it becomes the old one, and the old one before it goes.
MOST_BYTES = 16 * 2**20


class Audit:
    """Appends lines to the audit log of a service."""

    def __init__(self, root: Path) -> None:
        self._path = root / FILE

    def note(self, who: str, role: str, method: str, path: str, status: int) -> None:
        """Write down one request."""
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "who": who,
            "role": role,
            "did": f"{method} {path}",
            "status": status,
        }
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "ab") as file:
            file.write(json.dumps(line).encode() + b"\n")
            full = file.tell() > MOST_BYTES
        if full:
            os.replace(self._path, self._path.with_suffix(".old.jsonl"))
