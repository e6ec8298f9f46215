"""Refusals: which status goes with which error, and one shape for all of them."""

from __future__ import annotations

import errno
import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from linkwise.errors import InvalidInput, LinkwiseError, MissingData, MissingExtra
from linkwise.server.faults import printable, sentence_of
from linkwise.server.schemas.base import Refusal
from linkwise.session.errors import KeyReused, SessionError, StorageTrouble

logger = logging.getLogger("linkwise.server")

MEANING = {
    400: "The body cannot be read, or a header that may be there once is there twice.",
    401: "The token is missing or wrong.",
    403: "The token may not do this, or the request names a foreign host or comes from a page of "
    "another site.",
    404: "There is no such thing.",
    409: "It does not fit what is already there.",
    413: "The body is too long.",
    429: "There were too many wrong tokens.",
    431: "The address and its headers are too long.",
    422: "The request says something that cannot be; the sentence tells what.",
    503: "It cannot be done right now, for example because the disk is full. Nothing was lost.",
}


#: What the framework says of a body that is nested too deeply.
_UNREADABLE = "There was an error parsing the body."


class NotFound(LinkwiseError):
    """What the request names is not there."""


class InTheWay(LinkwiseError):
    """The request does not fit what is already there."""


class Stopping(LinkwiseError):
    """The service is on its way out."""

    def __init__(self) -> None:
        super().__init__("the service is stopping. Try again when it is back.")


class Busy(LinkwiseError):
    """More is waiting than can be done soon."""


class TooLarge(LinkwiseError):
    """More bytes than the service takes."""


def refuses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the documentation of the refusals of a route, the usual ones included."""
    every = sorted({400, 401, 403, 422, 429, 431, 503, *statuses})
    return {status: {"model": Refusal, "description": MEANING[status]} for status in every}


def status_of(error: LinkwiseError) -> int:
    """Return the HTTP status for an error that linkwise raised on purpose."""
    for kind, status in _STATUS:
        if isinstance(error, kind):
            return status
    return 422


_STATUS: tuple[tuple[type[LinkwiseError], int], ...] = (
    (NotFound, 404),
    (InTheWay, 409),
    (KeyReused, 409),
    (TooLarge, 413),
    (Stopping, 503),
    (Busy, 503),
    (StorageTrouble, 503),
    (MissingExtra, 503),
    (SessionError, 409),
    (MissingData, 409),
)


def refuse_unknown_parameters(request: Request) -> None:
    """Refuse a misspelt parameter of the address, which would otherwise be ignored."""
    if not request.query_params:
        return
    path = request.app.openapi()["paths"].get(request.scope["route"].path, {})
    parameters = path.get(request.method.lower(), {}).get("parameters", ())
    known = [one["name"] for one in parameters if one["in"] == "query"]
    for name in request.query_params:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise InvalidInput(f'there is no parameter "{printable(name)}". Known: {listed}.')


def answer_refusals(app: FastAPI) -> None:
    """Turn errors into sentences with a status; those nobody foresaw are left to the gate."""

    @app.exception_handler(LinkwiseError)
    async def on_purpose(_: Request, error: LinkwiseError) -> JSONResponse:
        return _refuse(status_of(error), str(error))

    @app.exception_handler(RequestValidationError)
    async def wrong_shape(_: Request, error: RequestValidationError) -> JSONResponse:
        return _refuse(422, sentence_of(error.errors(), error.body))

    @app.exception_handler(HTTPException)
    async def by_the_framework(_: Request, error: HTTPException) -> JSONResponse:
        sentence = f"{str(error.detail).removesuffix('.')}."
        if sentence == _UNREADABLE:
            sentence = "the body is not JSON that can be read."
        return _refuse(error.status_code, sentence, error.headers)

    @app.exception_handler(OSError)
    async def by_the_machine(_: Request, error: OSError) -> JSONResponse:
        logger.error("the machine refused", exc_info=error)
        if error.errno == errno.ENOSPC:
            return _refuse(503, "The disk is full. Nothing was stored; nothing was lost.")
        return _refuse(503, "A file could not be read or written. The log says where.")


def _refuse(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    unread = {"Connection": "close"} if status == 413 else {}  # nobody waits for the rest
    return JSONResponse({"error": sentence}, status, headers={**(headers or {}), **unread})
