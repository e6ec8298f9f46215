"""Where a running service is reached: a file in the folder of its sessions.

The service writes it, for its owner alone; of several that share the folder, each one of its own.
Commands about one of these sessions read it, and talk
to the service instead of opening the session themselves. A file that somebody else could have
written is not believed, nor one whose process is over, nor an address that is not this machine's:
the token goes where the file says.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

FILE = ".service.json"
#: Those of services that came when there was one already.
_OTHERS = ".service-*.json"
TOKEN_VARIABLE = "LINKWISE_TOKEN"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Announcement:
    """A service: its address, the token if it can be known, and its certificate if it has one."""

    url: str
    token: str | None
    certificate: Path | None = None


@contextmanager
def announced(
    root: Path, url: str, token_file: Path | None, certificate: Path | None = None
) -> Iterator[Callable[[], None]]:
    """Tell where the service of the sessions below ``root`` is, for the length of a block.

    The block is lent what takes it back before, as a signal may not let it reach its end.
    """
    path, draft = _place(root), root / f"{FILE}.{os.getpid()}.new"
    kept = None if token_file is None else str(token_file.resolve())
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        shown = None if certificate is None else str(certificate.resolve())
        told = {"url": url, "token_file": kept, "certificate": shown, "process": os.getpid()}
        json.dump(told, file)
    os.replace(draft, path)

    def take_back() -> None:
        if _read(path).get("process") == os.getpid():
            path.unlink(missing_ok=True)

    try:
        yield take_back
    finally:
        take_back()


def find_service(folder: Path) -> Announcement | None:
    """Return the service that a session's folder belongs to, if one has announced itself.

    Of several it is the one that holds the session, or the latest.
    """
    found = [one for one in _announcements(folder.resolve().parent) if _is_believed(one)]
    if not found:
        return None
    holder = _holder(folder)
    told = next((one for one in found if one["process"] == holder), found[-1])
    url, token_file = str(told["url"]), told.get("token_file")
    token = os.environ.get(TOKEN_VARIABLE)
    if not token and isinstance(token_file, str) and _is_private(Path(token_file)):
        token = Path(token_file).read_text("utf-8", "replace").strip()
    shown = told.get("certificate")
    return Announcement(url, token or None, Path(shown) if isinstance(shown, str) else None)


def _place(root: Path) -> Path:
    """Return where to write, which is not where another service that runs has written."""
    for path in root.glob(_OTHERS):
        if not _is_alive(_read(path).get("process")):
            path.unlink(missing_ok=True)
    there = _read(root / FILE).get("process")
    if there == os.getpid() or not _is_alive(there):
        return root / FILE
    return root / _OTHERS.replace("*", str(os.getpid()))


def _announcements(root: Path) -> list[dict[str, object]]:
    """Return what services of a folder have written, the latest last."""
    return [_read(path) for path in sorted((root / FILE, *root.glob(_OTHERS)), key=_written)]


def _written(path: Path) -> float:
    return path.lstat().st_mtime if path.exists() else 0.0


def _is_believed(told: dict[str, object]) -> bool:
    url = told.get("url")
    here = isinstance(url, str) and urlsplit(url).hostname in _LOOPBACK
    return here and _is_alive(told.get("process"))


def _holder(folder: Path) -> int | None:
    """Return the process that held a session last, as far as it is known."""
    from linkwise.session.journal.lock import HOLDER_FILE

    try:
        text = (folder / HOLDER_FILE).read_text("ascii", "replace").strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None


def _is_alive(process: object) -> bool:
    """Tell whether a process runs; one that was killed could not take its word back."""
    if not isinstance(process, int) or process <= 0:
        return False
    if os.name == "nt":  # where signal 0 would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _read(path: Path) -> dict[str, object]:
    if not _is_private(path):
        return {}
    try:
        told = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _is_private(path: Path) -> bool:
    """Tell whether a plain file is ours and nobody else may read or write it."""
    try:
        found = path.lstat()
    except OSError:
        return False
    ours = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    closed = os.name == "nt" or not found.st_mode & 0o077
    return stat.S_ISREG(found.st_mode) and ours and closed
