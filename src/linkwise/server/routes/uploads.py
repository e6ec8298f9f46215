"""Files: those that come in, and those that are here."""

from __future__ import annotations

from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Query, Request

from linkwise.server.refusals import refuses
from linkwise.server.schemas.sessions import DataFile, Encoding, Upload
from linkwise.server.service import ServiceHere

router = APIRouter(prefix="/api", tags=["files"])

_Encoding = Annotated[
    Encoding | None, Query(description="Encoding of a file of text; left out, it is found out.")
]
_RAW = {
    "required": True,
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}


@router.post(
    "/uploads",
    status_code=201,
    responses=refuses(413),
    openapi_extra={"requestBody": _RAW},
)
async def upload_file(
    request: Request,
    service: ServiceHere,
    name: Annotated[str, Query(min_length=1, max_length=255, description="What it is called.")],
    encoding: _Encoding = None,
) -> Upload:
    """Take in a data file, sent as the body as it is, and describe its columns."""
    return Upload.model_validate(await service.uploads.take(name, request.stream(), encoding))


@router.get("/files", responses=refuses())
async def list_files(service: ServiceHere) -> list[str]:
    """List the data files below the folder the service was given with --data."""
    return await anyio.to_thread.run_sync(service.files.names)


@router.get("/files/description", responses=refuses(404))
async def describe_file(
    service: ServiceHere,
    file: Annotated[str, Query(min_length=1, max_length=1000, description="As it is listed.")],
    encoding: _Encoding = None,
) -> DataFile:
    """Describe a data file of the folder: its columns, what they are taken for, and why."""
    readers = service.uploads.readers
    found = await anyio.to_thread.run_sync(service.describe_file, file, encoding, limiter=readers)
    return DataFile.model_validate({"name": file, **found})
