"""Creation: all or nothing, made in a draft folder, synced, and renamed into place."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from datetime import UTC, datetime
from pathlib import Path

from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.errors import InvalidInput, LinkwiseError
from linkwise.session.data.description import Description
from linkwise.session.data.features_file import write_features
from linkwise.session.data.file import (
    Columns,
    DataFile,
    TableLike,
    find_image_shape,
    of_pictures,
    place_data,
    prepared_rows,
    read_data,
    shown_columns,
)
from linkwise.session.data.layout import pca_layout
from linkwise.session.data.layout_file import write_layout
from linkwise.session.errors import SessionError, StorageTrouble
from linkwise.session.journal.address import without_secrets
from linkwise.session.journal.journal import create_journal
from linkwise.tables.words import grouped_by
from linkwise.validation import require_number

MODEL_FOLDER = "model"


def create_session(
    folder: Path,
    data: TableLike,
    n_clusters: int,
    *,
    name: str | None,
    columns: Columns,
    standardise: bool | None,
    n_partitions: int,
    journal: str | None,
    random_state: int,
) -> None:
    """Make the folder of a new session; when anything fails, nothing is left behind."""
    require_number("Session.create", "n_clusters", n_clusters, low=1, high=256, integer=True)
    require_number("Session.create", "random_state", random_state, low=0, integer=True)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"{folder} exists already and is not empty; it was left alone.")
    draft = _make_draft(folder)
    try:
        placed = place_data(data, draft)
        path = placed.path
        file = DataFile.of(path, copied=placed.copied)
        if placed.pictures is not None:
            columns = of_pictures(columns)
        table = read_data(placed, columns)
        columns = columns.completed(table)
        n_rows = int(table.X.shape[0])
        if n_clusters > n_rows:
            raise InvalidInput(
                f"{n_rows} rows cannot make {n_clusters} clusters. Ask for fewer clusters."
            )
        if table.made is not None and standardise is not None:
            raise InvalidInput(
                "the rows are grouped by more than plain numbers, and their parts are balanced "
                "already. Leave standardise out."
            )
        wanted = table.has_units if standardise is None else standardise
        X = prepared_rows(table, wanted)
        description = Description(
            id=uuid.uuid4().hex,
            name=name or folder.name,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            n_rows=n_rows,
            n_clusters=int(n_clusters),
            data=file,
            columns=columns,
            features=table.features,
            shown=shown_columns(path, columns, table),
            image_shape=find_image_shape(path, columns, table.X.shape[1]),
            standardised=wanted,
            roles={name: (role.name, role.reason) for name, role in table.roles.items()},
            grouped_by=grouped_by(table),
            unusable=table.unusable.tolist(),
            notes=list(table.notes),
            pictures=placed.pictures,
            journal=None if journal is None else _without_password(journal),
        )
        model = SequentialClustering(
            n_clusters, n_partitions=n_partitions, random_state=random_state
        ).fit(X)
        model.save(draft / MODEL_FOLDER)
        if table.made is not None:
            write_features(draft, table.made)
        write_layout(draft, "pca", pca_layout(X))
        file.check()  # it might have changed while it was read
        description.write(draft)
        create_journal(draft, journal, description.id)
        _sync_tree(draft)
        os.replace(draft, folder)
        _sync(folder.parent)
    except BaseException as error:
        shutil.rmtree(draft, ignore_errors=True)
        if isinstance(error, OSError) and not isinstance(error, LinkwiseError):
            raise StorageTrouble(
                f"the session in {folder} could not be made: {_reason(error)}. "
                f"Nothing was left behind."
            ) from error
        raise


def _make_draft(folder: Path) -> Path:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise SessionError(
            f"no session can be made in {folder.parent}: {_reason(error)}."
        ) from error


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _without_password(url: str) -> str:
    """Return the address of a database without the password, which does not belong in a file."""
    return without_secrets(url)


def _sync_tree(folder: Path) -> None:
    for parent, _, files in os.walk(folder):
        for file in files:
            _sync(Path(parent, file))
        _sync(Path(parent))


def _sync(path: Path) -> None:
    """Ask the system to bring a file or folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
