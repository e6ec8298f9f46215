"""Sessions, files and jobs on the wire."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from linkwise.server.schemas.base import ColumnName, Message, Name, Request, Seq, Whole


class UploadSource(Request):
    """A file that was uploaded."""

    upload: Annotated[str, Field(pattern=r"^u[0-9a-f]{32}$")]


class BundledSource(Request):
    """A data set that comes with linkwise."""

    bundled: Literal["digits", "iris", "wine", "breast_cancer"]


class FileSource(Request):
    """A file below the data folder of the service, as listed by /api/files."""

    file: Annotated[str, Field(min_length=1, max_length=1000)]


Encoding = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,40}$")]
RoleName = Literal["number", "category", "date", "text", "picture", "vector", "id", "ignored"]


class Columns(Request):
    """What the columns of a table are for; features None means all that can be grouped by.

    Roles say what columns are where the guess is wrong, and so does the encoding of a file of text.
    """

    id: ColumnName | None = None
    features: Annotated[list[ColumnName], Field(max_length=100_000, fail_fast=True)] | None = None
    text: ColumnName | None = None
    image: ColumnName | None = None
    roles: Annotated[dict[ColumnName, RoleName], Field(max_length=100_000)] | None = None
    encoding: Encoding | None = None


class NewSession(Request):
    """A clustering to begin."""

    name: Name
    n_clusters: Annotated[int, Field(ge=1, le=256), Whole] | Literal["auto"]
    source: UploadSource | BundledSource | FileSource
    columns: Columns | None = None
    standardise: bool | None = None


class NewRows(Request):
    """Rows of an uploaded file that are to join a session."""

    upload: Annotated[str, Field(pattern=r"^u[0-9a-f]{32}$")]
    who: Annotated[str, Field(max_length=200)] = ""
    key: Annotated[str, Field(min_length=1, max_length=200)] | None = None


class NewKnowledge(Request):
    """Links, labels or answers of an uploaded file that are to be taken in."""

    upload: Annotated[str, Field(pattern=r"^u[0-9a-f]{32}$")]
    who: Annotated[str, Field(max_length=200)] = ""


ColumnType = Literal["number", "text", "image", "id"]


class Column(Message):
    """A column of the data, and what it is."""

    name: str
    type: ColumnType


class FileColumn(Column):
    """A column of a file, with up to three of its values; what it is taken for and why."""

    examples: list[str]
    role: RoleName
    reason: str


class GuessedColumns(Message):
    """What the columns look like being for."""

    id: str | None
    features: list[str] | None
    text: str | None
    image: str | None


class DataFile(Message):
    """What is in a file."""

    name: str
    kind: Literal["table", "array"]
    n_rows: int
    columns: list[FileColumn]
    image_shape: list[int] | None
    guess: GuessedColumns
    encoding: str | None = Field(description="How a file of text was read; null for others.")


class Upload(DataFile):
    """A file that was taken in."""

    upload: str


class _About(Message):
    id: str
    name: str
    n_rows: int
    n_clusters: int
    created: str


class SessionSummary(_About):
    """A session, in a line."""

    seq: Seq | None = Field(description="Null where the journal cannot be looked at from outside.")
    damage: str | None = Field(
        default=None, description="Why the session cannot be opened; null for one that can be."
    )


class SessionDetail(_About):
    """A session, and what can be asked of it."""

    seq: Seq
    grouped_by: str = Field(description="What rows are grouped by, in words.")
    left_out: dict[str, str] = Field(description="Columns not grouped by, and why.")
    notes: list[str] = Field(description="What else people should know about the data.")
    n_unusable: int = Field(description="Rows in which there is nothing to group by.")
    columns: list[Column]
    has_images: bool
    has_text: bool
    layouts: list[str]
    n_on_map: int = Field(description="Rows that the layouts have a place for; GET .../map lists.")
    strategies: list[str]


class Started(Message):
    """The job that does the work."""

    job: str


class JobResult(Message):
    """What came out."""

    session: str


class Job(Message):
    """How far a job is."""

    job: str
    what: str
    state: Literal["running", "done", "failed", "cancelled"]
    done: int
    total: int
    detail: str
    result: JobResult | None
    error: str | None
