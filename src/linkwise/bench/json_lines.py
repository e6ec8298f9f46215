"""Files with one JSON value a line, which grow while somebody may stop the program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def read_lines(path: Path) -> list[Line]:
    """Return the lines written so far; one that was cut off is left out."""
    if not path.exists():
        return []
    found = []
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(text))
        except ValueError:
            continue
    return found


def append_line(path: Path, line: Line) -> None:
    """Write one line at the end."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def mend_end(path: Path) -> None:
    """End a line that was cut off, so that the next one begins anew."""
    if path.exists() and path.stat().st_size and not path.read_bytes().endswith(b"\n"):
        with path.open("a", encoding="utf-8") as file:
            file.write("\n")
