"""Jobs: how far they are, and stopping them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from linkwise.server.refusals import refuses
from linkwise.server.schemas.sessions import Job
from linkwise.server.service import ServiceHere

router = APIRouter(prefix="/api/jobs", tags=["jobs"])

JobId = Annotated[str, Path(pattern=r"^j[0-9a-f]{16}$", description="Name of the job.")]


@router.get("/{job}", responses=refuses(404))
async def get_job(job: JobId, service: ServiceHere) -> Job:
    """Say how far a job is."""
    return Job.model_validate(service.jobs.get(job))


@router.delete("/{job}", responses=refuses(404))
async def cancel_job(job: JobId, service: ServiceHere) -> Job:
    """Ask a job to stop; it may take a moment, so look at its state."""
    return Job.model_validate(service.jobs.cancel(job))
