"""The page of the studio, the token it comes in with, and a sign of life."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from linkwise.server.refusals import NotFound, refuses
from linkwise.server.schemas.base import Health
from linkwise.server.security import TOO_MANY, cookie_name
from linkwise.server.service import ServiceHere
from linkwise.session.errors import StorageTrouble

router = APIRouter(tags=["service"])

STUDIO = Path(__file__).parents[1] / "studio"
NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>linkwise</title></head>
<body><h1>linkwise is running</h1>
<p>The page of the studio has not been built. In a checkout of linkwise, run
<code>make studio</code>
and load this page again.</p>
<p>Programs can use the service as it is; its description is at
<a href="/openapi.json">/openapi.json</a>.</p></body></html>
"""


@router.get("/health", responses=refuses())
async def health(service: ServiceHere) -> Health:
    """Say that the service is up; 503 while a database that sessions are kept in is not."""
    troubles = service.shelf.troubles()
    if troubles:
        raise StorageTrouble(
            f"the database of {len(troubles)} open "
            f"{'session' if len(troubles) == 1 else 'sessions'} does not answer. Nothing that "
            f"was acknowledged is lost; new answers are refused until it is back."
        )
    return Health(status="ok", version=version("linkwise"))


@router.get("/", include_in_schema=False)
async def page(request: Request, token: Annotated[str | None, Query()] = None) -> Response:
    """Send the page; with the token, first let the browser keep it in a cookie."""
    if token is not None:
        return await _admit(request, token)
    index = STUDIO / "index.html"
    if not index.is_file():
        return HTMLResponse(NOT_BUILT, headers={"Cache-Control": "no-store"})
    return FileResponse(index, headers={"Cache-Control": "no-cache"})


@router.get("/icon.svg", include_in_schema=False)
async def icon() -> Response:
    """Send the icon of the page."""
    return _file("icon.svg", "no-cache")


@router.get("/assets/{name}", include_in_schema=False)
async def asset(name: str) -> Response:
    """Send a part of the built page; its name changes with its content."""
    return _file(f"assets/{name}", "public, max-age=31536000, immutable")


def _file(name: str, lasting: str) -> Response:
    """Return a file of the built page; names cannot lead out of its folder."""
    file = STUDIO / name
    if not re.fullmatch(r"[\w.-]+", file.name, re.ASCII) or not file.is_file():
        raise NotFound("there is no such page.")
    return FileResponse(file, headers={"Cache-Control": lasting})


async def _admit(request: Request, token: str) -> Response:
    """Exchange the token in the address for a cookie that scripts cannot read."""
    gate, host = request.app.state, request.headers.get("host", "")
    holder = gate.keys.by_token(token)
    if holder is None:
        if not await gate.patience.hold(request.client.host if request.client else ""):
            raise HTTPException(429, TOO_MANY)
        sentence = "<p>This address is not valid (any more). Use the one linkwise printed last.</p>"
        return HTMLResponse(sentence, 401, headers={"WWW-Authenticate": "Bearer"})
    response = RedirectResponse("/", 303, headers={"Cache-Control": "no-store"})
    outside = request.headers.get("x-forwarded-proto", request.url.scheme)  # as a proxy says
    response.set_cookie(
        cookie_name(host),
        gate.keys.cookie(holder, host),
        httponly=True,
        samesite="strict",
        path="/",
        secure="https" in (outside, request.url.scheme),
    )
    return response
