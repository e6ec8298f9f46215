"""Exports: labels and answers as files to take away."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from linkwise.errors import InvalidInput
from linkwise.server.files.export import write_export
from linkwise.server.refusals import InTheWay, refuses
from linkwise.server.schemas.base import MOST
from linkwise.server.service import Live, ServiceHere, SessionId

router = APIRouter(prefix="/api/sessions/{session}", tags=["exports"])

_TYPES = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "json": "application/json",
    "jsonl": "application/jsonl",
}
_FILE = {
    "description": "The file, as an attachment.",
    "content": {
        kind: {"schema": {"type": "string", "format": "binary"}} for kind in _TYPES.values()
    }
    | {_TYPES["json"]: {"schema": {"type": "object"}}},
}


@router.get("/export", response_class=FileResponse, responses={200: _FILE, **refuses(404, 409)})
async def export(
    session: SessionId,
    live: Live,
    service: ServiceHere,
    what: Annotated[
        Literal["labels", "table", "answers", "links", "names", "history"], Query()
    ] = "labels",
    format: Annotated[
        Literal["csv", "parquet", "json"],
        Query(description="json: links and names only. A history is always JSON lines."),
    ] = "csv",
    raw: Annotated[bool, Query(description="Leave text as it is, for programs.")] = False,
    at: Annotated[
        int | None, Query(ge=0, le=MOST, description="Of labels: after so many events.")
    ] = None,
) -> FileResponse:
    """Return the labels (id, cluster, name, margin) or the answers (who, when, verdict) as a file.

    Links (i, j, kind, weight) and names (id, label) are what was said as linkwise reads it. A table
    is the data with clusters and shares beside them; a history is every event, for the recipe.

    In CSV, text that a spreadsheet would run as a formula gets an apostrophe in front, unless it is
    to be raw; Parquet holds everything as it was said.
    """
    suffix = "jsonl" if what == "history" else format
    wanted = service.exports, what, suffix, raw, at
    try:
        path = await live.look_back(write_export, live.session, *wanted)
    except InvalidInput as error:  # each is known, and they do not go together
        raise InTheWay(str(error)) from error
    return FileResponse(
        path,
        media_type=_TYPES[suffix],
        filename=f"{session}-{what}.{suffix}",
        background=BackgroundTask(path.unlink, missing_ok=True),
    )
