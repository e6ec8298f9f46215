"""Zip files people send: a table with its pictures, or pictures alone.

Nothing in an archive is believed: not its sizes, and not its names. Only data files and pictures
are unpacked, only below the folder they are meant for, and only as plain files.
"""

from __future__ import annotations

import errno
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from linkwise.errors import InvalidFile
from linkwise.features.pictures.picture_files import is_picture_name
from linkwise.files.endings import DELIMITED, TYPED, ending_of
from linkwise.tables import ENDINGS

ENDING = ".zip"
MOST_FILES = 500_000
_PIECE = 1 << 20
_TABLES = (*DELIMITED, *TYPED)
#: What damaged archives raise, or those packed in a way or by a password nobody told us.
_BAD = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


def unpack(path: Path, folder: Path, most_bytes: int) -> str:
    """Unpack an archive into a new folder; returns where its data are, as a path below it.

    That is the only table in it, or else the folder of the pictures. Names that lead elsewhere,
    more than ``most_bytes`` and several tables are refused.
    """
    folder.mkdir()
    left, names = most_bytes, []
    try:
        with zipfile.ZipFile(path) as archive:
            for part, name in _wanted(path.name, archive):
                left -= _write(path.name, archive, part, folder / name, left)
                names.append(name)
    except _BAD:
        raise InvalidFile(path.name, " is not a zip file linkwise can read.") from None
    return _data_in(path.name, names)


def _wanted(file: str, archive: zipfile.ZipFile) -> Iterator[tuple[zipfile.ZipInfo, str]]:
    """Yield the plain files that are data or pictures, with names that stay in the folder."""
    parts = archive.infolist()
    if len(parts) > MOST_FILES:
        raise InvalidFile(file, f" holds more than {MOST_FILES:,} files.")
    for part in parts:
        kind = stat.S_IFMT(part.external_attr >> 16)
        if part.is_dir() or kind not in (0, stat.S_IFREG):
            continue
        name = PurePosixPath(part.filename.replace("\\", "/"))
        if name.is_absolute() or ".." in name.parts or ":" in "".join(name.parts[:1]):
            raise InvalidFile(file, f" holds a file that leads out of it, {part.filename!r}.")
        if any(piece.startswith((".", "__MACOSX")) for piece in name.parts):
            continue
        if is_picture_name(name.name) or ending_of(name, ENDINGS):
            yield part, name.as_posix()


def _write(
    file: str, archive: zipfile.ZipFile, part: zipfile.ZipInfo, path: Path, left: int
) -> int:
    """Write one file of at most ``left`` bytes; returns its size."""
    size = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(part) as packed, path.open("xb") as unpacked:
            while piece := packed.read(_PIECE):
                size += len(piece)
                if size > left:
                    raise InvalidFile(file, " unpacks to more bytes than this service takes.")
                unpacked.write(piece)
    except (FileExistsError, NotADirectoryError):
        raise InvalidFile(file, f" holds {part.filename!r} twice.") from None
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.EINVAL):
            raise InvalidFile(file, " holds a file whose name is too long.") from None
        raise
    return size


def _data_in(file: str, names: list[str]) -> str:
    """Return the table among the files, or the folder that holds all of the pictures."""
    tables = [name for name in names if ending_of(name, _TABLES)]
    pictures = [name for name in names if is_picture_name(name)]
    others = [name for name in names if ending_of(name, ENDINGS) and name not in tables]
    found = tables or ([] if pictures else others)
    if len(found) > 1:
        listed = ", ".join(sorted(found)[:5])
        raise InvalidFile(file, f" holds several tables, such as {listed}. Send one of them.")
    if found:
        return found[0]
    if not pictures:
        raise InvalidFile(file, " holds neither a table nor pictures.")
    return os.path.commonpath([os.path.dirname(name) or "." for name in pictures]) or "."
