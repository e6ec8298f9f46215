"""Creation: all or nothing, made in a draft folder, synced, and renamed into place."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.sequential.model_file import ENSEMBLE_FOLDER, load
from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.engines.base import Engine
from linkwise.engines.find import find_engine
from linkwise.engines.ray import Ray
from linkwise.ensemble import LabelMatrix
from linkwise.ensemble.sources import sample_rows
from linkwise.ensemble.store import ARRAY_FILE
from linkwise.errors import InvalidInput, LinkwiseError, MissingData
from linkwise.running import run_options
from linkwise.session.data.complaints import complaints_about
from linkwise.session.data.description import Description
from linkwise.session.data.features_file import write_features
from linkwise.session.data.file import (
    Columns,
    DataFile,
    Placed,
    TableLike,
    find_image_shape,
    of_pictures,
    place_data,
    prepared_rows,
    read_data,
    shown_columns,
)
from linkwise.session.data.in_place import columns_in_place, is_parquet_folder, table_in_place
from linkwise.session.data.layout import map_rows, pca_layout
from linkwise.session.data.layout_file import write_layout
from linkwise.session.errors import StorageTrouble
from linkwise.session.folders import draft_of, reason
from linkwise.session.journal.address import without_secrets
from linkwise.session.journal.journal import create_journal
from linkwise.tables.choice import Table
from linkwise.tables.words import grouped_by
from linkwise.validation import require_number

MODEL_FOLDER = "model"
_FITTING = "fitting"
#: Labels of the partitions up to so many bytes are read into memory, where no one can cut them.
MOST_IN_MEMORY = 64 * 2**20


def create_session(
    folder: Path,
    data: TableLike,
    n_clusters: int | str,
    *,
    name: str | None,
    columns: Columns,
    standardise: bool | None,
    n_partitions: int,
    journal: str | None,
    random_state: int,
    engine: str | Engine | None = None,
) -> None:
    """Make the folder of a new session; when anything fails, nothing is left behind."""
    require_number(
        "Session.create", "n_clusters", n_clusters, low=1, high=256, integer=True, or_in=("auto",)
    )
    require_number("Session.create", "random_state", random_state, low=0, integer=True)
    in_place = engine is not None or is_parquet_folder(data)
    _check_storage(engine)
    with complaints_about(data), _draft(folder) as draft:
        found = _find(data, draft, columns, standardise, in_place=in_place)
        n_usable = found.n_rows - len(found.table.unusable)
        if not isinstance(n_clusters, str) and n_clusters > n_usable:
            rows = "1 row" if n_usable == 1 else f"{n_usable} rows"
            raise InvalidInput(f"{rows} cannot make {n_clusters} clusters. Ask for fewer clusters.")
        model = SequentialClustering(
            n_clusters,
            n_partitions=n_partitions,
            random_state=random_state,
            engine="cpu" if engine is None else engine,
        )
        with run_options(folder=draft / _FITTING if in_place and not _is_ray(engine) else None):
            model.fit(_with_stand_ins(found.X, found.table.unusable, random_state))
        model.recluster(model.n_clusters_)  # the journal says when it changes
        model.save(draft / MODEL_FOLDER)
        shutil.rmtree(draft / _FITTING, ignore_errors=True)
        if found.table.made is not None:
            write_features(draft, found.table.made)
        write_layout(draft, "pca", pca_layout(_to_draw(found, model)))
        called, follows = name or folder.name, n_clusters == "auto"
        description = _describe(found, model, called, journal, follows=follows)
        found.file.check()  # it might have changed while it was read
        description.write(draft)
        create_journal(draft, journal, description.id)


@dataclass(frozen=True)
class _Found:
    """The data of a session: their file, what is in it, and the rows as they are clustered."""

    placed: Placed
    file: DataFile
    columns: Columns
    table: Table
    X: Any
    standardised: bool
    in_place: bool

    @property
    def n_rows(self) -> int:
        return int(self.X.n_rows if self.in_place else self.X.shape[0])


def _find(
    data: TableLike, draft: Path, columns: Columns, standardise: bool | None, *, in_place: bool
) -> _Found:
    """Look into the data, which are copied into the draft where they are no file."""
    placed = place_data(data, draft)
    file = DataFile.of(placed.path, copied=placed.copied)
    if placed.pictures is not None:
        columns = of_pictures(columns)
    if in_place:
        table = table_in_place(placed.path, columns, standardise)
    else:
        table = read_data(placed, columns)
    if table.made is not None and standardise is not None:
        raise InvalidInput(
            "the rows are grouped by more than plain numbers, and their parts are balanced "
            "already. Leave standardise out."
        )
    wanted = table.has_units if standardise is None else standardise
    X = table.X if in_place else prepared_rows(table, wanted)
    return _Found(placed, file, columns.completed(table), table, X, wanted, in_place)


def _with_stand_ins(X: Any, unusable: NDArray[np.int64], seed: int) -> Any:
    """Return rows in which others stand for those that cannot be used.

    These lie in one place, where they would be a cluster of their own if they are many. Each of
    the others stands for as many of them as any other, or for one more.
    """
    if not len(unusable):
        return X
    usable = np.setdiff1d(np.arange(len(X)), unusable)
    drawn = np.random.RandomState(seed).permutation(usable)
    X = X.copy()
    X[unusable] = X[np.resize(drawn, len(unusable))]
    return X


def _describe(
    found: _Found, model: SequentialClustering, name: str, journal: str | None, *, follows: bool
) -> Description:
    """Return what is known of a new session."""
    table, columns, path = found.table, found.columns, found.placed.path
    shown = columns_in_place if found.in_place else shown_columns
    return Description(
        id=uuid.uuid4().hex,
        name=name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        n_rows=found.n_rows,
        n_clusters=model.n_clusters_,
        data=found.file,
        columns=columns,
        features=table.features,
        shown=shown(path, columns, table),
        image_shape=find_image_shape(path, columns, int(model.n_features_in_)),
        standardised=found.standardised,
        roles={name: (role.name, role.reason) for name, role in table.roles.items()},
        grouped_by=grouped_by(table),
        unusable=table.unusable.tolist(),
        notes=list(table.notes),
        follows=follows,
        pictures=found.placed.pictures,
        journal=None if journal is None else without_secrets(journal),
        in_place=found.in_place,
    )


def _to_draw(found: _Found, model: SequentialClustering) -> Any:
    """Return the rows that the map shows: a sample of those that stay in their files."""
    if not found.in_place:
        return found.X
    rows = find_engine(model.engine).open(found.X)
    return sample_rows(rows, map_rows(found.n_rows, model.landmarks_.rows))


def open_model(
    folder: Path, about: Description, engine: str | Engine | None = None
) -> SequentialClustering:
    """Return the model of a session, without answers.

    Large ones leave their labels in the file, which nobody can cut short while they vote; that it
    was is told. Labels that lie on a cluster are found there again, or made again.
    """
    model: SequentialClustering
    if LabelMatrix.is_elsewhere(folder / MODEL_FOLDER / ENSEMBLE_FOLDER):
        if engine is None:
            raise MissingData(
                f"the labels of the session in {folder} lie on a cluster. Open it with "
                "engine=linkwise.engines.Ray(address, storage=...), or tell the service the "
                "address."
            )
        _check_storage(engine)
        model = load(folder / MODEL_FOLDER, X=about.open_rows(), engine=engine)
        return model
    labels = folder / MODEL_FOLDER / ENSEMBLE_FOLDER / ARRAY_FILE
    is_large = labels.is_file() and labels.stat().st_size > MOST_IN_MEMORY
    here = "cpu" if engine is None or _is_ray(engine) else engine
    model = load(folder / MODEL_FOLDER, mmap=is_large, engine=here)
    return model


def _is_ray(engine: str | Engine | None) -> bool:
    return engine == "ray" or isinstance(engine, Ray)


def _check_storage(engine: str | Engine | None) -> None:
    """Refuse a cluster that forgets labels: whoever opens the session looks for them."""
    if _is_ray(engine) and getattr(engine, "storage", None) is None:
        raise InvalidInput(
            "a session on a cluster is opened again and again, and should find its labels there: "
            "say where each machine keeps them, engine=linkwise.engines.Ray(address, storage=...)."
        )


@contextmanager
def _draft(folder: Path) -> Iterator[Path]:
    """Lend the draft of a folder; a disk that fails is a sentence, and nothing is left behind."""
    try:
        with draft_of(folder) as draft:
            yield draft
    except OSError as error:
        if isinstance(error, LinkwiseError):
            raise
        raise StorageTrouble(
            f"the session in {folder} could not be made: {reason(error)}. Nothing was left behind."
        ) from error
