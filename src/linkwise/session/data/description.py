"""The description of a session, ``session.json``: what it is about and how it was made."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linkwise.errors import InvalidFile
from linkwise.files.headed import Format, short
from linkwise.session.data.file import Columns, DataFile
from linkwise.session.errors import SessionError

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
        }
        FORMAT.write(folder / FILE, values)


def read_description(folder: Path) -> Description:
    """Return what ``session.json`` says, or say what is wrong with it."""
    try:
        if (folder / FILE).is_symlink():
            raise InvalidFile(str(folder / FILE), " is a link to another file.")
        values = FORMAT.read(folder / FILE)
    except InvalidFile as error:
        raise SessionError(f"{error} It was left alone, and so was the journal.") from error
    for name, fits in _FIELDS.items():
        if name not in values or not fits(values[name]):
            found = f"is {short(values[name])}" if name in values else "is missing"
            raise SessionError(
                f"{folder / FILE} is damaged: {name} {found}. Put a copy back; the journal is "
                f"untouched."
            )
    shape = values["image_shape"]
    return Description(
        id=values["id"],
        name=values["name"],
        created=values["created"],
        n_rows=values["n_rows"],
        n_clusters=values["n_clusters"],
        data=DataFile.from_dict(folder, values["data"]),
        columns=Columns.from_dict(values["columns"]),
        features=values["features"],
        shown=values["shown"],
        image_shape=None if shape is None else tuple(shape),
        standardised=values["standardised"],
        journal=values["journal"],
    )


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
        for name in ("id", "text", "image", "array")
    )
    lists = all(_are_names(values.get(name, [])) for name in ("features", "drop"))
    shape = values.get("image_shape")
    return texts and lists and (shape is None or _is_shape(shape))


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


def has_description(folder: Path) -> bool:
    """Tell whether there is anything called ``session.json`` in a folder, damaged or not."""
    return os.path.lexists(folder / FILE)


def is_session(folder: str | Path) -> bool:
    """Tell whether a folder holds a session."""
    return (Path(folder) / FILE).is_file()
