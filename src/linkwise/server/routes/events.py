"""Events: telling them, reading them, hearing them as they happen."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.responses import StreamingResponse

from linkwise.server.keys import HOLDER
from linkwise.server.live.shelf import SESSION_ID
from linkwise.server.refusals import InTheWay, refuses
from linkwise.server.schemas.base import MOST
from linkwise.server.schemas.events import Event, Events, History, NewEvents, encode_event
from linkwise.server.schemas.sessions import NewKnowledge
from linkwise.server.service import HolderHere, Live, ServiceHere
from linkwise.session import KINDS, Entry

router = APIRouter(prefix="/api/sessions/{session}", tags=["events"])


class _ShortWay(APIRoute):
    """The route of answers, of which there are thousands a second.

    What is plainly right goes to it at once; all else goes the way of all routes, which knows how
    to refuse it.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what handles a request."""
        careful = super().get_route_handler()

        async def handle(request: Request) -> Response:
            told, session = await _plainly_told(request), request.path_params["session"]
            if told is None or not re.match(SESSION_ID, session):
                return await careful(request)
            service = request.app.state.service
            async with service.shelf.using(session) as live:
                return await tell(told, live, request.scope[HOLDER], service)

        return handle


async def _plainly_told(request: Request) -> NewEvents | None:
    """Return the events in a request that has nothing else in it; None leaves it to others."""
    if request.scope["query_string"] or request.headers.get("content-type") != "application/json":
        return None
    try:
        return NewEvents.model_validate_json(await request.body())
    except ValidationError:
        return None


def _frame(kind: str, holds: str) -> dict[str, Any]:
    """Describe one kind of frame of the stream, whose data are JSON."""
    content = {"$ref": f"#/components/schemas/{holds}"}
    data = {"type": "string", "contentMediaType": "application/json", "contentSchema": content}
    parts = {"event": {"const": kind}, "id": {"type": "string"}, "data": data}
    return {"type": "object", "properties": parts, "required": ["event", "id", "data"]}


_STREAM = {
    "description": (
        "Server-sent events without an end. `event: journal` holds an Event and has its journal "
        "position as `id`; `event: view` holds a ViewNews and says that new labels are ready."
    ),
    "content": {
        "text/event-stream": {
            "schema": {"oneOf": [_frame("journal", "Event"), _frame("view", "ViewNews")]}
        }
    },
}

After = Annotated[int, Query(ge=0, le=MOST, description="Only what follows this event.")]


async def tell(told: NewEvents, live: Live, holder: HolderHere, service: ServiceHere) -> Response:
    """Store a batch of events. The answer comes when they are on the disk.

    They are said by whom the token was given to; only the owner of the service may say by whom.
    """
    who = holder.who(told.who)
    entries = [Entry(new.kind, dict(vars(new.payload)), who, new.key) for new in told.events]
    if added := sum(KINDS[new.kind].effect.adds_cluster for new in told.events):
        async with live.adding:
            service.limits.check_clusters(live.session.n_cluster_numbers, added)
            events = await live.append(entries)
    else:
        events = await live.append(entries)
    body = '{"events":[' + ",".join(map(encode_event, events)) + "]}"
    return Response(body, media_type="application/json")


router.add_api_route(
    "/events",
    tell,
    methods=["POST"],
    response_model=Events,
    responses=refuses(400, 404, 409, 413),
    route_class_override=_ShortWay,
)


@router.post("/import", response_model=Events, responses=refuses(400, 404, 409, 413))
async def import_knowledge(
    wanted: NewKnowledge, live: Live, holder: HolderHere, service: ServiceHere
) -> Events:
    """Take in links, labels or the answers of a session from an uploaded file, once.

    From the owner of the service, answers stay those of the people whom the file names; from others
    they are theirs.
    """
    path, session = service.uploads.path(wanted.upload), live.session
    who, trusted = holder.who(wanted.who), not holder.name
    with service.uploads.by_its_name(path):
        await live.look_back(service.uploads.check_told, path, session.n_rows)
        events = await live.look_back(partial(session.import_, path, who=who, keep_names=trusted))
    return Events(events=[Event.model_validate(event) for event in events])


@router.get("/history", responses=refuses(404, 409))
async def history(
    live: Live,
    after: After = 0,
    limit: Annotated[int, Query(ge=1, le=5000)] = 200,
) -> History:
    """Read the journal, oldest first."""
    events = await anyio.to_thread.run_sync(live.session.history, after, limit)
    return History(events=[Event.model_validate(event) for event in events], seq=live.session.seq)


@router.get(
    "/stream",
    response_class=StreamingResponse,
    responses={200: _STREAM, **refuses(404, 409)},
)
async def stream(
    live: Live,
    after: Annotated[int | None, Query(ge=0, le=MOST)] = None,
    last_event_id: Annotated[str, Header(max_length=20, pattern=r"^[0-9]*$")] = "",
) -> StreamingResponse:
    """Hear of events and new labels as they come; `Last-Event-ID` or `after` resumes."""
    resume = int(last_event_id) if last_event_id else after
    if resume is not None and resume > live.session.seq:
        raise InTheWay(
            f"there is no event {resume} in this session, the last one is {live.session.seq}. "
            f"Read its history anew."
        )
    return StreamingResponse(
        live.stream(resume),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
