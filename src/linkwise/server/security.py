"""Who may come in: nobody, unless everything about the request is as it should be.

Every request passes :class:`Gate` before any route sees it. The host it names must be ours (a
foreign name that points here is how web pages reach services on this machine), a browser must not
send it for another site, and it must carry the token, except for the few open paths below.
"""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger("linkwise.server")

LOOPBACK = ("127.0.0.1", "localhost", "::1")
#: Paths that may be read without a token: the page itself holds no data.
OPEN_PATHS = ("/", "/health", "/icon.svg", "/favicon.ico")
OPEN_FOLDER = "/assets/"
UPLOADS = "/api/uploads"
MOST_BODY = 16 * 2**20

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
    token : str
        The secret that opens it.
    hosts : iterable of str
        Names this service answers to, besides those of the loopback interface.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str] = ()) -> None:
        self.app = app
        self.token = token
        self.hosts = {host.lower() for host in (*LOOPBACK, *hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or answer it here."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":  # no route speaks anything else
            return None
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        guarded = _Guarded(send, scope["path"])
        if refusal is not None:
            return await _answer(guarded, *refusal)
        if scope["path"] != UPLOADS:  # uploads count for themselves
            receive = _limited(receive, headers)
        try:
            return await self.app(scope, receive, guarded)
        except ClientDisconnect:
            return None
        except Exception as error:  # what it says may be data: it stays here
            logger.error("a fault in linkwise", exc_info=error)
            if guarded.started:
                raise ConnectionAbortedError from None
            return await _answer(guarded, 500, FAULT)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Return the status and the sentence for a request that must not come in."""
        host = headers.get("host", "")
        if _hostname(host) not in self.hosts:
            return 403, "This service does not answer to that host name. See --allow-host."
        origins = headers.getlist("origin")
        if any(origin not in (f"http://{host}", f"https://{host}") for origin in origins):
            return 403, "Pages of other sites may not use this service."
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "Pages of other sites may not use this service."
        if _is_open(scope) or self.knows(headers):
            return None
        return 401, "This needs the token that linkwise printed when it started."

    def knows(self, headers: Headers) -> bool:
        """Return whether the request carries the token, in its header or its cookie."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return same_secret(given.strip(), self.token)
        return same_secret(_cookie(headers), self.token)


def same_secret(given: str, token: str) -> bool:
    """Compare in a time that does not depend on how much of the secret is right."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


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
    """Return the name in a Host header, without the port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _is_open(scope: Scope) -> bool:
    if scope["method"] not in ("GET", "HEAD"):
        return False
    path: str = scope["path"]
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)


class _Guarded:
    """Puts the security headers on whatever is sent, and knows whether anything was."""

    def __init__(self, send: Send, path: str) -> None:
        self._send, self._path = send, path
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            if self._path.startswith("/api/"):
                headers.setdefault("Cache-Control", "no-store")
        await self._send(message)


def _limited(receive: Receive, headers: Headers) -> Receive:
    """Return ``receive`` that stops reading a body that is too long."""
    announced = headers.get("content-length", "")
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST_BODY or (announced.isdigit() and int(announced) > MOST_BODY):
            raise HTTPException(413, f"The body is longer than {MOST_BODY:,} bytes.")
        return message

    return counted


async def _answer(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers: list[Any] = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
