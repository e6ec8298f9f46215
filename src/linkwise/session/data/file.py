"""The data a session is about: a file known by its content, never by its name alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from linkwise.errors import InvalidInput, MissingData
from linkwise.files.endings import ending_of
from linkwise.files.frames import arrow_table, is_frame
from linkwise.session.data.in_place import footers_hash, is_parquet_folder, looks_of
from linkwise.session.errors import DataChanged
from linkwise.tables import ENDINGS, Choice, Table, read_table, unread
from linkwise.tables.array_file import image_shape_in, load_arrays
from linkwise.tables.frame import check_known
from linkwise.tables.picture_folder import COLUMN as PICTURES
from linkwise.tables.picture_folder import read_folder
from linkwise.tables.shown_rows import open_rows
from linkwise.typing import Matrix, MatrixLike

#: Larger files are compared by size and time first, and by content only if those differ.
ALWAYS_HASHED = 1 << 30
#: A file, or rows: arrays, sparse matrices, data frames.
TableLike: TypeAlias = str | os.PathLike[str] | MatrixLike
COPY_NAME = "data"


@dataclass(frozen=True)
class Columns:
    """What the columns of the data are.

    Parameters
    ----------
    id : str or None
        The column (of a ``.npz`` file: array) that names the rows.
    features : sequence of str
        Columns to group by; none given: all that can be used.
    text : str or None
        A column of text to show; None: the first one, if there is any.
    image : str or None
        A column of paths of pictures, relative to the folder of the data file and inside it; None:
        the first one, if there is any.
    drop : sequence of str
        Columns not to group by.
    image_shape : (height, width) or (height, width, channels), or None
        For arrays: every row is a picture of this shape.
    array : str or None
        The array of a ``.npz`` file that holds the rows; None is ``X``.
    roles : dict of str to str
        What columns are, where the guess is wrong: "number", "category", "date", "text",
        "picture", "vector", "id" or "ignored".
    encoding : str or None
        Encoding of a CSV or text file; None finds it out.
    """

    id: str | None = None
    features: tuple[str, ...] = ()
    text: str | None = None
    image: str | None = None
    drop: tuple[str, ...] = ()
    image_shape: tuple[int, ...] | None = None
    array: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None

    def __post_init__(self) -> None:
        for name in ("features", "drop"):
            object.__setattr__(self, name, tuple(getattr(self, name) or ()))
        object.__setattr__(self, "roles", dict(self.roles))
        if self.image_shape is not None:
            object.__setattr__(self, "image_shape", tuple(self.image_shape))

    @property
    def choice(self) -> Choice:
        """What to read for clustering."""
        return Choice(self.id, self.features, self.drop, self.roles)

    def completed(self, table: Table) -> Columns:
        """Return the same with the text and the picture to show, where nobody has named them."""

        def first(role: str) -> str | None:
            return next((name for name, its in table.roles.items() if its.name == role), None)

        text, image = self.text or first("text"), self.image or first("picture")
        return replace(self, text=text, image=image)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Columns:
        """Return the columns that :meth:`as_dict` described."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}


@dataclass(frozen=True)
class DataFile:
    """Where the rows are, and the hash of what was there when the session was made."""

    path: Path
    sha256: str
    size: int
    modified: int
    copied: bool = False

    @classmethod
    def of(cls, path: Path, *, copied: bool = False) -> DataFile:
        """Describe a file, or the Parquet files of a folder, as they are now."""
        return cls(path, content_hash(path), *_looks(path), copied)

    @classmethod
    def from_dict(cls, folder: Path, values: dict[str, Any]) -> DataFile:
        """Return the file that :meth:`as_dict` described; a copy lies in the session's folder."""
        path = folder / values["path"] if values["copied"] else Path(values["path"])
        return cls(path, values["sha256"], values["size"], values["modified"], values["copied"])

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        name = self.path.name if self.copied else str(self.path)
        return asdict(self) | {"path": name}

    def check_length(self) -> None:
        """Refuse to go on if the file is gone or has another length; quick enough for every use."""
        try:
            size, _ = _looks(self.path)
        except OSError:
            size = -1
        if size != self.size:
            self.check()

    def check(self) -> None:
        """Refuse to go on if the file is gone or holds something else."""
        try:
            size, modified = _looks(self.path)
        except OSError:
            raise MissingData(
                f"the data of this session are not there: {self.path} cannot be found. "
                f"Put the file back."
            ) from None
        if size > ALWAYS_HASHED and (size, modified) == (self.size, self.modified):
            return
        if size != self.size or content_hash(self.path) != self.sha256:
            raise DataChanged(
                f"{self.path} has changed since the session was made, so its rows may not be the "
                f"ones the answers are about. Put the file back as it was, or make a new session."
            )


def content_hash(path: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of what its Parquet files say they hold."""
    if path.is_dir():
        return footers_hash(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _looks(path: Path) -> tuple[int, int]:
    """Return the length of a file and when it was changed last."""
    stat = path.stat()
    return looks_of(path) if path.is_dir() else (stat.st_size, stat.st_mtime_ns)


@dataclass(frozen=True)
class Placed:
    """The file that holds the data of a session.

    ``copied`` tells whether it was written into the session's folder, ``pictures`` where the
    names of picture files begin, if that is not beside the file.
    """

    path: Path
    copied: bool
    pictures: Path | None = None


def place_data(data: TableLike, folder: Path) -> Placed:
    """Return the file that holds ``data``; what is no file is written to one in ``folder``."""
    if not isinstance(data, str | Path):
        return Placed(_write_copy(data, folder), copied=True)
    path = Path(data).expanduser().resolve()
    if is_parquet_folder(path):
        return Placed(path, copied=False)
    if path.is_dir():
        listing = write_listing(folder / f"{COPY_NAME}.parquet", path, path)
        return Placed(listing, copied=True, pictures=path)
    if ending_of(path, ENDINGS) is None:
        raise unread(path)
    if not path.is_file():
        raise MissingData(f"there is no file {path}.")
    return Placed(path, copied=False)


def of_pictures(columns: Columns) -> Columns:
    """Return what the only column of a folder of pictures is: it names, shows and groups rows."""
    return replace(columns, id=PICTURES, image=PICTURES, features=(PICTURES,))


def write_listing(path: Path, pictures: Path, home: Path) -> Path:
    """Write the names of the pictures in a folder, as seen from ``home``, a folder around it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    below = pictures.relative_to(home)
    names = read_folder(pictures).arrow([PICTURES])[PICTURES].to_pylist()
    table = pa.table({PICTURES: [(below / name).as_posix() for name in names]})
    pq.write_table(table, path)
    return path


def _write_copy(data: TableLike, folder: Path) -> Path:
    import pyarrow.parquet as pq

    if sp.issparse(data):
        path = folder / f"{COPY_NAME}.npz"
        sp.save_npz(path, sp.csr_matrix(data), compressed=False)
    elif is_frame(data):
        path = folder / f"{COPY_NAME}.parquet"
        pq.write_table(arrow_table(data), path)
    else:
        rows = np.asarray(data)
        if rows.ndim != 2 or rows.dtype.kind not in "biuf":
            raise InvalidInput(
                f"data is {rows.dtype} of shape {rows.shape}, expected numbers of shape "
                f"(n_rows, n_features), a table, or the path of a file."
            )
        path = folder / f"{COPY_NAME}.npy"
        np.save(path, rows, allow_pickle=False)
    return path


def read_data(placed: Placed, columns: Columns) -> Table:
    """Return the rows to cluster by; the columns to show must be there, too."""
    path, choice = placed.path, columns.choice
    table = read_table(path, choice, columns.array, columns.encoding, placed.pictures)
    shown = [name for name in (columns.text, columns.image) if name is not None]
    if shown:
        check_known(path.name, shown, open_rows(path, columns.array, columns.encoding).columns)
    return table


def prepared_rows(table: Table, standardise: bool) -> Matrix:
    """Return the features, with mean 0 and spread 1 if wanted."""
    if not standardise:
        return table.X
    from sklearn.preprocessing import StandardScaler  # half a second to import

    return StandardScaler(with_mean=not sp.issparse(table.X)).fit_transform(table.X)


def shown_columns(path: Path, columns: Columns, table: Table) -> list[dict[str, str]]:
    """Return the name and type of every column of the file."""
    roles = {columns.id: "id", columns.text: "text", columns.image: "image"}
    if not table.roles:
        return [{"name": name, "type": "number"} for name in table.features]
    return [
        {"name": name, "type": roles.get(name) or ("number" if name in table.numeric else "text")}
        for name in open_rows(path, columns.array, columns.encoding).columns
    ]


def find_image_shape(path: Path, columns: Columns, n_features: int) -> tuple[int, ...] | None:
    """Return the shape of a row that is a picture: as given, or as a ``.npz`` file says."""
    shape = columns.image_shape
    if shape is None and path.suffix.lower() == ".npz":
        shape = image_shape_in(path.name, load_arrays(path))
    if shape is None:
        return None
    fits = len(shape) in (2, 3) and all(isinstance(s, int) and s > 0 for s in shape)
    if not fits or (len(shape) == 3 and shape[2] not in (1, 3)):
        raise InvalidInput(
            f"image_shape is {shape}, expected (height, width) or (height, width, 1 or 3)."
        )
    if prod(shape) != n_features:
        raise InvalidInput(f"image_shape {shape} has {prod(shape)} values, a row has {n_features}.")
    return shape
