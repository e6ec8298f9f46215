"""The description of a session, ``session.json``: what it is about and how it was made."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkwise.errors import InvalidFile
from linkwise.files.headed import Format, refuse_pipe, short
from linkwise.session.data.file import Columns, DataFile, Placed, read_data
from linkwise.session.data.in_place import table_in_place
from linkwise.session.errors import SessionError
from linkwise.tables import Table
from linkwise.tables.words import in_words

if TYPE_CHECKING:
    from linkwise.ensemble import RowSource

FORMAT = Format("linkwise session", 1)
FILE = "session.json"


@dataclass(frozen=True)
class Description:
    """What ``session.json`` says.

    Attributes
    ----------
    id : str
        Told apart from all other sessions, for the journal and the checkpoints.
    name : str
        For people.
    created : str
        ISO 8601 in UTC.
    n_rows, n_clusters : int
        Size of the data, and clusters of the model.
    data, columns
        Where the rows are and what their columns mean.
    features : list of str
        The columns clustered by.
    shown : list of dict
        Name and type of every column.
    image_shape : tuple of int or None
        Shape of a row that is a picture.
    standardised : bool
        Whether features were given mean 0 and spread 1.
    journal : str or None
        Address of the PostgreSQL database, without password; None is a SQLite file in the folder.
    roles : dict
        What each column was taken for, and why in words; none for arrays.
    grouped_by : str
        What rows are grouped by, in words.
    unusable : list of int
        Rows in which there is nothing to group by.
    notes : list of str
        What else people should know about the data, a sentence each.
    follows : bool
        Whether the number of clusters follows the answers, until somebody says a number.
    pictures : Path or None
        Where the names of picture files begin; None is the folder of the data file.
    in_place : bool
        Whether rows stay in their files and are read a block at a time.
    """

    id: str
    name: str
    created: str
    n_rows: int
    n_clusters: int
    data: DataFile
    columns: Columns
    features: list[str]
    shown: list[dict[str, str]]
    image_shape: tuple[int, ...] | None
    standardised: bool
    journal: str | None
    roles: dict[str, tuple[str, str]] = field(default_factory=dict)
    grouped_by: str = ""
    unusable: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    follows: bool = False
    pictures: Path | None = None
    in_place: bool = False

    def open_rows(self) -> RowSource:
        """Return the rows that stay in their files."""
        columns = replace(self.columns, features=tuple(self.features))
        rows: RowSource = table_in_place(self.data.path, columns, None).X
        return rows

    def read_rows(self) -> Table:
        """Return the rows again that the session was made of."""
        used = {name: self.roles[name][0] for name in self.features if name in self.roles}
        plain = set(used.values()) <= {"number"}
        columns = replace(
            self.columns, features=tuple(self.features), drop=(), roles={} if plain else used
        )
        return read_data(Placed(self.data.path, self.data.copied, self.pictures), columns)

    def write(self, folder: Path) -> None:
        """Write ``session.json`` into a folder that is being made."""
        values: dict[str, Any] = {
            "id": self.id,
            "name": self.name,
            "created": self.created,
            "n_rows": self.n_rows,
            "n_clusters": self.n_clusters,
            "data": self.data.as_dict(),
            "columns": self.columns.as_dict(),
            "features": self.features,
            "shown": self.shown,
            "image_shape": self.image_shape,
            "standardised": self.standardised,
            "journal": self.journal,
            "roles": self.roles,
            "grouped_by": self.grouped_by,
            "unusable": self.unusable,
            "notes": self.notes,
            "follows": self.follows,
            "pictures": None if self.pictures is None else str(self.pictures),
            "in_place": self.in_place,
        }
        FORMAT.write(folder / FILE, values)


def read_description(folder: Path) -> Description:
    """Return what ``session.json`` says, or say what is wrong with it."""
    try:
        if (folder / FILE).is_symlink():
            raise InvalidFile(str(folder / FILE), " is a link to another file.")
        _check_files(folder)
        values = FORMAT.read(folder / FILE)
    except InvalidFile as error:
        raise SessionError(f"{error} It was left alone, and so was the journal.") from error
    for name, fits in (_FIELDS | {name: _LATER[name] for name in _LATER if name in values}).items():
        if name not in values or not fits(values[name]):
            found = f"is {short(values[name])}" if name in values else "is missing"
            raise SessionError(
                f"{folder / FILE} is damaged: {name} {found}. Put a copy back; the journal is "
                f"untouched."
            )
    shape, pictures, features = values["image_shape"], values.get("pictures"), values["features"]
    return Description(
        id=values["id"],
        name=values["name"],
        created=values["created"],
        n_rows=values["n_rows"],
        n_clusters=values["n_clusters"],
        data=DataFile.from_dict(folder, values["data"]),
        columns=Columns.from_dict(values["columns"]),
        features=features,
        shown=values["shown"],
        image_shape=None if shape is None else tuple(shape),
        standardised=values["standardised"],
        journal=values["journal"],
        roles={name: (role, why) for name, (role, why) in values.get("roles", {}).items()},
        grouped_by=values.get("grouped_by") or in_words(dict.fromkeys(features, "number")),
        unusable=values.get("unusable", []),
        notes=values.get("notes", []),
        follows=values.get("follows", False),
        pictures=None if pictures is None else Path(pictures),
        in_place=values.get("in_place", False),
    )


def _check_files(folder: Path) -> None:
    """Refuse pipes and devices in the place of files, which nobody has opened yet."""
    for path in (*folder.glob("*"), *(folder / "model").rglob("*")):
        refuse_pipe(path)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_TEXT and value.isprintable()


def _is_count(value: object, most: int = 2**48) -> bool:
    return type(value) is int and 1 <= value <= most


def _are_names(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _is_shape(values: object) -> bool:
    return isinstance(values, list) and len(values) in (2, 3) and all(map(_is_count, values))


def _is_file(values: object) -> bool:
    if not isinstance(values, dict) or type(values.get("copied")) is not bool:
        return False
    path = values.get("path")
    numbers = all(type(values.get(name)) is int for name in ("size", "modified"))
    named = isinstance(path, str) and "\x00" not in path and path != ""
    inside = named and (not values["copied"] or Path(str(path)).name == path)
    return inside and numbers and _is_text(values.get("sha256"))


def _are_columns(values: object) -> bool:
    """Tell whether these are what :meth:`Columns.as_dict` returns; others are left alone."""
    if not isinstance(values, dict):
        return False
    texts = all(
        values.get(name) is None or isinstance(values[name], str)
        for name in ("id", "text", "image", "array", "encoding")
    )
    lists = all(_are_names(values.get(name, [])) for name in ("features", "drop"))
    roles = values.get("roles", {})
    named = isinstance(roles, dict) and _are_names(list(roles.values()))
    shape = values.get("image_shape")
    return texts and lists and named and (shape is None or _is_shape(shape))


def _are_roles(values: object) -> bool:
    return isinstance(values, dict) and all(
        isinstance(one, list) and len(one) == 2 and _are_names(one) for one in values.values()
    )


def _are_rows(values: object) -> bool:
    return isinstance(values, list) and all(type(row) is int and row >= 0 for row in values)


def _is_place(value: object) -> bool:
    return value is None or (isinstance(value, str) and "\x00" not in value and value != "")


def _are_shown(values: object) -> bool:
    return isinstance(values, list) and all(
        isinstance(one, dict) and all(isinstance(one.get(part), str) for part in ("name", "type"))
        for one in values
    )


_LONGEST_TEXT = 10_000
#: What each field must look like.
_FIELDS: dict[str, Callable[[Any], bool]] = {
    "id": _is_text,
    "name": lambda value: isinstance(value, str) and len(value) <= _LONGEST_TEXT,
    "created": _is_text,
    "n_rows": _is_count,
    "n_clusters": lambda value: _is_count(value, 65_535),
    "data": _is_file,
    "columns": _are_columns,
    "features": _are_names,
    "shown": _are_shown,
    "image_shape": lambda value: value is None or _is_shape(value),
    "standardised": lambda value: type(value) is bool,
    "journal": lambda value: value is None or _is_text(value),
}


#: What sessions that an older version made do not have.
_LATER: dict[str, Callable[[Any], bool]] = {
    "roles": _are_roles,
    "grouped_by": lambda value: isinstance(value, str),
    "unusable": _are_rows,
    "notes": _are_names,
    "follows": lambda value: type(value) is bool,
    "pictures": _is_place,
    "in_place": lambda value: type(value) is bool,
}


def has_description(folder: Path) -> bool:
    """Tell whether there is anything called ``session.json`` in a folder, damaged or not."""
    return os.path.lexists(folder / FILE)


def is_session(folder: str | Path) -> bool:
    """Tell whether a folder holds a session."""
    return (Path(folder) / FILE).is_file()
