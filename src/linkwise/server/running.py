"""Running the service: one process, one event loop, an orderly end."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from linkwise.errors import InvalidInput
from linkwise.server.live.memory import keep_few_pools
from linkwise.server.refusals import InTheWay
from linkwise.server.security import LOOPBACK

SHORTEST_TOKEN = 16
SECONDS_TO_FINISH = 10
#: Bytes of an address and its headers; beyond, the connection is cut.
LONGEST_HEAD = 2**18


class Server(uvicorn.Server):
    """A server that lets listeners go before it waits for the others to finish."""

    def __init__(self, app: FastAPI, when_ready: Callable[[], None] | None = None) -> None:
        config = uvicorn.Config(
            app,
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
        self._app, self._when_ready = app, when_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, then say so."""
        await super().startup(sockets)
        if self.started and self._when_ready is not None:
            self._when_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, finish the requests, close the sessions."""
        self._app.state.service.shelf.end_streams()
        await super().shutdown(sockets)


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
    listener.listen(1024)
    return listener


def address(listener: socket.socket) -> str:
    """Return the address for people on this machine, such as http://127.0.0.1:8321."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = LOOPBACK[0]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def read_token(path: Path | None) -> str:
    """Return the token kept in a file, made with the first use; without a file, a new one."""
    if path is None:
        return secrets.token_urlsafe(32)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        token = path.read_text("utf-8").strip()
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


def run(app: FastAPI, listener: socket.socket, when_ready: Callable[[], Any] | None = None) -> None:
    """Serve until the process is told to stop."""
    keep_few_pools()
    Server(app, when_ready).run(sockets=[listener])
