"""Sessions: which there are, beginning one, putting one away."""

from __future__ import annotations

from typing import Any

import anyio.to_thread
from fastapi import APIRouter, Response

from linkwise.errors import LinkwiseError
from linkwise.server.creation import creation
from linkwise.server.refusals import refuses
from linkwise.server.schemas.sessions import (
    Column,
    NewSession,
    SessionDetail,
    SessionSummary,
    Started,
)
from linkwise.server.service import HolderHere, Live, ServiceHere, SessionId

router = APIRouter(prefix="/api/sessions", tags=["sessions"])


@router.get("", responses=refuses())
async def list_sessions(service: ServiceHere, holder: HolderHere) -> list[SessionSummary]:
    """List the sessions that the token opens, the latest first."""
    found = await anyio.to_thread.run_sync(service.shelf.summaries)
    seen = [(name, about) for name, about in found if holder.sees(name)]
    return [SessionSummary(**_about(name, about)) for name, about in seen]


@router.post("", status_code=202, responses=refuses(400, 404, 409, 413))
async def begin_session(wanted: NewSession, service: ServiceHere) -> Started:
    """Begin a session of an uploaded, bundled or local data set; the work is a job."""
    job = service.jobs.start("building the ensemble", creation(service, wanted))
    return Started(job=job.job)


@router.get("/{session}", responses=refuses(404, 409))
async def get_session(session: SessionId, live: Live) -> SessionDetail:
    """Describe a session and what can be asked of it."""
    about = live.session
    return SessionDetail(
        **_about(session, about),
        grouped_by=about.grouped_by,
        left_out=about.left_out,
        notes=about.notes,
        n_unusable=len(about.unusable),
        columns=[Column.model_validate(column) for column in about.columns],
        has_images=about.has_images,
        has_text=about.has_text,
        layouts=list(about.layouts),
        n_on_map=about.n_rows if about.on_map is None else len(about.on_map),
        strategies=list(about.strategies),
    )


@router.delete("/{session}", status_code=204, responses=refuses(404, 409))
async def remove_session(session: SessionId, service: ServiceHere) -> Response:
    """Put a session away. Nothing is deleted: its folder moves to ``.removed``."""
    await service.shelf.remove(session)
    return Response(status_code=204)


def _about(name: str, about: object) -> dict[str, Any]:
    if isinstance(about, LinkwiseError):
        nothing = {"name": name, "n_rows": 0, "n_clusters": 0, "seq": None, "created": ""}
        return {"id": name, **nothing, "damage": str(about)}
    fields = ("name", "n_rows", "n_clusters", "seq", "created")
    return {"id": name, **{field: getattr(about, field) for field in fields}}
