"""Rows as people see them: fields, texts, pictures."""

from __future__ import annotations

from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Path, Query, Response

from linkwise.errors import InvalidInput, LinkwiseError
from linkwise.server.refusals import NotFound, refuses
from linkwise.server.schemas.views import Row
from linkwise.server.service import Live

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
        str,
        Query(
            pattern=r"^[0-9]{1,10}(,[0-9]{1,10})*$",
            max_length=11 * MOST_SHOWN,
            description=f"Row numbers separated by commas, {MOST_SHOWN} at most.",
        ),
    ],
    fresh: Annotated[
        bool, Query(description="False: clusters by the labels that are ready, without waiting.")
    ] = True,
) -> list[Row]:
    """Return rows for display, in the order asked for."""
    wanted = [int(row) for row in rows.split(",")]
    if len(wanted) > MOST_SHOWN:
        raise InvalidInput(f"{len(wanted)} rows are too many, ask for {MOST_SHOWN} at most.")
    found = await live.work(live.session.rows, wanted, fresh)
    return [Row.model_validate(row) for row in found]


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
