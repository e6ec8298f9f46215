"""Uploads: a stream of bytes becomes a file in a folder of its own.

What the sender calls the file decides its kind and is kept for show; it is never part of a path.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from linkwise.errors import InvalidFile, InvalidInput, LinkwiseError, Remedy
from linkwise.files.endings import ending_of
from linkwise.server.files.archive import ENDING as ARCHIVE
from linkwise.server.files.archive import unpack
from linkwise.server.files.child import AT_ONCE, in_child
from linkwise.server.files.inspection import inspect_file
from linkwise.server.files.knowledge import n_said
from linkwise.server.limits import Limits
from linkwise.server.refusals import NotFound, TooLarge
from linkwise.session.errors import SessionError
from linkwise.session.journal.lock import FolderLock
from linkwise.tables import ENDINGS

logger = logging.getLogger("linkwise.server")

FOLDER = ".uploads"
UPLOAD_ID = r"^u[0-9a-f]{32}$"
#: The folder in which an archive is unpacked.
UNPACKED = "files"
_PIECE = 2**20
#: What helps against faults of a file, for people who choose columns with the mouse.
ON_A_PAGE = {
    Remedy.LEAVE_COLUMN_OUT: "do not compare by this column",
    Remedy.NAME_ARRAY: "call the array with the rows X",
}
_DAY = 24 * 3600


class Uploads:
    """The files people sent.

    Parameters
    ----------
    root : Path
        The root of the service; uploads have a folder in it.
    limits : Limits
        How large files may be, and how much reading one may take.
    """

    def __init__(self, root: Path, limits: Limits) -> None:
        self.folder = root / FOLDER
        self.folder.mkdir(exist_ok=True)
        self.limits = limits
        self._readers: anyio.CapacityLimiter | None = None  # others' threads are not for waiting
        self._remove_unused()

    async def take(
        self, name: str, chunks: AsyncIterator[bytes], encoding: str | None = None
    ) -> dict[str, Any]:
        """Store the bytes and describe the file; one that cannot be used leaves nothing behind."""
        suffix = ending_of(name, (*ENDINGS, ARCHIVE))
        if suffix is None:
            raise InvalidInput(f"the file name must end in {', '.join((*ENDINGS, ARCHIVE))}.")
        upload = f"u{secrets.token_hex(16)}"
        place = self.folder / upload
        place.mkdir()
        lock = FolderLock(place)  # so that nobody takes it for what a killed service left
        try:
            await self._store(place / f"data{suffix}", chunks)
            about = place, upload, name, suffix, encoding
            return await anyio.to_thread.run_sync(self._describe, *about, limiter=self.readers)
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        finally:
            lock.close(tidy=True)

    @property
    def readers(self) -> anyio.CapacityLimiter:
        """The threads that wait for files being read, so that they are not others' threads."""
        if self._readers is None:
            self._readers = anyio.CapacityLimiter(AT_ONCE)
        return self._readers

    def path(self, upload: str) -> Path:
        """Return the file or folder of an upload, and keep it from now on."""
        place = self.folder / upload
        if not re.fullmatch(UPLOAD_ID, upload) or not (place / "about.json").is_file():
            raise NotFound(f"there is no upload {upload}.")
        (place / "used").touch()
        about = json.loads((place / "about.json").read_text("utf-8"))
        path: str = about.get("path") or f"data{about['suffix']}"
        return place / path

    def in_their_words(self, path: Path, error: InvalidFile) -> str:
        """Return what is wrong with a file, by the name its sender knows, for who has a page."""
        is_sent = path.parent.parent == self.folder and path.name != UNPACKED
        return error.worded(ON_A_PAGE, self._name(path) if is_sent else error.file)

    @contextmanager
    def by_its_name(self, path: Path) -> Iterator[None]:
        """Call a file that was sent by the name its sender knows where it is refused."""
        try:
            yield
        except InvalidInput as error:
            said = str(error).replace(path.name, self._name(path))
            raise InvalidInput(said) from error

    def _name(self, path: Path) -> str:
        name: str = json.loads((path.parent / "about.json").read_text("utf-8"))["name"]
        return name

    async def _store(self, path: Path, chunks: AsyncIterator[bytes]) -> None:
        size, waiting = 0, bytearray()
        with path.open("xb") as file:
            async for chunk in chunks:
                size += len(chunk)
                if size > self.limits.upload:
                    raise TooLarge(f"the file is longer than {self.limits.upload:,} bytes.")
                waiting += chunk
                if len(waiting) >= _PIECE:
                    await anyio.to_thread.run_sync(file.write, bytes(waiting))
                    waiting.clear()
            file.write(waiting)
        if size == 0:
            raise InvalidInput("the file is empty.")

    def _describe(
        self, place: Path, upload: str, name: str, suffix: str, encoding: str | None
    ) -> dict[str, Any]:
        path = place / f"data{suffix}"
        try:
            path = self._unpacked(path) if suffix == ARCHIVE else path
            description = self.inspect(path, encoding)
        except InvalidFile as error:
            called = name if error.file.startswith("data.") else error.file
            raise InvalidInput(error.worded(ON_A_PAGE, called)) from error
        except LinkwiseError:
            raise
        except Exception as error:  # what damaged files make their readers raise is past listing
            if isinstance(error, OSError) and error.errno is not None:
                raise  # it is the disk and not the file
            logger.warning("an upload could not be read", exc_info=error)
            raise InvalidInput(f"{name} is not a {suffix} file linkwise can read.") from error
        about = {"name": name, "path": path.relative_to(place).as_posix()}
        (place / "about.json").write_text(json.dumps(about), "utf-8")
        return {"upload": upload, "name": name, **description}

    def _unpacked(self, path: Path) -> Path:
        """Return the table or the folder of pictures in an archive, which is unpacked beside it."""
        memory, seconds = self.limits.memory, self.limits.seconds
        folder, most = path.parent / UNPACKED, self.limits.unpacked
        found = in_child(unpack, path, folder, most, memory=memory, seconds=seconds)
        path.unlink()
        return (folder / found).resolve()

    def inspect(self, path: Path, encoding: str | None = None) -> dict[str, Any]:
        """Describe a file, read by a process of its own that it may lead astray."""
        limits, told = self.limits, (path, self.limits.budget, encoding)
        return in_child(inspect_file, *told, memory=limits.memory, seconds=limits.seconds)

    def check_told(self, path: Path, n_rows: int) -> None:
        """Refuse a file that says too much at once to a session of ``n_rows`` rows."""
        memory, seconds = self.limits.memory, self.limits.seconds
        found, most = in_child(n_said, path, memory=memory, seconds=seconds), self.limits.told
        if found > max(most, n_rows):  # a label for every row is not too much
            raise InvalidInput(
                f"the file speaks of {found:,} pairs or rows, more than the {most:,} this service "
                f"takes at once. Send it in parts."
            )

    def _remove_unused(self) -> None:
        """Forget uploads that came half-way, and those of which no session was made in a day."""
        for place in self.folder.iterdir():
            if not re.fullmatch(UPLOAD_ID, place.name) or (place / "used").exists():
                continue
            complete = (place / "about.json").is_file()
            if complete and time.time() - place.stat().st_mtime <= _DAY:
                continue
            try:
                lock = FolderLock(place)
            except SessionError:  # it is on its way, to another service
                continue
            shutil.rmtree(place, ignore_errors=True)
            lock.close()
