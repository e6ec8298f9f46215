"""What all routes work with: sessions, jobs, files that came and files that were here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi import Path as FromPath

from linkwise.errors import InvalidFile, InvalidInput
from linkwise.server.files.export import ExportFolder
from linkwise.server.files.folder import DataFolder
from linkwise.server.files.uploads import Uploads
from linkwise.server.keys import HOLDER, Holder
from linkwise.server.limits import Limits
from linkwise.server.live.jobs import Jobs
from linkwise.server.live.session import LiveSession
from linkwise.server.live.shelf import SESSION_ID, Shelf
from linkwise.server.refusals import refuse_unknown_parameters


@dataclass(frozen=True)
class Service:
    """The parts of a running service."""

    shelf: Shelf
    jobs: Jobs
    uploads: Uploads
    files: DataFolder
    exports: ExportFolder
    limits: Limits

    def describe_file(self, name: str, encoding: str | None = None) -> dict[str, Any]:
        """Describe a file of the data folder, read as carefully as one that was sent."""
        path = self.files.path(name)
        try:
            return self.uploads.inspect(path, encoding)
        except InvalidFile as error:
            raise InvalidInput(self.uploads.in_their_words(path, error)) from error


async def _the_service(request: Request) -> Service:
    """Return the service a request came to, if the request asks for things that exist."""
    refuse_unknown_parameters(request)
    service: Service = request.app.state.service
    return service


SessionId = Annotated[str, FromPath(pattern=SESSION_ID, description="Name of the session.")]
ServiceHere = Annotated[Service, Depends(_the_service)]


async def _the_holder(request: Request) -> Holder:
    """Return who sent the request."""
    holder: Holder = request.scope[HOLDER]
    return holder


HolderHere = Annotated[Holder, Depends(_the_holder)]


async def _the_session(session: SessionId, request: Request) -> AsyncIterator[LiveSession]:
    """Lend the session to a request until its answer is complete."""
    service = await _the_service(request)
    async with service.shelf.using(session) as live:
        yield live


Live = Annotated[LiveSession, Depends(_the_session)]
