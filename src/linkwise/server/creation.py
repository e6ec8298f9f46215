"""Beginning a session: which data, and the work that makes a clustering of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from linkwise.errors import InvalidFile, InvalidInput
from linkwise.server.files.inspection import inspect_file
from linkwise.server.live.jobs import Report, Work
from linkwise.server.schemas import sessions as schemas
from linkwise.server.service import Service
from linkwise.session import Columns
from linkwise.session.data.in_place import is_parquet_folder

#: Bundled data whose rows are pictures.
PICTURES = {"digits": (8, 8)}


def creation(service: Service, wanted: schemas.NewSession) -> Work:
    """Return the work of a job that makes the session; what is missing is refused at once."""
    data, columns = _data(service, wanted)
    folder = service.shelf.new_folder(wanted.name)

    options: dict[str, Any] = {"name": wanted.name, "columns": columns}
    options["standardise"] = wanted.standardise

    def work(progress: Report, cancel: Callable[[], bool]) -> str:
        watch = {"progress": progress, "cancel": cancel}
        try:
            if isinstance(data, Path):  # what a process of its own can read will not harm this one
                progress(0, 0, "reading the file")
                found = service.uploads.inspect(data, columns.encoding if columns else None)
                options["columns"] = columns or guessed_columns(found)
                if is_parquet_folder(data):
                    options["engine"] = service.shelf.engine
            create_session(folder, data, wanted.n_clusters, **options, **watch)
        except InvalidFile as error:
            if isinstance(data, str):
                raise
            raise InvalidInput(service.uploads.in_their_words(data, error)) from error
        return folder.name

    return work


def create_session(folder: Path, data: Path | str, n_clusters: int | str, **options: Any) -> None:
    """Make a session of a file, or of the bundled data of that name, and close it again.

    What the columns of a file are for is guessed where ``columns`` does not say it.
    """
    rows: Any = data
    if isinstance(data, str):
        from linkwise.datasets import load  # a second to import

        rows = load(data).X
        if data in PICTURES:
            options["columns"] = Columns(image_shape=PICTURES[data])
    elif "columns" not in options:
        options["columns"] = guessed_columns(inspect_file(data))
    from linkwise.session import Session  # a second to import: the service is up before

    Session.create(folder, rows, n_clusters, **options).close()


def guessed_columns(found: dict[str, Any]) -> Columns | None:
    """Return what the columns of an inspected table look like being for; None for arrays."""
    if found["kind"] == "array":
        return None
    guess = found["guess"]
    return Columns(id=guess["id"], text=guess["text"], image=guess["image"])


def _data(service: Service, wanted: schemas.NewSession) -> tuple[Path | str, Columns | None]:
    """Return the data, a path or the name of a bundled set, and what its columns are for."""
    source, columns = wanted.source, _columns(wanted.columns)
    if isinstance(source, schemas.UploadSource):
        return service.uploads.path(source.upload), columns
    if isinstance(source, schemas.FileSource):
        return service.files.path(source.file), columns
    return source.bundled, None


def _columns(told: schemas.Columns | None) -> Columns | None:
    if told is None:
        return None
    return Columns(
        id=told.id,
        features=tuple(told.features or ()),
        text=told.text,
        image=told.image,
        roles=told.roles or {},
        encoding=told.encoding,
    )
