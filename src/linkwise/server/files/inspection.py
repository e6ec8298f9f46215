"""What is in a file somebody uploaded: its columns, a few values, and what they may be for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from typing import Any

from linkwise.errors import InvalidInput
from linkwise.features import Role
from linkwise.files.parquet_folder import parquet_files
from linkwise.server.files.budget import check_budget, refuse_beyond
from linkwise.session.data.in_place import FolderRows, is_parquet_folder, numeric_columns
from linkwise.tables import Choice, read_frame, read_row_names
from linkwise.tables.array_file import image_shape_in, load_arrays, read_arrays
from linkwise.tables.columns import guessed_roles
from linkwise.tables.frame import Frame
from linkwise.tables.picture_folder import COLUMN as PICTURE
from linkwise.tables.read import ARRAYS
from linkwise.tables.shown_rows import first_rows

LONGEST_EXAMPLE = 80
N_EXAMPLES = 3
#: How a column is shown, by what it is.
_TYPES = {"number": "number", "picture": "image", "id": "id"}


@dataclass(frozen=True)
class Described:
    """A column: its name, how it is shown, some of its values, what it is taken for and why."""

    name: str
    type: str
    examples: list[str]
    role: str
    reason: str


@dataclass(frozen=True)
class Description:
    """A file: ``kind`` is "table" or "array"; ``guess`` says what its columns may be for."""

    kind: str
    n_rows: int
    columns: list[Described]
    image_shape: list[int] | None
    guess: dict[str, Any]
    encoding: str | None = None


def inspect_file(
    path: Path, budget: Mapping[str, int] | None = None, encoding: str | None = None
) -> dict[str, Any]:
    """Describe a file as plain data, or say in a sentence why it cannot be read.

    ``budget`` holds how much of what a file may have, as :func:`check_budget` takes it. A folder of
    pictures is described as the table it stands for, one of Parquet files by the first of them.
    """
    if is_parquet_folder(path):
        return asdict(_describe_parts(path))
    allowed = budget or {}
    check_budget(path, **allowed)
    is_array = path.suffix.lower() in ARRAYS and not path.is_dir()
    found = _describe_array(path) if is_array else _describe_table(path, encoding)
    refuse_beyond(path, "rows", found.n_rows, allowed.get("rows"))  # not all files say so before
    if not is_array:
        refuse_beyond(path, "columns", len(found.columns), allowed.get("columns"))
    return asdict(found)


def _describe_table(path: Path, encoding: str | None) -> Description:
    frame = read_frame(path, encoding=encoding)
    folder = path if path.is_dir() else path.parent
    roles = guessed_roles(frame, list(frame.by_name), folder)
    columns = [
        Described(name, _TYPES.get(role.name, "text"), examples, role.name, role.reason)
        for (name, role), examples in zip(
            roles.items(), _examples(path, frame, encoding), strict=True
        )
    ]
    guess = _guess(roles)
    if path.is_dir():
        guess["id"] = PICTURE
    elif not _names_rows(path, guess["id"], encoding):
        guess["id"] = None
    return Description("table", frame.n_rows, columns, None, guess, frame.encoding)


def _describe_parts(folder: Path) -> Description:
    """Describe the table that a folder of Parquet files is; its numbers can be grouped by."""
    import pyarrow.parquet as parquet

    shown, files = FolderRows(folder), parquet_files(folder)
    n_rows = sum(parquet.read_metadata(name).num_rows for name in files)
    rows = shown.read(range(min(N_EXAMPLES, n_rows)))
    numbers = numeric_columns(folder)
    columns = [
        Described(
            name,
            "number" if name in numbers else "text",
            ["" if row[name] is None else str(row[name])[:LONGEST_EXAMPLE] for row in rows],
            "number" if name in numbers else "ignored",
            "numbers" if name in numbers else "of rows in many files, numbers alone are used",
        )
        for name in shown.columns
    ]
    guess = {"id": None, "features": numbers, "text": None, "image": None}
    return Description("table", n_rows, columns, None, guess)


def _guess(roles: Mapping[str, Role]) -> dict[str, Any]:
    """Return which column names the rows, which are grouped by, and what is shown."""

    def first(role: str) -> str | None:
        return next((name for name, its in roles.items() if its.name == role), None)

    return {
        "id": first("id"),
        "features": [name for name, role in roles.items() if role.used] or None,
        "text": first("text"),
        "image": first("picture"),
    }


def _names_rows(path: Path, column: str | None, encoding: str | None) -> bool:
    """Tell whether a column that looks like a name has one for every row, and no two alike."""
    try:
        return column is not None and bool(read_row_names(path, column, None, encoding))
    except InvalidInput:
        return False


def _examples(path: Path, frame: Frame, encoding: str | None) -> list[list[str]]:
    """Return the first values of each column as they stand in the file."""
    if path.is_dir():
        names: Any = frame.columns[0]
        return [names[:N_EXAMPLES].to_pylist()]
    rows = first_rows(path, N_EXAMPLES, encoding)
    return [[row[k][:LONGEST_EXAMPLE] for row in rows] for k in range(len(frame.names))]


def _describe_array(path: Path) -> Description:
    table = read_arrays(path, None, Choice())
    n_rows, n_columns = table.X.shape
    shape = _image_shape(path, n_columns)
    names = [str(k) for k in range(min(n_columns, 100))]
    columns = [Described(name, "number", [], "number", "numbers") for name in names]
    guess = {"id": None, "features": None, "text": None, "image": None}
    return Description("array", n_rows, columns, shape, guess)


def _image_shape(path: Path, n_columns: int) -> list[int] | None:
    """Return the shape of a row that is a picture, if the file says so."""
    if path.suffix.lower() != ".npz":
        return None
    shape = image_shape_in(path.name, load_arrays(path))
    if shape is None:
        return None
    if len(shape) not in (2, 3) or min(shape) < 1 or prod(shape) != n_columns:
        raise InvalidInput(f"image_shape is {list(shape)}, but a row has {n_columns} values.")
    return list(shape)
