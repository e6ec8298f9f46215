"""What goes over the wire, as values: the schemas of the service's OpenAPI document.

A test compares every class here with the schema of its name, so that neither forgets a field.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


@dataclass(frozen=True)
class NewEvent:
    """Something to tell; rows go by number, or by id as text.

    Without a ``key`` the client makes one, so that an event is stored once however often it had
    to be sent.
    """

    kind: str
    payload: dict[str, Any]
    key: str | None = None


@dataclass(frozen=True)
class Event:
    """One entry of the journal."""

    seq: int
    kind: str
    payload: dict[str, Any]
    who: str
    when: str
    key: str | None
    undone_by: int | None
    repeated: bool


@dataclass(frozen=True)
class History:
    """Part of the journal, and how long the whole is."""

    events: list[Event]
    seq: int


@dataclass(frozen=True)
class Cluster:
    """One cluster; its number stays with it for the life of the session."""

    number: int
    name: str
    size: int
    exemplars: list[int]
    sureness: float
    moved_in: int
    moved_out: int
    is_nowhere: bool = False


@dataclass(frozen=True)
class News:
    """New labels are ready; the service calls it ViewNews."""

    seq: int
    moved: int
    clusters: list[Cluster]


@dataclass(frozen=True)
class Question:
    """Something worth asking about, and why."""

    i: int
    j: int
    why: str
    kind: str
    among: list[int]
    one: list[int]
    other: list[int]
    third: list[int]
    drawn: bool
    again: int | None


@dataclass(frozen=True)
class Trouble:
    """Answers that contradict each other; withdrawing one of the events settles it."""

    sentence: str
    events: list[int]
    proposal: int
    rows: list[int]


@dataclass(frozen=True)
class Suspicion:
    """An answer that may be wrong."""

    event: int
    i: int
    j: int
    verdict: str
    suspicion: float
    sentence: str
    holds: bool
    asked_again: bool


@dataclass(frozen=True)
class Moved:
    """How many rows changed their cluster at an event."""

    seq: int
    rows: int


@dataclass(frozen=True)
class Progress:
    """Whether more answers still pay."""

    answers: int
    unsure: int
    agreed_recently: float | None
    agreed: float | None
    drawn: int
    right: int
    low: float | None
    high: float | None
    moved: list[Moved]
    advice: str
    hint: str


@dataclass(frozen=True)
class Person:
    """Somebody who answered, and how far the others agree with them."""

    who: str
    answers: int
    unsure: int
    compared: int
    agreed: int
    weight: float


@dataclass(frozen=True)
class Agreement:
    """Two people who told the same pairs."""

    first: str
    second: str
    compared: int
    agreed: int


@dataclass(frozen=True)
class People:
    """Everybody who answered, and any two who told the same pairs."""

    people: list[Person]
    agreements: list[Agreement]


@dataclass(frozen=True)
class Number:
    """How many clusters there are, and another number that the answers speak for, if any."""

    n_clusters: int
    follows: bool
    proposal: int | None
    reason: str | None
    fits: bool
    pending: bool


@dataclass(frozen=True)
class ClusterPage:
    """One cluster, looked at closely."""

    number: int
    size: int
    rows: list[int]
    examples: list[int]
    apart: list[str]
    names: list[str]


@dataclass(frozen=True)
class Around:
    """What surrounds a row."""

    row: int
    neighbours: list[int]
    why: str
    events: list[int]


@dataclass(frozen=True)
class ColumnValues:
    """A column of all rows, for colours."""

    kind: str
    legend: list[str]
    codes: list[int]


@dataclass(frozen=True)
class Row:
    """A row as it is shown to people."""

    row: int
    id: str | int
    fields: dict[str, Any]
    text: str | None
    has_image: bool
    cluster: int
    margin: float


@dataclass(frozen=True)
class Column:
    """A column of the data, and what it is."""

    name: str
    type: str


@dataclass(frozen=True)
class FileColumn:
    """A column of a file, with up to three of its values; what it is taken for and why."""

    name: str
    type: str
    examples: list[str]
    role: str
    reason: str


@dataclass(frozen=True)
class GuessedColumns:
    """What the columns look like being for."""

    id: str | None
    features: list[str] | None
    text: str | None
    image: str | None


@dataclass(frozen=True)
class DataFile:
    """What is in a file."""

    name: str
    kind: str
    n_rows: int
    columns: list[FileColumn]
    image_shape: list[int] | None
    guess: GuessedColumns
    encoding: str | None


@dataclass(frozen=True)
class Upload(DataFile):
    """A file that was taken in."""

    upload: str


@dataclass(frozen=True)
class SessionSummary:
    """A session, in a line."""

    id: str
    name: str
    n_rows: int
    n_clusters: int
    created: str
    seq: int | None
    damage: str | None


@dataclass(frozen=True)
class SessionDetail:
    """A session, and what can be asked of it."""

    id: str
    name: str
    n_rows: int
    n_clusters: int
    created: str
    seq: int
    grouped_by: str
    left_out: dict[str, str]
    notes: list[str]
    n_unusable: int
    columns: list[Column]
    has_images: bool
    has_text: bool
    layouts: list[str]
    n_on_map: int
    strategies: list[str]


@dataclass(frozen=True)
class JobResult:
    """What came out."""

    session: str


@dataclass(frozen=True)
class Job:
    """How far a job is."""

    job: str
    what: str
    state: Literal["running", "done", "failed", "cancelled"]
    done: int
    total: int
    detail: str
    result: JobResult | None
    error: str | None


@dataclass(frozen=True)
class Health:
    """The service is up."""

    status: str
    version: str


@dataclass(frozen=True, eq=False)
class Array:
    """Values of all rows, and the number of events they know."""

    values: NDArray[Any]
    seq: int


@dataclass(frozen=True, eq=False)
class Change:
    """The rows whose label changed, their labels now, and the number of events these know."""

    rows: NDArray[np.uint32]
    labels: NDArray[Any]
    seq: int


@dataclass(frozen=True)
class File:
    """A file that the service sent."""

    content: bytes
    media_type: str


def read(kind: type[T], value: object) -> T:
    """Return a value of JSON as ``kind``; fields that this version does not know are left out."""
    found: T = _reader(kind)(value)
    return found


_READERS: dict[object, Callable[[Any], Any]] = {}


def _reader(kind: object) -> Callable[[Any], Any]:
    if kind not in _READERS:
        _READERS[kind] = _make_reader(kind)
    return _READERS[kind]


def _make_reader(kind: object) -> Callable[[Any], Any]:
    origin, inside = get_origin(kind), get_args(kind)
    if origin is list:
        one = _reader(inside[0])
        return lambda values: [one(value) for value in values]
    if NoneType in inside:
        some = _reader(next(part for part in inside if part is not NoneType))
        return lambda value: None if value is None else some(value)
    if not isinstance(kind, type) or not is_dataclass(kind):
        return lambda value: value
    hints = get_type_hints(kind)
    parts = {part.name: _reader(hints[part.name]) for part in fields(kind)}
    return lambda value: kind(**{name: part(value[name]) for name, part in parts.items()})
