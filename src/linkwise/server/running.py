"""Running the service: one process, one event loop, an orderly end."""

from __future__ import annotations

import html
import os
import secrets
import socket
import ssl
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import uvicorn
from fastapi import FastAPI

from linkwise.errors import InvalidInput
from linkwise.server.doors import GUEST_REST, Connection
from linkwise.server.live.memory import keep_few_pools
from linkwise.server.refusals import InTheWay
from linkwise.server.security import LONGEST_HEAD, LOOPBACK

SHORTEST_TOKEN = 16
SECONDS_TO_FINISH = 10
#: A browser has read by then the file that leads it in.
SECONDS_TO_ENTER = 60
#: Connections taken in at once, between two looks at those that are there, and those that may wait
#: outside meanwhile; asyncio knows one number for both.
AT_ONCE, WAITING = 32, 1024
#: Seconds that a thread which computes keeps the interpreter from one that answers somebody.
SHARE_EVERY = 0.0005


class Certificate(NamedTuple):
    """What HTTPS is spoken with: the file of a certificate and that of its key, if apart."""

    file: Path
    key: Path | None = None

    def context(self) -> ssl.SSLContext:
        """Return what hands are shaken with."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            context.load_cert_chain(self.file, self.key)
        except ssl.SSLError:
            files = self.file if self.key is None else f"{self.file} and {self.key}"
            raise InvalidInput(
                f"{files}: expected a certificate and its private key, both in PEM form."
            ) from None
        return context


class Server(uvicorn.Server):
    """A server that lets listeners go before it waits for the others to finish."""

    def __init__(
        self,
        app: FastAPI,
        when_ready: Callable[[], None] | None = None,
        https: ssl.SSLContext | None = None,
        when_over: Callable[[], None] | None = None,
    ) -> None:
        config = uvicorn.Config(
            app,
            http=partial(Connection, doors=app.state.doors, https=https),  # type: ignore[arg-type]
            backlog=AT_ONCE,
            timeout_keep_alive=GUEST_REST,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=SECONDS_TO_FINISH,
            lifespan="on",
            ws="none",
            h11_max_incomplete_event_size=LONGEST_HEAD,
        )
        super().__init__(config)
        self._app, self._when_ready, self._when_over = app, when_ready, when_over

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, then say so, and load what the first session will need."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(WAITING)
        if self.started and self._when_ready is not None:
            self._when_ready()
        Thread(target=import_module, args=("linkwise.session.session",), daemon=True).start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, finish the requests, close the sessions.

        A signal that ended the service ends the process next, before anybody else can tidy up.
        """
        self._app.state.service.shelf.end_streams()
        await super().shutdown(sockets)
        if self._when_over is not None:
            self._when_over()


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket, or say why there can be none; port 0 is any free one.

    The protocol is named, as asyncio sends small replies at once (TCP_NODELAY) only where it sees
    TCP. Otherwise each of them would wait until the one before was acknowledged, some 40 ms.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        reason = (error.strerror or "it cannot be used").lower()
        raise InTheWay(f"port {port} of {host}: {reason}. Choose another with --port.") from None
    listener.listen(WAITING)
    return listener


def check_public(host: str, https: Certificate | None, plain_http: bool) -> None:
    """Refuse to speak beyond this machine in a way that anybody in between can read."""
    try:
        local = ip_address(host).is_loopback
    except ValueError:
        local = host.lower() == "localhost"
    if local or https is not None or plain_http:
        return
    raise InvalidInput(
        f"--host {host} can be reached from other machines, and without HTTPS everybody in between "
        "can read the token. Listen on 127.0.0.1 behind a server that speaks HTTPS, give a "
        "certificate with --cert, or say --plain-http."
    )


def address(listener: socket.socket, https: Certificate | None = None) -> str:
    """Return the address for people on this machine, such as http://127.0.0.1:8321."""
    host, port = listener.getsockname()[:2]
    scheme = "http" if https is None else "https"
    if host in ("0.0.0.0", "::"):
        host = LOOPBACK[0]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def read_token(path: Path | None) -> str:
    """Return the token kept in a file, made with the first use; without a file, a new one."""
    if path is None:
        return secrets.token_urlsafe(32)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        if path.stat().st_mode & 0o077 and os.name == "posix":
            raise InvalidInput(
                f"{path} can be read or written by others, so what is in it is no secret. Take "
                f"their rights away (chmod 600 {path}), or remove the file for a new token."
            ) from None
        token = path.read_text("utf-8", errors="replace").strip()
        if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
            raise InvalidInput(
                f"{path} does not hold a token: {SHORTEST_TOKEN} characters or more, letters and "
                "digits. Remove the file, and a new token is written to it."
            ) from None
        return token
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        token = secrets.token_urlsafe(32)
        file.write(token + "\n")
    return token


class WayIn:
    """A private file that sends a browser on to an address, for as long as a block lasts.

    A browser is told where to go on its command line, which everybody on this machine can read. So
    it is told the name of a file, and the address with the token stands in there. What a process
    that was killed left behind goes when the next one begins.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._file = root / f".way-in-{secrets.token_hex(8)}.html"

    def to(self, address: str) -> str:
        """Return the address of the file that leads to ``address``."""
        going = html.escape(f"0; url={address}")
        page = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="{going}">'
        descriptor = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{page}<title>linkwise</title>\n")
        return self._file.resolve().as_uri()

    def __enter__(self) -> WayIn:
        for left in self._root.glob(".way-in-*.html"):
            if left.lstat().st_mtime < time.time() - SECONDS_TO_ENTER:
                left.unlink(missing_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the file."""
        self._file.unlink(missing_ok=True)


def run(
    app: FastAPI,
    listener: socket.socket,
    when_ready: Callable[[], Any] | None = None,
    https: Certificate | None = None,
    when_over: Callable[[], Any] | None = None,
) -> None:
    """Serve until the process is told to stop."""
    keep_few_pools()
    sys.setswitchinterval(SHARE_EVERY)
    app.state.doors.make_room()
    context = None if https is None else https.context()
    Server(app, when_ready, context, when_over).run(sockets=[listener])
