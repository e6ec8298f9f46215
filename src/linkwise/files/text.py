"""Text files in the encodings people have: UTF-8, UTF-16, Windows-1252; packed by gzip or not."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from linkwise.errors import Advice, InvalidFile, InvalidInput, Remedy
from linkwise.files.endings import BEGINNINGS

#: What text is in that is not UTF-8: Latin-1 and the quotes and dashes that Windows adds to it.
WESTERN = "cp1252"
_CHUNK = 1 << 20
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def is_packed(path: Path) -> bool:
    """Tell whether the name says that the file is packed by gzip."""
    return path.suffix.lower() == ".gz"


def lines_are_bytes(encoding: str) -> bool:
    """Tell whether text of this encoding can be cut at the bytes of line ends, and read apart."""
    name = codecs.lookup(encoding).name
    return name.startswith(("utf-8", "iso8859", "cp125")) or name == "ascii"


@contextmanager
def open_bytes(path: Path) -> Iterator[Any]:
    """Open a file for reading, unpacked where it is packed."""
    try:
        with gzip.open(path) if is_packed(path) else path.open("rb") as file:
            yield file
    except (gzip.BadGzipFile, zlib.error, EOFError):
        raise InvalidFile(path.name, " is not a gzip file, or it is cut short.") from None


@contextmanager
def open_text(path: Path, encoding: str) -> Iterator[IO[str]]:
    """Open a file for reading as text; the ends of lines are left as they are."""
    with open_bytes(path) as file, io.TextIOWrapper(file, encoding, newline="") as text:
        yield text


@contextmanager
def open_utf8(path: Path, encoding: str) -> Iterator[Any]:
    """Open a file for pyarrow, as a stream of UTF-8."""
    import pyarrow as pa

    path.open("rb").close()  # a missing file is told by the operating system
    with pa.input_stream(path, compression="gzip" if is_packed(path) else None) as raw:
        yield raw if encoding == "utf-8" else pa.transcoding_input_stream(raw, encoding, "utf-8")


def encoding_of(path: Path, told: str | None = None) -> str:
    """Return the encoding of a text file, or say why it is not text.

    A mark at the beginning tells UTF-8 and UTF-16. Without one it is UTF-8 if all of it can be
    read so, else Windows-1252, unless it was UTF-8 up to the damaged place. Who was ``told`` the
    encoding does not guess.
    """
    if told is not None:
        return _as_told(path, told)
    with open_bytes(path) as file:
        head = file.read(3)
    marked = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    flaw = _first_flaw(path, marked or "utf-8", may_control=True)
    if flaw is None:
        return marked or "utf-8"
    if marked or flaw.foreign_before:
        name = "UTF-16" if marked == "utf-16" else "UTF-8"
        raise InvalidFile(
            path.name,
            f" line {flaw.line}: the text is in {name}, but here it cannot be read. "
            f"The file is damaged or was put together from several.",
        )
    if _first_flaw(path, WESTERN, may_control=False) is not None:
        if (ending := _other_ending(path)) is not None:
            raise InvalidFile(
                path.name,
                f" is no text; it begins like a file that ends in {ending}. Rename it so.",
            )
        raise InvalidFile(
            path.name,
            " is not text in UTF-8, UTF-16 (with its mark) or Windows-1252.",
            Advice(Remedy.SAVE_AS_UTF8),
        )
    return WESTERN


def _other_ending(path: Path) -> str | None:
    """Return how a file that is no text should end, by what it begins with; None if unknown."""
    with open_bytes(path) as file:
        head = file.read(8)
    return next((ending for mark, ending in BEGINNINGS.items() if head.startswith(mark)), None)


def _as_told(path: Path, told: str) -> str:
    """Return the encoding somebody named, if there is one of that name and the file is in it."""
    try:
        name = codecs.lookup(told).name
        "".encode(told)  # codecs such as base64 are no encodings of text
    except LookupError:
        raise InvalidInput(
            f"{told!r} is not an encoding. Usual ones: utf-8, utf-16, latin-1, cp1252, cp1250, "
            f"cp1251, shift_jis, gb18030, big5."
        ) from None
    flaw = _first_flaw(path, told, may_control=True)
    if flaw is not None:
        raise InvalidFile(
            path.name, f" line {flaw.line}: the text is not in {told}. Name another encoding."
        )
    with open_bytes(path) as file:
        marked: bool = file.read(3) == codecs.BOM_UTF8
    return "utf-8-sig" if marked and name == "utf-8" else name


@dataclass(frozen=True)
class _Flaw:
    """The first place where text cannot be read, and if anything but ASCII stood before it."""

    line: int
    foreign_before: bool


def _first_flaw(path: Path, encoding: str, *, may_control: bool) -> _Flaw | None:
    """Look for bytes that are not of ``encoding``, or for control characters where none may be."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line, foreign = 1, False
    with open_bytes(path) as file:
        while True:
            chunk = file.read(_CHUNK)
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                before = error.object[: error.start].decode(encoding, errors="ignore")
                return _Flaw(line + before.count("\n"), foreign or not before.isascii())
            if not may_control and any(map(text.__contains__, _CONTROLS)):
                return _Flaw(line, foreign)
            line, foreign = line + text.count("\n"), foreign or not text.isascii()
            if not chunk:
                return None


_CONTROLS = [chr(code) for code in range(32) if chr(code) not in "\t\n\v\f\r\x1a"]
