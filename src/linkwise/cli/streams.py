"""``-``: the table comes from stdin, or the labels go to stdout."""

from __future__ import annotations

import gzip
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from linkwise.errors import InvalidFile
from linkwise.files.endings import BEGINNINGS

#: What stands for stdin and stdout.
DASH = Path("-")
#: How a stream begins that is not CSV, and how a file of it would be called.
_BEGINNINGS = {**BEGINNINGS, b"{": ".jsonl"}
_GZIP = b"\x1f\x8b"


@contextmanager
def brought(data: Path) -> Iterator[Path]:
    """Yield the file to read; stdin is kept in one as long, called by what it begins with."""
    if data != DASH:
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="linkwise-") as folder:
        path = Path(folder, "stdin")
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        path = _named(path)
        try:
            yield path
        except InvalidFile as error:
            if error.file == path.name:  # the ending is ours
                error.file = "stdin"
            raise


def _named(path: Path) -> Path:
    head = _head(path)
    if head.startswith(_GZIP):
        unpacked = path.with_name("unpacked")
        try:
            with gzip.open(path) as packed, unpacked.open("wb") as file:
                shutil.copyfileobj(packed, file)
        except (gzip.BadGzipFile, zlib.error, EOFError):
            raise InvalidFile("stdin", " begins like a gzip file and is cut short.") from None
        unpacked.replace(path)
        head = _head(path)
    if not head:
        raise InvalidFile("stdin", " is empty.")
    begins = (ending for mark, ending in _BEGINNINGS.items() if head.startswith(mark))
    return path.rename(path.with_suffix(next(begins, ".csv")))


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(8)
