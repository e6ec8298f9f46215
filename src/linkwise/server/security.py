"""Who may come in: nobody, unless everything about the request is as it should be.

Every request passes :class:`Gate` before any route sees it. The host it names must be ours (a
foreign name that points here is how web pages reach services on this machine), a browser must not
send it for another site, and it must carry a token that may do what it asks for, except for the
few open paths below.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from linkwise.server.audit import Audit
from linkwise.server.doors import Doors
from linkwise.server.keys import HOLDER, Holder, Keys
from linkwise.server.patience import Patience
from linkwise.server.refusals import Stopping

logger = logging.getLogger("linkwise.server")

LOOPBACK = ("127.0.0.1", "localhost", "::1")
#: Paths that may be read without a token: the page itself holds no data.
OPEN_PATHS = ("/", "/health", "/icon.svg", "/favicon.ico")
OPEN_FOLDER = "/assets/"
UPLOADS = "/api/uploads"
#: Bytes of an address and its headers.
LONGEST_HEAD = 2**15
#: What a request is allowed to say once; a second one may be meant for somebody else to read.
ONCE = ("host", "authorization", "cookie", "origin", "sec-fetch-site")
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::[0-9]{1,5})?", re.IGNORECASE)

NO_TOKEN = "This needs the token that linkwise printed when it started."
TOO_MANY = "There were too many wrong tokens. Try again later."
FOREIGN_HOST = "This service does not answer to that host name. See --allow-host."
FOREIGN_PAGE = "Pages of other sites may not use this service."

POLICY = (
    "default-src 'self'; connect-src 'self'; img-src 'self' blob: data:; style-src 'self'; "
    "script-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
FAULT = "A fault in linkwise. The log says where; nothing stored was lost."
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Gate:
    """ASGI middleware that refuses by default.

    Parameters
    ----------
    app : ASGI application
        What lies behind the gate.
    keys : Keys
        The tokens that open it.
    doors : Doors
        The connections, among which those with a token are told apart.
    audit : Audit
        Where it is written down who did what.
    patience : Patience
        How long those wait who try tokens.
    body : int
        Most bytes of a body.
    hosts : iterable of str
        Names this service answers to, besides those of the loopback interface.
    """

    def __init__(
        self,
        app: ASGIApp,
        keys: Keys,
        doors: Doors,
        audit: Audit,
        patience: Patience,
        body: int,
        hosts: Iterable[str] = (),
    ) -> None:
        self.app = app
        self.keys, self.doors, self.audit, self.patience = keys, doors, audit, patience
        self.body = body
        self.hosts = {host.lower() for host in (*LOOPBACK, *hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or answer it here."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":  # no route speaks anything else
            return None
        headers = Headers(scope=scope)
        guarded = _Guarded(send, scope["path"])
        holder = None
        refusal = self._odd(scope, headers)
        if refusal is None:
            holder = self._holder(headers)
            refusal = await self._refusal(scope, headers, holder)
        try:
            if refusal is not None:
                return await _answer(guarded, *refusal)
            scope[HOLDER] = holder
            await self._pass(scope, receive, guarded, headers)
        finally:
            if holder is not None and _is_noteworthy(scope, guarded.status):
                self._note(holder, scope, guarded.status)
        return None

    async def _pass(
        self, scope: Scope, receive: Receive, guarded: _Guarded, headers: Headers
    ) -> None:
        """Let the request through; a fault behind the gate is told here."""
        if scope["path"] != UPLOADS:  # uploads count for themselves
            receive = _limited(receive, headers, self.body)
        try:
            await self.app(scope, receive, guarded)
        except ClientDisconnect:
            return
        except asyncio.CancelledError:  # the service ends, and waits no longer
            if guarded.status is not None:
                raise
            await _answer(guarded, 503, str(Stopping()))
        except Exception as error:  # what it says may be data: it stays here
            logger.error("a fault in linkwise", exc_info=error)
            if guarded.status is not None:
                raise ConnectionAbortedError from None
            await _answer(guarded, 500, FAULT)

    def _odd(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Return the refusal of a request that no honest client sends here."""
        size = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        if size + sum(len(name) + len(value) for name, value in headers.raw) > LONGEST_HEAD:
            return 431, f"The address and its headers are longer than {LONGEST_HEAD:,} bytes."
        for name in ONCE:
            if len(headers.getlist(name)) > 1:
                return 400, f"There are two headers called {name}."
        host = headers.get("host", "")
        if _hostname(host) not in self.hosts:
            return 403, FOREIGN_HOST
        if headers.get("origin", f"http://{host}") not in (f"http://{host}", f"https://{host}"):
            return 403, FOREIGN_PAGE
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, FOREIGN_PAGE
        return None

    async def _refusal(
        self, scope: Scope, headers: Headers, holder: Holder | None
    ) -> tuple[int, str] | None:
        """Return the refusal of somebody who may not do this."""
        if holder is not None:
            if not self.doors.welcome(scope.get("client"), holder):
                return 503, "There are too many connections. Close some of them."
            sentence = holder.refusal(scope["method"], scope["path"])
            return None if sentence is None else (403, sentence)
        if _is_open(scope):
            return None
        address = (scope.get("client") or ("",))[0]
        if "authorization" in headers and not await self.patience.hold(address):
            return 429, TOO_MANY
        return 401, NO_TOKEN

    def _holder(self, headers: Headers) -> Holder | None:
        """Return who sent the request, by the token in its header or by its cookie."""
        host = headers.get("host", "")
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.keys.by_token(given.strip())
        return self.keys.by_cookie(_cookie(headers), host)

    def _note(self, holder: Holder, scope: Scope, status: int | None) -> None:
        try:
            did = scope["method"], scope["path"][:200]
            self.audit.note(holder.name or holder.id, holder.role, *did, status or 500)
        except OSError as error:
            logger.error("the audit log cannot be written", exc_info=error)


def _is_noteworthy(scope: Scope, status: int | None) -> bool:
    """Tell whether a request is for the audit log; what was answered is in the journal."""
    if status == 403:
        return True
    told = scope["path"].endswith("/events") and status == 200
    return scope["method"] not in ("GET", "HEAD") and not told


def cookie_name(host: str) -> str:
    """Return the cookie's name; browsers share cookies between ports, so each has its own."""
    _, separator, port = host.rpartition(":")
    return f"linkwise-{port}" if separator and port.isdigit() else "linkwise"


def _cookie(headers: Headers) -> str:
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    morsel = cookies.get(cookie_name(headers.get("host", "")))
    return "" if morsel is None else morsel.value


def _hostname(host: str) -> str:
    """Return the name in a Host header, without the port; nothing if it is not well formed."""
    found = _HOST.fullmatch(host)
    return "" if found is None else (found[1] or found[2]).lower()


def _is_open(scope: Scope) -> bool:
    if scope["method"] not in ("GET", "HEAD"):
        return False
    path: str = scope["path"]
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)


class _Guarded:
    """Puts the security headers on whatever is sent; ``status`` is None until something was."""

    def __init__(self, send: Send, path: str) -> None:
        self._send, self._path = send, path
        self.status: int | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            if self._path.startswith("/api/"):
                headers.setdefault("Cache-Control", "no-store")
        await self._send(message)


def _limited(receive: Receive, headers: Headers, most: int) -> Receive:
    """Return ``receive`` that stops reading a body that is too long."""
    announced = headers.get("content-length", "")
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most or (announced.isdecimal() and int(announced) > most):
            raise HTTPException(413, f"The body is longer than {most:,} bytes.")
        return message

    return counted


async def _answer(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers: list[Any] = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),  # nobody waits for the rest
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
