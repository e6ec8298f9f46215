"""Rows as people see them: fields, texts, pictures."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from linkwise.errors import InvalidInput, LinkwiseError
from linkwise.server.refusals import NotFound, refuses
from linkwise.server.schemas.events import Event
from linkwise.server.schemas.sessions import NewRows
from linkwise.server.schemas.views import Around, ColumnValues, Row
from linkwise.server.service import HolderHere, Live, ServiceHere

router = APIRouter(prefix="/api/sessions/{session}", tags=["rows"])

MOST_SHOWN = 200
_PICTURE = {
    "description": "The picture.",
    "content": {
        kind: {"schema": {"type": "string", "format": "binary"}}
        for kind in ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp")
    },
}


@router.get("/rows", responses=refuses(404, 409))
async def rows(
    live: Live,
    rows: Annotated[
        str | None,
        Query(
            pattern=r"^[0-9]{1,10}(,[0-9]{1,10})*$",
            max_length=11 * MOST_SHOWN,
            description=f"Row numbers separated by commas, {MOST_SHOWN} at most.",
        ),
    ] = None,
    id: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=1000)]],
        Query(max_length=MOST_SHOWN, description="Rows by id; may be given several times."),
    ] = [],  # noqa: B006
    fresh: Annotated[
        bool, Query(description="False: clusters by the labels that are ready, without waiting.")
    ] = True,
) -> list[Row]:
    """Return rows for display, in the order asked for, those asked for by number first."""
    wanted: list[int | str] = [int(row) for row in rows.split(",")] if rows else []
    wanted += id
    if not wanted:
        raise InvalidInput("name rows by rows= or by id=.")
    if len(wanted) > MOST_SHOWN:
        raise InvalidInput(f"{len(wanted)} rows are too many, ask for {MOST_SHOWN} at most.")
    found = await live.work(live.session.rows, wanted, fresh)
    return [Row.model_validate(row) for row in found]


@router.get("/search", responses=refuses(404, 409))
async def search(
    live: Live,
    text: Annotated[str, Query(min_length=1, max_length=200, description="What they hold.")],
    limit: Annotated[int, Query(ge=1, le=10_000)] = MOST_SHOWN,
) -> list[int]:
    """Return the first rows whose id, text or any field holds some text, whatever the case."""
    return await live.look_back(live.session.search, text, limit)


@router.get("/column", responses=refuses(404, 409))
async def column(
    live: Live, name: Annotated[str, Query(min_length=1, max_length=1000)]
) -> ColumnValues:
    """Return one column of all rows on the map as small numbers, for colours."""
    try:
        found = await live.look_back(live.session.column, name)
    except InvalidInput as error:  # there is no such column
        raise NotFound(str(error)) from error
    codes = found.codes.tolist()
    return ColumnValues.model_validate({"kind": found.kind, "legend": found.legend, "codes": codes})


@router.get("/rows/{i}/around", responses=refuses(404, 409))
async def around(i: Annotated[int, Path(ge=0, le=2**31 - 1)], live: Live) -> Around:
    """Return the rows most like one, and why it is in its cluster."""
    if i >= live.session.n_rows:
        raise NotFound(f"there is no row {i}; the last is {live.session.n_rows - 1}.")
    return Around.model_validate(await live.look_back(live.session.around, i))


@router.post("/rows", status_code=201, responses=refuses(400, 404, 409, 413))
async def join_rows(wanted: NewRows, live: Live, holder: HolderHere, service: ServiceHere) -> Event:
    """Let the rows of an uploaded file join the session. They stay."""
    path, who = service.uploads.path(wanted.upload), holder.who(wanted.who)
    extend = partial(live.session.extend, path, who=who, key=wanted.key)
    return Event.model_validate(await live.look_back(extend))


@router.get(
    "/rows/{i}/image",
    response_class=Response,
    responses={200: _PICTURE, **refuses(404, 409)},
)
async def image(i: Annotated[int, Path(ge=0, le=2**31 - 1)], live: Live) -> Response:
    """Return the picture of a row."""
    if not live.session.has_images:
        raise NotFound("the rows of this session have no pictures.")
    if i >= live.session.n_rows:
        raise NotFound(f"there is no row {i}; the last is {live.session.n_rows - 1}.")
    try:
        data, kind = await anyio.to_thread.run_sync(live.session.image, i)
    except LinkwiseError as error:  # the file is gone, or not a picture
        raise NotFound(str(error)) from error
    return Response(data, media_type=kind, headers={"Cache-Control": "private, max-age=3600"})
