"""What goes over the wire, with bounds on everything that comes in."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

#: The largest journal position and row number a message may name.
MOST = 2**53 - 1


def _whole(value: Any) -> Any:
    """Read 3.0 as 3: to JSON they are the same number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = BeforeValidator(_whole)
Seq = Annotated[int, Field(ge=0, le=MOST)]
RowNumber = Annotated[int, Field(ge=0, le=2**31 - 1), Whole]
ClusterNumber = Annotated[int, Field(ge=0, le=65_535), Whole]
Name = Annotated[str, Field(min_length=1, max_length=200)]
ColumnName = Annotated[str, Field(min_length=1, max_length=1000)]
Strategy = Literal["auto", "disagreement", "explore-consolidate", "min-max", "margin", "random"]


class Message(BaseModel):
    """What the service says."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class Request(BaseModel):
    """What the service is told: exactly these fields, of exactly these types."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Refusal(Message):
    """Why something was not done."""

    error: str


class Health(Message):
    """The service is up."""

    status: Literal["ok"]
    version: str


# Sessions, files, jobs.


class UploadSource(Request):
    """A file that was uploaded."""

    upload: Annotated[str, Field(pattern=r"^u[0-9a-f]{32}$")]


class BundledSource(Request):
    """A data set that comes with linkwise."""

    bundled: Literal["digits", "iris", "wine", "breast_cancer"]


class FileSource(Request):
    """A file below the data folder of the service, as listed by /api/files."""

    file: Annotated[str, Field(min_length=1, max_length=1000)]


class Columns(Request):
    """What the columns of a table are for; features None means all columns of numbers."""

    id: ColumnName | None = None
    features: Annotated[list[ColumnName], Field(max_length=100_000)] | None = None
    text: ColumnName | None = None
    image: ColumnName | None = None


class NewSession(Request):
    """A clustering to begin."""

    name: Name
    n_clusters: Annotated[int, Field(ge=1, le=256), Whole]
    source: UploadSource | BundledSource | FileSource
    columns: Columns | None = None
    standardise: bool | None = None


ColumnType = Literal["number", "text", "image", "id"]


class Column(Message):
    """A column of the data, and what it is."""

    name: str
    type: ColumnType


class FileColumn(Column):
    """A column of an uploaded file, with up to three of its values."""

    examples: list[str]


class GuessedColumns(Message):
    """What the columns look like being for."""

    id: str | None
    features: list[str] | None
    text: str | None
    image: str | None


class Upload(Message):
    """A file that was taken in."""

    upload: str
    name: str
    kind: Literal["table", "array"]
    n_rows: int
    columns: list[FileColumn]
    image_shape: list[int] | None
    guess: GuessedColumns


class _About(Message):
    id: str
    name: str
    n_rows: int
    n_clusters: int
    created: str


class SessionSummary(_About):
    """A session, in a line."""

    seq: Seq | None = Field(description="Null where the journal cannot be looked at from outside.")


class SessionDetail(_About):
    """A session, and what can be asked of it."""

    seq: Seq
    columns: list[Column]
    has_images: bool
    has_text: bool
    layouts: list[str]
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


# What the clustering says.


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


class Question(Message):
    """Two rows worth asking about, and why."""

    i: int
    j: int
    why: str


class Row(Message):
    """A row as it is shown to people."""

    row: int
    id: str | int
    fields: dict[str, str | int | float | bool | None]
    text: str | None
    has_image: bool
    cluster: int
    margin: float


class Trouble(Message):
    """Answers that contradict each other; withdrawing one of the events settles it."""

    sentence: str
    events: list[Seq]
    proposal: Seq


class Suspicion(Message):
    """An answer that may be wrong."""

    event: Seq
    i: int
    j: int
    verdict: str
    suspicion: float
    sentence: str


class Moved(Message):
    """How many rows changed their cluster at an event."""

    seq: Seq
    rows: int


class Progress(Message):
    """Whether more answers still pay."""

    answers: int
    unsure: int
    agreed_recently: float | None = Field(description="Of the last 20 answers.")
    agreed: float | None = Field(description="Of all answers.")
    moved: list[Moved]
    hint: str


class Recipe(Message):
    """Python that gives the same labels."""

    python: str
