"""Labels, margins and the map: typed arrays, straight from memory to the wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import anyio.to_thread
import numpy as np
from fastapi import APIRouter, Header, Path, Query, Response
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.server.live.jobs import Report, Subject
from linkwise.server.refusals import NotFound, refuses
from linkwise.server.schemas.base import MOST
from linkwise.server.schemas.sessions import Started
from linkwise.server.schemas.views import Cluster, ClusterPage
from linkwise.server.service import Live, ServiceHere, SessionId

if TYPE_CHECKING:
    from linkwise.session import View

router = APIRouter(prefix="/api/sessions/{session}", tags=["labels"])

_TEXT = {"schema": {"type": "string"}}
_HEADERS = {
    "X-Linkwise-Seq": {"description": "The events these values know.", **_TEXT},
    "X-Linkwise-Type": {"description": "uint8, uint16 or float32, little endian.", **_TEXT},
    "ETag": {"description": "Send it as If-None-Match to hear 304 if nothing changed.", **_TEXT},
}
_ROWS = {"X-Linkwise-Rows": {"description": "With since: how many rows follow.", **_TEXT}}
_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


def _array(description: str, **headers: Mapping[str, object]) -> dict[int | str, dict[str, Any]]:
    """Document a typed array and the refusals that may come instead."""
    found = {"description": description, "content": _BYTES, "headers": {**_HEADERS, **headers}}
    same = {"description": "Nothing changed since the ETag in If-None-Match."}
    return {200: found, 304: same, **refuses(404, 409)}


AtLeast = Annotated[
    int | None,
    Query(ge=0, le=MOST, description="Do not wait for events beyond this one. Default: all."),
]
Known = Annotated[str | None, Header(alias="If-None-Match", max_length=1000)]


@router.get(
    "/labels",
    response_class=Response,
    responses=_array("One label per row; with since, N rows (uint32), then N labels.", **_ROWS),
)
async def labels(
    live: Live,
    since: Annotated[int | None, Query(ge=0, le=MOST, description="Only what changed.")] = None,
    at_least: AtLeast = None,
    if_none_match: Known = None,
) -> Response:
    """Return the cluster of every row, or of the rows that moved after event ``since``."""
    view = await live.view(at_least)
    if _is_known(view, if_none_match):
        return _same(view)
    if since is None or since > view.seq:
        return _send(view, view.labels)
    from linkwise.session.state.view import changed_rows  # loads the model, which is loaded by now

    before = await live.labels_at(since)
    rows = changed_rows(before, view.labels)
    body = _little(rows.astype(np.uint32)) + _little(view.labels[rows])
    return _reply(view, body, view.labels.dtype, {"X-Linkwise-Rows": str(len(rows))})


@router.get(
    "/margins",
    response_class=Response,
    responses=_array("One byte per row: 255 is certain, 0 a toss-up."),
)
async def margins(live: Live, at_least: AtLeast = None, if_none_match: Known = None) -> Response:
    """Return how far each row's cluster leads."""
    view = await live.view(at_least)
    if _is_known(view, if_none_match):
        return _same(view)
    return _send(view, await anyio.to_thread.run_sync(_as_bytes, view.margins))


@router.get("/clusters", responses=refuses(404, 409))
async def clusters(live: Live, at_least: AtLeast = None) -> list[Cluster]:
    """Return the clusters with their names, sizes and exemplars."""
    view = await live.view(at_least)
    return [Cluster.model_validate(cluster) for cluster in view.clusters]


#: Rows of a cluster that are told at once.
ROWS_AT_ONCE = 1000


@router.get("/clusters/{number}", responses=refuses(404, 409))
async def describe_cluster(
    live: Live,
    number: Annotated[int, Path(ge=0, le=65_535)],
    after: Annotated[int, Query(ge=0, le=2**62, description="Leave out so many rows.")] = 0,
) -> ClusterPage:
    """Return one cluster: rows, examples unlike each other, and what sets it apart."""
    try:
        found = await live.look_back(live.session.describe_cluster, number, ROWS_AT_ONCE, after)
    except InvalidInput as error:  # there is no such cluster
        raise NotFound(str(error)) from error
    return ClusterPage.model_validate(found)


Kind = Literal["pca", "neighbours"]


@router.get(
    "/map",
    response_class=Response,
    responses={
        200: {"description": "uint32 numbers of the rows on the map.", "content": _BYTES},
        **refuses(404, 409),
    },
)
async def on_map(live: Live) -> Response:
    """Return the rows that layouts have a place for, in their order: all, or of very many some."""
    shown = live.session.on_map
    rows = np.arange(live.session.n_rows) if shown is None else shown
    headers = {"X-Linkwise-Type": "uint32", "Cache-Control": "private, no-cache"}
    body = _little(rows.astype(np.uint32))
    return Response(body, media_type="application/octet-stream", headers=headers)


@router.get(
    "/layout/{kind}",
    response_class=Response,
    responses={
        200: {"description": "float32 x and y of every row of the map.", "content": _BYTES},
        **refuses(404, 409),
    },
)
async def layout(kind: Kind, live: Live) -> Response:
    """Return where each row is on the map; pca is always there, others after their job."""
    if kind not in live.session.layouts:
        raise NotFound(f"the layout {kind} has not been computed. POST here to begin it.")
    points = await live.work(live.session.layout, kind)
    headers = {"X-Linkwise-Type": "float32", "Cache-Control": "private, no-cache"}
    return Response(_little(points), media_type="application/octet-stream", headers=headers)


@router.post("/layout/{kind}", status_code=202, responses=refuses(404, 409))
async def begin_layout(session: SessionId, kind: Kind, live: Live, service: ServiceHere) -> Started:
    """Compute a layout, as a job."""

    def work(progress: Report, cancel: Callable[[], bool]) -> str:
        live.session.layout(kind, progress=progress, cancel=cancel)
        return session

    job = service.jobs.start("computing the map", work, about=Subject(session, kind))
    return Started(job=job.job)


def _as_bytes(margins: NDArray[np.float32]) -> NDArray[np.uint8]:
    return np.round(255 * np.clip(margins, 0, 1)).astype(np.uint8)


def _send(view: View, values: NDArray[Any]) -> Response:
    return _reply(view, _little(values), values.dtype, {})


def _reply(view: View, body: bytes, kind: np.dtype[Any], more: dict[str, str]) -> Response:
    headers = {"X-Linkwise-Seq": str(view.seq), "X-Linkwise-Type": kind.name, **more}
    headers |= {"ETag": _tag(view), "Cache-Control": "private, no-cache"}
    return Response(body, media_type="application/octet-stream", headers=headers)


def _same(view: View) -> Response:
    headers = {"ETag": _tag(view), "X-Linkwise-Seq": str(view.seq)}
    return Response(status_code=304, headers={**headers, "Cache-Control": "private, no-cache"})


def _tag(view: View) -> str:
    return f'"seq-{view.seq}"'


def _is_known(view: View, if_none_match: str | None) -> bool:
    if if_none_match is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return "*" in tags or _tag(view) in tags


def _little(values: NDArray[Any]) -> bytes:
    """Return the bytes of an array, lowest first on any machine."""
    return values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
