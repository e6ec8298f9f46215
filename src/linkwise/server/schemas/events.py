"""Events on the wire: what can be told, and how it comes back from the journal.

The messages follow the table of kinds: a new row there is a new message here.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from pydantic import Field, create_model, model_validator

from linkwise.server.schemas.base import (
    MOST,
    ClusterNumber,
    Message,
    Name,
    Request,
    RowName,
    Seq,
    Whole,
)
from linkwise.session.events import fields
from linkwise.session.events.event import Event as RecordedEvent
from linkwise.session.events.kinds import KINDS, Kind

MOST_ROWS = 100_000
MOST_EVENTS = 1000

Verdict = Literal["same", "different", "unsure"]


class _WithoutGuess(Request):
    @model_validator(mode="before")
    @classmethod
    def _without_guess(cls, sent: object) -> object:
        """Drop ``guess``, which could once be sent to no effect: the session writes its own."""
        if isinstance(sent, dict):
            return {name: value for name, value in sent.items() if name != "guess"}
        return sent


#: Kinds whose payload is read with more patience than its fields ask for.
_LENIENT: dict[str, type[Request]] = {"answer": _WithoutGuess}


def _wire(holds: fields.Field) -> Any:
    """Return the type and the default with which a field of an event goes over the wire."""
    match holds:
        case fields.Row():
            return RowName, ...
        case fields.Rows(at_least=least, optional=optional):
            limits = Field(min_length=least, max_length=MOST_ROWS, fail_fast=True)
            rows = Annotated[list[RowName], limits]
            return (rows | None, None) if optional else (rows, ...)
        case fields.Cluster():
            return ClusterNumber, ...
        case fields.Clusters(at_least=least):
            limits = Field(min_length=least, max_length=1000, fail_fast=True)
            return Annotated[list[ClusterNumber], limits], ...
        case fields.EventNumber():
            return Annotated[int, Field(ge=1, le=MOST), Whole], ...
        case fields.Name():
            return Name, ...
        case fields.Verdict():
            return Verdict, ...
        case fields.Count():
            return Annotated[int, Field(ge=1, le=fields.MAX_COUNT), Whole], ...
    raise TypeError(f"{holds!r} has no form on the wire yet: add it here.")


class _NewEvent(Request):
    key: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        default=None,
        description="An event with a key that was used before is not made again; "
        "the event made then is given back.",
    )


def _new_event(kind: Kind) -> type[_NewEvent]:
    """Return the message that tells an event of this kind."""
    title = kind.name.capitalize()
    told = {name: _wire(holds) for name, holds in kind.fields.items()}
    base = _LENIENT.get(kind.name, Request)
    payload = create_model(f"{title}Payload", __base__=base, __doc__=kind.payload, **told)
    parts: dict[str, Any] = {"kind": (Literal[kind.name], ...), "payload": (payload, ...)}
    return create_model(f"New{title}", __base__=_NewEvent, __doc__=kind.about, **parts)


if TYPE_CHECKING:  # made of the table of kinds, which no type checker reads
    KindName = str
    NewEvent = Any
else:
    KindName = Literal[tuple(KINDS)]
    NewEvent = Annotated[
        Union[tuple(_new_event(kind) for kind in KINDS.values())],  # noqa: UP007
        Field(discriminator="kind"),
    ]


class NewEvents(Request):
    """A batch of events by one person; all of them are stored, or none."""

    events: Annotated[list[NewEvent], Field(min_length=1, max_length=MOST_EVENTS, fail_fast=True)]
    who: Annotated[str, Field(max_length=200)] = ""


class Event(Message):
    """One entry of the journal."""

    seq: Seq
    kind: KindName
    payload: dict[str, Any]
    who: str
    when: str = Field(description="ISO 8601, UTC.")
    key: str | None
    undone_by: Seq | None = Field(description="The event that withdrew this one, if any.")
    repeated: bool = Field(description="True when the key was known and nothing new was stored.")


_encode = json.JSONEncoder(separators=(",", ":")).encode


def encode_event(event: RecordedEvent) -> str:
    """Return an event of a session as the JSON of :class:`Event`, in one line.

    There are thousands a second, so they are written without being checked: they come from the
    journal. Everything beyond ASCII is escaped, because some readers of streams break lines at
    Unicode's separators.
    """
    return _encode(vars(event))


class Events(Message):
    """Events as they were stored."""

    events: list[Event]


class History(Message):
    """Part of the journal, and how long the whole is."""

    events: list[Event]
    seq: Seq
