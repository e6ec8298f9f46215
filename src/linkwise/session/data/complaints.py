"""Complaints about data, by the name its owner knows them by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import scipy.sparse as sp

from linkwise.errors import InvalidFile
from linkwise.files.frames import is_frame
from linkwise.session.data.file import COPY_NAME, TableLike


@contextmanager
def complaints_about(data: TableLike) -> Iterator[None]:
    """Let complaints name what the caller gave, not the file that a session keeps it in."""
    try:
        yield
    except InvalidFile as error:
        if not error.file.startswith(f"{COPY_NAME}."):
            raise
        name = _name(data)
        if not isinstance(data, str | Path) and error.found.startswith((" row ", " column ")):
            name += ","
        raise type(error)(name, error.found, *error.advice) from None


def _name(data: TableLike) -> str:
    if isinstance(data, str | Path):
        return Path(data).name
    if sp.issparse(data):
        return "the sparse matrix"
    return "the data frame" if is_frame(data) else "the array"
