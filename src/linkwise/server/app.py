"""The application: the parts put together, and taken apart in order when it ends."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from linkwise.server.audit import Audit
from linkwise.server.doors import Doors
from linkwise.server.files.export import ExportFolder
from linkwise.server.files.folder import DataFolder
from linkwise.server.files.uploads import Uploads
from linkwise.server.idle import close_idle_sessions
from linkwise.server.keys import Keys
from linkwise.server.limits import Limits
from linkwise.server.live.jobs import Jobs
from linkwise.server.live.shelf import Shelf
from linkwise.server.logs import AccessLog
from linkwise.server.patience import Patience
from linkwise.server.refusals import answer_refusals
from linkwise.server.routes import (
    advice,
    events,
    exports,
    jobs,
    labels,
    page,
    rows,
    sessions,
    uploads,
)
from linkwise.server.schemas.views import ViewNews
from linkwise.server.security import Gate
from linkwise.server.service import Service
from linkwise.session.folders import remove_left_overs

if TYPE_CHECKING:
    from linkwise.engines.base import Engine

logger = logging.getLogger("linkwise.server")

#: In the order they are looked through: what is asked for most comes first.
ROUTERS = (events, labels, rows, advice, sessions, jobs, uploads, exports, page)
DESCRIPTION = (
    "Clusterings that live: tell which rows belong together, hear how the clusters change. "
    "Everything below /api needs the token as `Authorization: Bearer TOKEN`."
)


def create_app(
    root: str | os.PathLike[str],
    *,
    token: str,
    data_folder: str | os.PathLike[str] | None = None,
    limits: Limits | None = None,
    hosts: Iterable[str] = (),
    databases: Iterable[str] = (),
    engine: Engine | None = None,
) -> FastAPI:
    """Return the service of the sessions below ``root``.

    Parameters
    ----------
    root : path
        Folder of the sessions; made if it does not exist.
    token : str
        What a request must carry.
    data_folder : path or None, default=None
        Folder whose data files may be clustered where they are.
    limits : Limits or None, default=None
        How much anybody may ask for; None are those of the documentation.
    hosts : iterable of str, default=()
        Names the service answers to, besides those of this machine's loopback interface.
    databases : iterable of str, default=()
        Addresses of the databases in which sessions may keep their journals.
    engine : Engine or None, default=None
        The cluster on which sessions of folders of Parquet files live; None is this process.
    """
    shelf, limits = Shelf(Path(root), databases, engine), limits or Limits()
    keys, doors = Keys(token, shelf.root), Doors(limits)
    folder = None if data_folder is None else Path(data_folder)
    service = Service(
        shelf=shelf,
        jobs=Jobs(),
        uploads=Uploads(shelf.root, limits),
        files=DataFolder(folder),
        exports=ExportFolder(shelf.root),
        limits=limits,
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        for name in await anyio.to_thread.run_sync(remove_left_overs, shelf.root):
            logger.info("left-overs of a creation removed", extra={"folder": name})
        ending = asyncio.Event()
        keepers = [close_idle_sessions(service, ending), doors.watch(ending, keys)]
        watching = asyncio.gather(*keepers)
        yield
        ending.set()
        await watching
        await anyio.to_thread.run_sync(service.jobs.close)
        await shelf.close()
        service.exports.close()

    app = FastAPI(
        title="linkwise",
        version=version("linkwise"),
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.service, app.state.limits = service, limits
    app.state.keys, app.state.doors = keys, doors
    app.state.patience = Patience(limits.wrong_tokens)
    answer_refusals(app)
    for module in ROUTERS:
        app.include_router(module.router)
    app.add_middleware(
        Gate,
        keys=keys,
        doors=doors,
        audit=Audit(shelf.root),
        patience=app.state.patience,
        body=limits.body,
        hosts=tuple(hosts),
    )
    app.add_middleware(AccessLog)
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    return app


def _document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, with the token and the messages of the stream in it."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
        )
        parts = document["components"]
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        news = ViewNews.model_json_schema(ref_template="#/components/schemas/{model}")
        news.pop("$defs")
        parts["schemas"]["ViewNews"] = news
        document["security"] = [{"token": []}]
        document["paths"]["/health"]["get"]["security"] = []
        app.openapi_schema = document
    return app.openapi_schema
