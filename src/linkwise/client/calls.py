"""Every operation of the service: what is sent, and how the answer is read.

Functions here have the names of the OpenAPI document and know nothing of connections, so that both
clients share them.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeAlias, TypeVar
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from linkwise.client.messages import (
    Around,
    Array,
    Change,
    Cluster,
    ClusterPage,
    ColumnValues,
    DataFile,
    Event,
    File,
    Health,
    History,
    Job,
    NewEvent,
    Number,
    People,
    Progress,
    Question,
    Row,
    SessionDetail,
    SessionSummary,
    Suspicion,
    Trouble,
    Upload,
    read,
)

T = TypeVar("T")
RowName: TypeAlias = int | str
MOST_EVENTS = 1000
MOST_ROWS = 200


class Reply(Protocol):
    """What is used of an answer."""

    @property
    def content(self) -> bytes: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    def json(self) -> Any: ...


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request, how its answer is read, and whether it may be sent again unanswered."""

    method: str
    path: str
    read: Callable[[Reply], T]
    params: Mapping[str, Any] = field(default_factory=dict)
    json: object = None
    content: bytes | None = None
    repeatable: bool = True


def _as(kind: type[T]) -> Callable[[Reply], T]:
    return lambda reply: read(kind, reply.json())


def _get(path: str, kind: type[T], **params: object) -> Call[T]:
    return Call("GET", path, _as(kind), _given(params))


def _given(params: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in params.items() if value is not None}


def _in(session: str, *parts: object) -> str:
    names = (quote(str(part), safe="") for part in (session, *parts))
    return "/api/sessions/" + "/".join(names)


def health() -> Call[Health]:
    return _get("/health", Health)


def list_files() -> Call[list[str]]:
    return _get("/api/files", list[str])


def upload_file(name: str, content: bytes, *, encoding: str | None) -> Call[Upload]:
    asked = _given({"name": name, "encoding": encoding})
    return Call("POST", "/api/uploads", _as(Upload), asked, content=content)


def describe_file(file: str, *, encoding: str | None) -> Call[DataFile]:
    return _get("/api/files/description", DataFile, file=file, encoding=encoding)


def list_sessions() -> Call[list[SessionSummary]]:
    return _get("/api/sessions", list[SessionSummary])


def begin_session(
    name: str,
    n_clusters: int,
    *,
    upload: str | None,
    bundled: str | None,
    file: str | None,
    columns: Mapping[str, Any] | None,
    standardise: bool | None,
) -> Call[str]:
    sources = {"upload": upload, "bundled": bundled, "file": file}
    source = {kind: value for kind, value in sources.items() if value is not None}
    wanted = {"name": name, "n_clusters": n_clusters, "source": source}
    if columns is not None:
        wanted["columns"] = dict(columns)
    if standardise is not None:
        wanted["standardise"] = standardise
    # sent twice, it would begin two sessions
    return Call("POST", "/api/sessions", _job_name, json=wanted, repeatable=False)


def get_session(session: str) -> Call[SessionDetail]:
    return _get(_in(session), SessionDetail)


def remove_session(session: str) -> Call[None]:
    return Call("DELETE", _in(session), lambda _: None, repeatable=False)


def get_job(job: str) -> Call[Job]:
    return _get(f"/api/jobs/{quote(job, safe='')}", Job)


def cancel_job(job: str) -> Call[Job]:
    return Call("DELETE", f"/api/jobs/{quote(job, safe='')}", _as(Job))


def tell(session: str, events: Sequence[NewEvent], who: str) -> Call[list[Event]]:
    told = [
        {"kind": new.kind, "payload": new.payload, "key": new.key or uuid.uuid4().hex}
        for new in events
    ]
    return Call(
        "POST",
        _in(session, "events"),
        _events,
        json={"events": told, "who": who},
    )


def history(session: str, after: int, limit: int) -> Call[History]:
    return _get(_in(session, "history"), History, after=after, limit=limit)


def labels(session: str, since: int | None, at_least: int | None) -> Call[Array | Change]:
    params = {"since": since, "at_least": at_least}
    given = {name: value for name, value in params.items() if value is not None}
    return Call("GET", _in(session, "labels"), _labels, given)


def margins(session: str, at_least: int | None) -> Call[Array]:
    params = {} if at_least is None else {"at_least": at_least}
    return Call("GET", _in(session, "margins"), _margins, params)


def clusters(session: str, at_least: int | None) -> Call[list[Cluster]]:
    return _get(_in(session, "clusters"), list[Cluster], at_least=at_least)


def layout(session: str, kind: str) -> Call[NDArray[np.float32]]:
    return Call(
        "GET",
        _in(session, "layout", kind),
        lambda reply: np.frombuffer(reply.content, "<f4").reshape(-1, 2),
    )


def on_map(session: str) -> Call[NDArray[np.uint32]]:
    return Call("GET", _in(session, "map"), lambda reply: np.frombuffer(reply.content, "<u4"))


def begin_layout(session: str, kind: str) -> Call[str]:
    return Call("POST", _in(session, "layout", kind), _job_name)


def rows(session: str, rows: Sequence[int], id: Sequence[str], fresh: bool) -> Call[list[Row]]:
    numbers = ",".join(str(int(row)) for row in rows)
    path = _in(session, "rows")
    return _get(path, list[Row], rows=numbers or None, id=list(id) or None, fresh=_flag(fresh))


def join_rows(session: str, upload: str, who: str, key: str | None) -> Call[Event]:
    wanted = {"upload": upload, "who": who, "key": key or uuid.uuid4().hex}
    return Call("POST", _in(session, "rows"), _as(Event), json=wanted)


def search(session: str, text: str, limit: int) -> Call[list[int]]:
    return _get(_in(session, "search"), list[int], text=text, limit=limit)


def column(session: str, name: str) -> Call[ColumnValues]:
    return _get(_in(session, "column"), ColumnValues, name=name)


def around(session: str, row: int) -> Call[Around]:
    return _get(_in(session, "rows", int(row), "around"), Around)


def describe_cluster(session: str, number: int, after: int) -> Call[ClusterPage]:
    return _get(_in(session, "clusters", int(number)), ClusterPage, after=after)


def import_knowledge(session: str, upload: str, who: str) -> Call[list[Event]]:
    wanted = {"upload": upload, "who": who}
    return Call("POST", _in(session, "import"), _events, json=wanted)


def image(session: str, row: int) -> Call[File]:
    return Call("GET", _in(session, "rows", int(row), "image"), _file)


def questions(
    session: str,
    n: int,
    strategy: str,
    skip: Sequence[tuple[int, int]],
    fresh: bool,
    who: str | None,
    overlap: float,
    kind: str,
    asked: int | None,
    formerly: str | None,
) -> Call[list[Question]]:
    wanted = {
        "n": n,
        "strategy": strategy,
        "skip": ",".join(f"{i}-{j}" for i, j in skip) or None,
        "fresh": _flag(fresh),
        "who": who,
        "overlap": overlap or None,
        "kind": kind,
        "asked": asked,
        "formerly": formerly,
    }
    return Call("GET", _in(session, "questions"), _as(list[Question]), _given(wanted))


def conflicts(session: str) -> Call[list[Trouble]]:
    return _get(_in(session, "conflicts"), list[Trouble])


def suspects(session: str) -> Call[list[Suspicion]]:
    return _get(_in(session, "suspects"), list[Suspicion])


def progress(session: str) -> Call[Progress]:
    return _get(_in(session, "progress"), Progress)


def people(session: str) -> Call[People]:
    return _get(_in(session, "people"), People)


def number(session: str) -> Call[Number]:
    return _get(_in(session, "number"), Number)


def outliers(session: str, share: float) -> Call[list[int]]:
    return _get(_in(session, "outliers"), list[int], share=share)


def recipe(session: str) -> Call[str]:
    return Call("GET", _in(session, "recipe"), lambda reply: str(reply.json()["python"]))


def export(session: str, what: str, format: str, raw: bool, at: int | None) -> Call[File]:
    query = _given({"what": what, "format": format, "raw": raw, "at": at})
    return Call("GET", _in(session, "export"), _file, query)


def stream_path(session: str) -> str:
    return _in(session, "stream")


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _events(reply: Reply) -> list[Event]:
    return read(list[Event], reply.json()["events"])


def _job_name(reply: Reply) -> str:
    return str(reply.json()["job"])


def _file(reply: Reply) -> File:
    return File(reply.content, reply.headers.get("content-type", "").partition(";")[0])


def _values(reply: Reply, content: bytes) -> NDArray[Any]:
    kind = np.dtype(reply.headers["X-Linkwise-Type"]).newbyteorder("<")
    return np.frombuffer(content, kind)


def _seq(reply: Reply) -> int:
    return int(reply.headers["X-Linkwise-Seq"])


def _labels(reply: Reply) -> Array | Change:
    count = reply.headers.get("X-Linkwise-Rows")
    if count is None:
        return Array(_values(reply, reply.content), _seq(reply))
    end = 4 * int(count)
    changed = np.frombuffer(reply.content[:end], "<u4").astype(np.uint32)
    return Change(changed, _values(reply, reply.content[end:]), _seq(reply))


def _margins(reply: Reply) -> Array:
    return Array(_values(reply, reply.content).astype(np.float32) / 255, _seq(reply))
