"""Logs: one JSON object per line, about requests and faults, never about data.

A line holds the route's pattern, not the path that was asked for; the type of an error and where
it was raised, not its message. So a log can be shown to anyone. What repeats, such as refusals of
strangers, is told once a minute with the number of times, so that nobody can fill the disk.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
import warnings
from typing import Any, TextIO

from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger("linkwise.server")

_FIELDS = (
    *("method", "route", "status", "milliseconds", "session", "job", "what", "state", "times"),
    *("error", "places"),
)
#: Answers to people who have not come in: their requests are not told one by one.
REFUSALS = (400, 401, 403, 429, 431)
REPEAT_AFTER = 60.0
_MOST_KINDS = 1000


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            line |= _fault(record.exc_info[1])
        return json.dumps(line)


class Seldom(logging.Filter):
    """Lets a line that repeats through once a minute, with how often it came since."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[object, ...], float] = {}
        self._held: dict[tuple[object, ...], int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether the line is to be written."""
        status = getattr(record, "status", None)
        if record.levelno < logging.WARNING and status not in REFUSALS:
            return True
        error = record.exc_info[0] if record.exc_info else None
        where = getattr(record, "session", None) or getattr(record, "job", None)
        places = tuple(getattr(record, "places", ()))
        kind = (record.name, record.msg, status, error, where, places)
        last = self._last.get(kind)
        if last is not None and record.created - last < REPEAT_AFTER:
            self._held[kind] = self._held.get(kind, 0) + 1
            return False
        if len(self._last) >= _MOST_KINDS:
            self._last.clear()
            self._held.clear()
        self._last[kind] = record.created
        held = self._held.pop(kind, 0)
        if held:
            record.times = held + 1
        return True


def log_to(stream: TextIO | None = None, level: int = logging.INFO) -> None:
    """Send the log of the service to a stream, stderr by default."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(Seldom())
    others = [logging.getLogger(name) for name in ("linkwise", "uvicorn.error", "asyncio")]
    for log in (logger, *others):
        log.handlers = [handler]
        log.setLevel(level if log is logger else max(level, logging.WARNING))
        log.propagate = False


def log_warnings() -> None:
    """Log warnings too: of which kind and from where, as their words may be data."""

    def note(
        message: Warning | str,  # noqa: ARG001
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,  # noqa: ARG001
        line: str | None = None,  # noqa: ARG001
    ) -> None:
        place = f"{filename.replace(os.sep, '/').rpartition('/')[2]}:{lineno}"
        logger.warning("a warning", extra={"error": category.__name__, "places": [place]})

    warnings.showwarning = note


class AccessLog:
    """ASGI middleware: a line per request, written when the answer is complete."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and take the time."""
        if scope["type"] != "http" or not logger.isEnabledFor(logging.INFO):
            return await self.app(scope, receive, send)
        started = time.perf_counter()
        status = 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            elapsed = round(1000 * (time.perf_counter() - started), 1)
            method = scope["method"] if scope["method"].isalpha() else "odd"
            fields = {"method": method[:10], "route": route, "status": status}
            logger.info("request", extra={**fields, "milliseconds": elapsed})
        return None


def _fault(error: BaseException) -> dict[str, Any]:
    """Return the type of an error and the places it went through."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in frames]
    return {"error": type(error).__name__, "places": places[-10:]}
