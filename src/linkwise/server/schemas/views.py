"""Labels, clusters and rows on the wire."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from linkwise.server.schemas.base import Message, Seq


class Cluster(Message):
    """One cluster; its number stays with it for the life of the session."""

    number: int
    name: str
    size: int
    exemplars: list[int]
    sureness: float
    moved_in: int
    moved_out: int
    is_nowhere: bool = Field(description="Whether these are the rows that belong to no cluster.")


class ClusterPage(Message):
    """One cluster, looked at closely."""

    number: int
    size: int
    rows: list[int] = Field(
        description="Its rows behind those left out, the surest first; 1000 at most."
    )
    examples: list[int] = Field(description="Central rows that are unlike each other.")
    apart: list[str] = Field(description="What sets it apart from the others, in words.")
    names: list[str] = Field(description="Short names that may suit it.")


class Around(Message):
    """What surrounds a row."""

    row: int
    neighbours: list[int] = Field(description="The rows most like it, the nearest first.")
    why: str = Field(description="Why it is in its cluster.")
    events: list[Seq] = Field(description="What stands of what was said about it.")


class ColumnValues(Message):
    """A column of all rows, for colours."""

    kind: Literal["number", "category"]
    legend: list[str] = Field(description="Both ends of the scale, or the categories.")
    codes: list[int] = Field(description="0 to 254 on the scale, or the category; 255: none.")


class ViewNews(Message):
    """New labels are ready."""

    seq: Seq
    moved: int
    clusters: list[Cluster]


class Row(Message):
    """A row as it is shown to people."""

    row: int
    id: str | int
    fields: dict[str, str | int | float | bool | None]
    text: str | None
    has_image: bool
    cluster: int
    margin: float
