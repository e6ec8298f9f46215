"""Tokens: who holds one, what it opens, and the cookie that stands for it in a browser.

The owner's token opens everything. Others have a name and a role, for all sessions or for one;
their file holds no token, only the hash of each. *look* reads, *answer* also tells events,
*manage* does everything else too.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import re
import secrets
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from linkwise.errors import InvalidInput, LinkwiseError, MissingData
from linkwise.files.headed import Format

logger = logging.getLogger("linkwise.server")

FORMAT = Format("linkwise tokens", 1)
FILE = ".tokens.json"
ROLES = ("look", "answer", "manage")
#: Where the holder of the token is found in the scope of a request.
HOLDER = "linkwise.holder"
COOKIE_LASTS = 30 * 24 * 3600
#: What may be told by somebody who answers, below the address of a session.
TOLD = ("events", "layout")


@dataclass(frozen=True)
class Holder:
    """Somebody with a token.

    Attributes
    ----------
    id : str
        Tells holders apart, also those of the same name one after the other.
    name : str
        Who it is; empty for the owner.
    role : str
        One of ``ROLES``.
    session : str or None
        The only session it opens; None opens all.
    """

    id: str
    name: str
    role: str
    session: str | None = None

    def refusal(self, method: str, path: str) -> str | None:
        """Return the sentence that refuses this holder a request; None lets it through."""
        role, session = demand(method, path)
        if self.session is not None and session not in (self.session, None):
            return "This token opens another session only."
        if ROLES.index(role) > ROLES.index(self.role):
            return f"This token may {self.role}; it takes one that may {role}."
        if self.session is not None and session is None and role != "look":
            return "This token opens one session only."
        return None

    def sees(self, session: str) -> bool:
        """Tell whether a session is to be listed."""
        return self.session in (None, session)

    def who(self, typed: str) -> str:
        """Return who said something: the holder of the token; the owner may say who it was."""
        return self.name or typed

    def asked(self, typed: str | None) -> str | None:
        """Return whose the questions are that they get; who may not answer takes none away."""
        return typed if not self.name else None if self.role == "look" else self.name


OWNER = Holder("owner", "", "manage")


def demand(method: str, path: str) -> tuple[str, str | None]:
    """Return the role that a request takes, and the session it is about."""
    _, _, below = path.partition("/api/sessions/")
    session, _, rest = below.partition("/")
    if path.startswith("/api/files"):  # the owner's disk
        return "manage", None
    if method in ("GET", "HEAD"):
        return "look", session or None
    told = session and rest.partition("/")[0] in TOLD and method == "POST"
    return "answer" if told else "manage", session or None


class Keys:
    """The tokens of a service: the owner's, and those in the file below its root."""

    def __init__(self, token: str, root: Path) -> None:
        self._owner = _hash(token)
        self._cookies = hmac.digest(token.encode(), b"linkwise cookies", "sha256")
        self._file = TokenFile(root)
        self._seen: object = None
        self._holders: dict[str, Holder] = {}

    def by_token(self, given: str) -> Holder | None:
        """Return the holder of a token; looked up by hash, so time tells nothing about it."""
        known = _hash(given)
        return OWNER if hmac.compare_digest(known, self._owner) else self._named().get(known)

    def holders(self) -> set[Holder]:
        """Return everybody whose token is good."""
        return {OWNER, *self._named().values()}

    def by_cookie(self, cookie: str, host: str) -> Holder | None:
        """Return the holder for whom this cookie was made, at this name and port, not long ago."""
        mac, _, rest = cookie.partition(".")
        holder, _, expires = rest.partition(".")
        if not expires.isdecimal() or not hmac.compare_digest(
            mac.encode("utf-8", "replace"), self._mac(holder, expires, host).encode()
        ):
            return None
        if int(expires) < time.time():
            return None
        return next((one for one in (OWNER, *self._named().values()) if one.id == holder), None)

    def cookie(self, holder: Holder, host: str) -> str:
        """Return a cookie for a browser that showed a token; the token is not in it."""
        expires = str(int(time.time()) + COOKIE_LASTS)
        return f"{self._mac(holder.id, expires, host)}.{holder.id}.{expires}"

    def _mac(self, holder: str, expires: str, host: str) -> str:
        said = "\n".join((holder, expires, host)).encode("utf-8", "replace")
        return hmac.digest(self._cookies, said, "sha256").hex()

    def _named(self) -> dict[str, Holder]:
        """Return the holders in the file by hash; it is read again when it has changed."""
        stamp = self._file.stamp()
        if stamp != self._seen:
            self._seen, self._holders = stamp, {}
            try:
                self._holders = {one.sha256: one.holder for one in self._file.read()}
            except (LinkwiseError, RecursionError) as error:  # then only the owner comes in
                logger.error("the file of the tokens cannot be read", exc_info=error)
        return self._holders


@dataclass(frozen=True)
class Given:
    """A token that was given to somebody, as the file remembers it."""

    id: str
    name: str
    role: str
    session: str | None
    sha256: str
    created: str

    @property
    def holder(self) -> Holder:
        """Who holds it."""
        return Holder(self.id, self.name, self.role, self.session)


class TokenFile:
    """The file of the tokens that were given to others, below the root of a service."""

    def __init__(self, root: Path) -> None:
        self._path = root / FILE

    def stamp(self) -> object:
        """Return something that changes when the file does."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def read(self) -> list[Given]:
        """Return all tokens that are good."""
        try:
            content = FORMAT.read(self._path)
        except MissingData:
            return []
        try:
            return [_checked(Given(**one)) for one in content["tokens"]]
        except (KeyError, TypeError) as error:
            raise InvalidInput(
                f"{self._path} is damaged: {error}. Remove it; tokens in it are then void."
            ) from None

    def add(self, name: str, role: str, session: str | None = None) -> str:
        """Give a token to somebody and return it; it is not kept anywhere."""
        token = secrets.token_urlsafe(32)
        given = self.read()
        if any(one.name == name for one in given):
            raise InvalidInput(f"{name} has a token already. Revoke it first, or choose a name.")
        now = datetime.now(UTC).isoformat(timespec="seconds")
        new = Given(secrets.token_hex(4), name, role, session, _hash(token), now)
        self._write([*given, _checked(new)])
        return token

    def revoke(self, name: str) -> None:
        """Make a token void, and the cookies made from it, at once."""
        given = self.read()
        kept = [one for one in given if one.name != name]
        if len(kept) == len(given):
            raise InvalidInput(f"nobody called {name} has a token.")
        self._write(kept)

    def _write(self, given: Iterable[Given]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        draft = self._path.with_name(f"{FILE}.{os.getpid()}.new")
        text = FORMAT.text({"tokens": [asdict(one) for one in given]}, indent=1)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        os.replace(draft, self._path)


def _checked(given: Given) -> Given:
    """Return what was given if it makes sense; a name is a short line that can be printed."""
    fits = all(isinstance(value, str) for value in (given.id, given.name, given.sha256))
    if not fits or not re.fullmatch(r"\S(.{0,58}\S)?", given.name) or not given.name.isprintable():
        raise InvalidInput(f"{given.name!r} is not a name of 1 to 60 characters.")
    if given.role not in ROLES:
        raise InvalidInput(f"{given.role!r} is not a role. There are {', '.join(ROLES)}.")
    return replace(given)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def described(given: Given) -> dict[str, Any]:
    """Return what a list of tokens shows."""
    return {name: getattr(given, name) for name in ("name", "role", "session", "created")}
