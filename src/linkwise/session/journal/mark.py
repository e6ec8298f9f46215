"""The mark: how far the journal had come, kept outside of it.

A journal that lost its end looks like a shorter one. The mark is the number and the hash of the
last record that was acknowledged, in a file of its own. It is written with every commit, so that
the end of the process loses nothing of it, and brought to the disk every tenth of a second while
records come, when none have come for a moment, and at the close.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from pathlib import Path

from linkwise.session.errors import StorageTrouble
from linkwise.session.journal.chain import Link

logger = logging.getLogger(__name__)

FILE = "journal.mark"
#: Seconds between two times of bringing the mark to the disk.
SYNC_EVERY = 0.1
#: Two places written in turn: one that was cut off in the middle leaves the other.
_PLACE = 512


class Mark:
    """The mark of one journal; used by one thread at a time."""

    def __init__(self, folder: Path, session: str) -> None:
        self.path, self._session = folder / FILE, session
        self._file: int | None = None
        self._turn = 0
        self._synced = 0.0
        self._is_synced = True

    def read(self) -> Link | None:
        """Return the mark; None where no place of the file holds one."""
        try:
            content = self.path.read_bytes()
        except OSError:
            return None
        places = [content[at : at + _PLACE] for at in range(0, len(content), _PLACE)]
        found = [link for place in places if (link := self._parse(place)) is not None]
        return max(found, default=None)

    def is_there(self) -> bool:
        """Tell whether there is a file, readable or not."""
        return self.path.exists()

    def write(self, link: Link) -> None:
        """Set the mark; on the disk it is after :meth:`sync`, which is called now and then."""
        try:
            if self._file is None:
                flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
                self._file = os.open(self.path, flags, 0o600)
            os.lseek(self._file, self._turn * _PLACE, os.SEEK_SET)
            os.write(self._file, self._text(link))
            self._turn = 1 - self._turn
            self._is_synced = False
            if time.monotonic() - self._synced >= SYNC_EVERY:
                self.sync()
        except OSError as error:
            reason = (error.strerror or "it cannot be written").lower()
            raise StorageTrouble(
                f"{self.path} cannot be written: {reason}. "
                f"Send it again with the same keys: it is recorded once."
            ) from error

    def sync(self) -> None:
        """Bring the mark to the disk, if it is not there."""
        if self._file is not None and not self._is_synced:
            os.fsync(self._file)
            self._synced, self._is_synced = time.monotonic(), True

    def close(self) -> None:
        """Bring the mark to the disk and let go of the file."""
        if self._file is not None:
            try:
                self.sync()
            except OSError as error:
                logger.warning("%s could not be brought to the disk (%s)", self.path, error)
            os.close(self._file)
            self._file = None

    def _text(self, link: Link) -> bytes:
        words = f"{link.seq} {link.hash.hex()}"
        return f"{words} {self._check(words)}\n".ljust(_PLACE, " ").encode("ascii")

    def _parse(self, place: bytes) -> Link | None:
        try:
            seq, digest, check = place.decode("ascii").split()
            link = Link(int(seq), bytes.fromhex(digest))
        except ValueError:
            return None
        return link if check == self._check(f"{seq} {digest}") else None

    def _check(self, words: str) -> str:
        return hashlib.sha256(f"{self._session} {words}".encode()).hexdigest()[:32]
