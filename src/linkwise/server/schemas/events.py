"""Events on the wire: what can be told, and how it comes back from the journal."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from linkwise.server.schemas.base import (
    MOST,
    ClusterNumber,
    Message,
    Name,
    Request,
    RowNumber,
    Seq,
    Whole,
)

MOST_ROWS = 100_000
MOST_EVENTS = 1000

Rows = Annotated[list[RowNumber], Field(min_length=1, max_length=MOST_ROWS)]
Verdict = Literal["same", "different", "unsure"]


class AnswerPayload(Request):
    """Whether rows i and j belong together."""

    i: RowNumber
    j: RowNumber
    verdict: Verdict

    @model_validator(mode="before")
    @classmethod
    def _without_guess(cls, sent: Any) -> Any:
        """Drop ``guess``, which could once be sent to no effect: the session writes its own."""
        if isinstance(sent, dict):
            return {name: value for name, value in sent.items() if name != "guess"}
        return sent


class LabelPayload(Request):
    """These rows are of one class, with a name."""

    rows: Rows
    name: Name


class TogetherPayload(Request):
    """These rows belong together."""

    rows: Annotated[list[RowNumber], Field(min_length=2, max_length=MOST_ROWS)]


class UndoPayload(Request):
    """Withdraw an earlier event."""

    event: Annotated[int, Field(ge=1, le=MOST), Whole]


class RenamePayload(Request):
    """Give a cluster a name."""

    cluster: ClusterNumber
    name: Name


class MergePayload(Request):
    """Make one cluster of several."""

    clusters: Annotated[list[ClusterNumber], Field(min_length=2, max_length=1000)]


class SplitPayload(Request):
    """Make two clusters of one: these rows against the rest, or as the data suggests."""

    cluster: ClusterNumber
    rows: Rows | None = None


class _NewEvent(Request):
    key: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        default=None,
        description="An event with a key that was used before is not made again; "
        "the event made then is given back.",
    )


class NewAnswer(_NewEvent):
    """Two rows are the same, different, or nobody can tell."""

    kind: Literal["answer"]
    payload: AnswerPayload


class NewLabel(_NewEvent):
    """Rows get the name of their class."""

    kind: Literal["label"]
    payload: LabelPayload


class NewTogether(_NewEvent):
    """Rows belong together."""

    kind: Literal["together"]
    payload: TogetherPayload


class NewUndo(_NewEvent):
    """An earlier event is withdrawn; an undone undo restores it."""

    kind: Literal["undo"]
    payload: UndoPayload


class NewRename(_NewEvent):
    """A cluster gets a name."""

    kind: Literal["rename"]
    payload: RenamePayload


class NewMerge(_NewEvent):
    """Clusters become one."""

    kind: Literal["merge"]
    payload: MergePayload


class NewSplit(_NewEvent):
    """A cluster becomes two."""

    kind: Literal["split"]
    payload: SplitPayload


NewEvent = Annotated[
    NewAnswer | NewLabel | NewTogether | NewUndo | NewRename | NewMerge | NewSplit,
    Field(discriminator="kind"),
]


class NewEvents(Request):
    """A batch of events by one person; all of them are stored, or none."""

    events: Annotated[list[NewEvent], Field(min_length=1, max_length=MOST_EVENTS)]
    who: Annotated[str, Field(max_length=200)] = ""


class Event(Message):
    """One entry of the journal."""

    seq: Seq
    kind: Literal["answer", "label", "together", "undo", "rename", "merge", "split"]
    payload: dict[str, Any]
    who: str
    when: str = Field(description="ISO 8601, UTC.")
    key: str | None
    undone_by: Seq | None = Field(description="The event that withdrew this one, if any.")
    repeated: bool = Field(description="True when the key was known and nothing new was stored.")


_EVENT_FIELDS = tuple(Event.model_fields)


def encode_event(event: Any) -> str:
    """Return an event of a session as the JSON of :class:`Event`, in one line.

    There are thousands a second, so they are written without being checked: they come from the
    journal. Everything beyond ASCII is escaped, because some readers of streams break lines at
    Unicode's separators.
    """
    return json.dumps({name: getattr(event, name) for name in _EVENT_FIELDS}, separators=(",", ":"))


class Events(Message):
    """Events as they were stored."""

    events: list[Event]


class History(Message):
    """Part of the journal, and how long the whole is."""

    events: list[Event]
    seq: Seq
