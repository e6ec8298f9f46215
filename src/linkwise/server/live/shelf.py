"""The sessions below one folder: found by name, opened when needed, closed when idle."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import secrets
import time
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from linkwise.errors import LinkwiseError
from linkwise.server.live.session import LiveSession
from linkwise.server.live.turns import Turns
from linkwise.server.refusals import NotFound, Stopping
from linkwise.session import Summary, describe, is_session
from linkwise.session.data.description import has_description, read_description
from linkwise.session.errors import SessionError
from linkwise.session.journal.address import place, without_secrets
from linkwise.session.journal.lock import FolderLock

if TYPE_CHECKING:
    from linkwise.engines.base import Engine
    from linkwise.session import Session

logger = logging.getLogger("linkwise.server")

REMOVED = ".removed"
#: Names of sessions are names of folders: nothing in them can leave the root.
SESSION_ID = r"^[a-z0-9][a-z0-9-]{0,79}$"
MOST_WRITERS = 32


class Shelf:
    """Where the sessions stand.

    Parameters
    ----------
    root : Path
        The folder; made if it does not exist.
    databases : iterable of str
        Addresses of the databases in which journals may be. A folder may come from anywhere, and
        whoever made it could name a database that is there to collect passwords.
    engine : Engine or None
        The cluster on which large sessions live.
    """

    def __init__(
        self, root: Path, databases: Iterable[str] = (), engine: Engine | None = None
    ) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.root = root.resolve()
        self.engine = engine
        self._databases = {place(address): address for address in databases}
        self._open: dict[str, LiveSession] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._writers: anyio.CapacityLimiter | None = None
        self._turns = Turns(8, for_one=2), Turns(2, for_one=1)
        self.closing = False

    def summaries(self) -> list[tuple[str, Summary | Session | LinkwiseError]]:
        """Return every session by its name, with what is known about it, the latest first.

        Of one that is damaged that is a sentence; these come last.
        """
        found: list[tuple[str, Summary | Session]] = []
        damaged: list[tuple[str, LinkwiseError]] = []
        for name in self._names():
            try:
                found.append((name, self._summary(name)))
            except LinkwiseError as error:  # one that is damaged must not hide the others
                logger.warning("a session cannot be read", exc_info=error, extra={"session": name})
                damaged.append((name, error))
        latest = sorted(found, key=lambda pair: pair[1].created, reverse=True)
        return [*latest, *sorted(damaged, key=lambda pair: pair[0])]

    def troubles(self) -> list[str]:
        """Return what keeps open sessions from storing answers, a sentence for each."""
        said = (live.session.trouble for live in list(self._open.values()))
        return [trouble for trouble in said if trouble is not None]

    async def get(self, name: str) -> LiveSession:
        """Return the session, opened the first time it is asked for."""
        if name in self._open:
            return self._open[name]
        if self.closing:
            raise Stopping
        self._folder(name)  # no lock for names that do not exist
        async with self._locks.setdefault(name, asyncio.Lock()):
            if name not in self._open:
                folder = self._folder(name)  # it may have been put away meanwhile
                session = await anyio.to_thread.run_sync(self._open_session, folder)
                self._open[name] = LiveSession(session, self._limiter(), *self._turns)
                logger.info("session opened", extra={"session": name})
        return self._open[name]

    @asynccontextmanager
    async def using(self, name: str) -> AsyncIterator[LiveSession]:
        """Lend the session for the length of a block; it stays open as long."""
        live = await self.get(name)
        with live.in_use():
            yield live

    async def close_idle(self, seconds: float, busy: Collection[str]) -> int:
        """Close the sessions nobody has used for so long, but not ``busy`` ones; returns how many.

        Whoever asks for one while it is being closed waits at its lock and opens it again.
        """
        n_closed = 0
        for name, live in list(self._open.items()):
            async with self._locks[name]:
                idle = name not in busy and live.is_idle(seconds)
                if idle and self._open.get(name) is live:
                    del self._open[name]  # from here on nobody can be lent it
                    await live.close()
                    n_closed += 1
                    logger.info("idle session closed", extra={"session": name})
        return n_closed

    async def remove(self, name: str) -> None:
        """Put a session away; its files stay on the disk, in another folder."""
        self._folder(name)
        async with self._locks.setdefault(name, asyncio.Lock()):
            folder = self._folder(name)
            live = self._open.pop(name, None)
            if live is not None:
                await live.close()
            await anyio.to_thread.run_sync(self._put_away, folder)
        logger.info("session removed", extra={"session": name})

    def new_folder(self, title: str) -> Path:
        """Return the folder for a new session with this title; it does not exist yet."""
        return self.root / f"{_slug(title)}-{secrets.token_hex(4)}"

    def end_streams(self) -> None:
        """Let all listeners go and end what is computed, so that the service can stop."""
        self.closing = True
        for live in self._open.values():
            live.end_streams()
            live.end_work()

    async def close(self) -> None:
        """Close all sessions."""
        self.end_streams()
        for name in list(self._open):
            await self._open.pop(name).close()
            logger.info("session closed", extra={"session": name})

    def _put_away(self, folder: Path) -> None:
        """Move a session to another folder, unless another process holds it."""
        lock = FolderLock(folder)
        try:
            away = self.root / REMOVED
            away.mkdir(exist_ok=True)
            stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
            folder.rename(away / f"{folder.name}-{stamp}-{secrets.token_hex(4)}")
        finally:
            lock.close()

    def _open_session(self, folder: Path) -> Session:
        """Open a session; its journal is in its folder, or in a database that was named to us."""
        from linkwise.session import Session  # a second to import: the service is up before

        address = read_description(folder).journal
        if address is None:
            return Session.open(folder, engine=self.engine)
        known = self._databases.get(place(address))
        if known is None:
            raise SessionError(
                f"the journal of {folder.name} is in a database that this service was not told to "
                f"trust: {without_secrets(address)}. Start it with --database and that address."
            )
        return Session.open(folder, known, engine=self.engine)

    def _names(self) -> list[str]:
        return [
            folder.name
            for folder in self.root.iterdir()
            if re.fullmatch(SESSION_ID, folder.name)
            and not folder.is_symlink()
            and has_description(folder)
        ]

    def _summary(self, name: str) -> Summary | Session:
        live = self._open.get(name)
        return describe(self.root / name) if live is None else live.session

    def _folder(self, name: str) -> Path:
        folder = self.root / name
        if not re.fullmatch(SESSION_ID, name) or folder.is_symlink() or not has_description(folder):
            raise NotFound(f"there is no session {name}.")
        return folder

    def _limiter(self) -> anyio.CapacityLimiter:
        if self._writers is None:
            self._writers = anyio.CapacityLimiter(MOST_WRITERS)
        return self._writers


def folder_name(data: Path | str, n_clusters: int | str, wish: str = "") -> str:
    """Return the name of the session of a data file: for the same file and wish always the same."""
    return f"{_of_data(data, wish)}{n_clusters}"


def existing_session(
    root: Path, data: Path | str, n_clusters: int | str | None, wish: str = ""
) -> str | None:
    """Return the name of the session made of a data file; of several, the one used last."""
    wanted = f"{_of_data(data, wish)}{'*' if n_clusters is None else n_clusters}"
    found = [folder for folder in root.glob(wanted) if is_session(folder)]
    latest = max(found, key=lambda folder: folder.stat().st_mtime, default=None)
    return None if latest is None else latest.name


def _of_data(data: Path | str, wish: str) -> str:
    told = f"{data}{wish}".encode("utf-8", "surrogateescape")
    known = hashlib.sha256(told).hexdigest()[:8]
    return f"{_slug(Path(data).stem)}-{known}-k"


def _slug(title: str) -> str:
    """Return letters, digits and hyphens that remind of the title."""
    letters = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].strip("-")
    return letters or "session"
