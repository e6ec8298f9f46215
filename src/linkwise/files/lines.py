"""Files of texts, one a line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from linkwise.errors import InvalidFile
from linkwise.files.text import encoding_of, open_text

if TYPE_CHECKING:
    import pyarrow as pa

#: What the only column of such a file is called.
COLUMN = "line"


def read_lines(path: Path, encoding: str | None = None) -> pa.Table:
    """Return the lines of a file as one column; a line without text has no value.

    Line 1 is row 0, whatever is in it, so that labels can be laid beside the lines. Only empty
    lines at the end are none.
    """
    import pyarrow as pa

    with open_text(path, encoding_of(path, encoding)) as file:
        whole = file.read().removesuffix("\x1a")
    lines = [line.strip() for line in re.split("\r\n|\r|\n", whole)]
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise InvalidFile(path.name, " has no line of text.")
    return pa.table({COLUMN: pa.array([line or None for line in lines], pa.string())})
