"""Labels, clusters and rows on the wire."""

from __future__ import annotations

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
