"""Questions, contradictions, doubts and progress on the wire."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from linkwise.server.schemas.base import Message, Seq


class Question(Message):
    """Something worth asking about, and why; what the clustering thinks is not told."""

    i: int
    j: int
    why: str
    kind: Literal["pair", "choice", "groups"] = Field(
        description="Are i and j the same? With which of among does i belong? Are one and other, "
        "and third where it is not empty, one thing or several?"
    )
    among: list[int]
    one: list[int]
    other: list[int]
    third: list[int]
    drawn: bool = Field(description="Whether the pair was drawn at random.")
    again: Seq | None = Field(description="The answer that is doubted, where there is one.")


class Trouble(Message):
    """Answers that contradict each other; withdrawing one of the events settles it."""

    sentence: str
    events: list[Seq]
    proposal: Seq
    rows: list[int] = Field(description="Rows that contradict each other.")


class Suspicion(Message):
    """An answer that may be wrong."""

    event: Seq
    i: int
    j: int
    verdict: str
    suspicion: float
    sentence: str
    holds: bool = Field(description="Whether the rows are where it says all the same.")
    asked_again: bool = Field(description="Whether the pair was told more than once.")


class Moved(Message):
    """How many rows changed their cluster at an event."""

    seq: Seq
    rows: int


class Progress(Message):
    """Whether more answers still pay."""

    answers: int = Field(description="Answers that stand; one click is one answer.")
    unsure: int = Field(description="Those among them that could not be told.")
    agreed_recently: float | None = Field(description="Of the last 20 answers.")
    agreed: float | None = Field(description="Of all answers.")
    drawn: int = Field(description="Of the last 20 pairs drawn at random, those that were told.")
    right: int = Field(description="How many of them the clustering had right.")
    low: float | None = Field(description="The least share it has right, going by them.")
    high: float | None = Field(description="The largest share.")
    moved: list[Moved]
    advice: Literal["early", "columns", "number", "more", "enough"]
    hint: str


class Person(Message):
    """Somebody who answered, and how far the others agree with them."""

    who: str
    answers: int
    unsure: int
    compared: int = Field(description="Times that somebody else told the same pair.")
    agreed: int
    weight: float = Field(description="How much they are to be heard, 0 to 1, going by that.")


class Agreement(Message):
    """Two people who told the same pairs."""

    first: str
    second: str
    compared: int
    agreed: int


class People(Message):
    """Everybody who answered, and any two who told the same pairs."""

    people: list[Person]
    agreements: list[Agreement]


class Number(Message):
    """How many clusters there are, and another number that the answers speak for, if any."""

    n_clusters: int
    follows: bool = Field(description="Whether the number follows the answers by itself.")
    proposal: int | None
    reason: str | None = Field(description="What speaks for the proposal, in words.")
    fits: bool = Field(description="False: the answers do not fit what rows are grouped by.")
    pending: bool = Field(description="Whether the last answers are still being looked at.")


class Recipe(Message):
    """Python that gives the same labels."""

    python: str
