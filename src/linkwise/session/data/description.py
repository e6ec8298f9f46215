"""The description of a session, ``session.json``: what it is about and how it was made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from linkwise.errors import InvalidFile
from linkwise.files.headed import Format
from linkwise.session.data.file import Columns, DataFile, Placed, read_data
from linkwise.session.errors import SessionError
from linkwise.tables import Table
from linkwise.tables.words import in_words

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
    pictures : Path or None
        Where the names of picture files begin; None is the folder of the data file.
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
    pictures: Path | None = None

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
            "pictures": None if self.pictures is None else str(self.pictures),
        }
        FORMAT.write(folder / FILE, values)


def read_description(folder: Path) -> Description:
    """Return what ``session.json`` says, or say what is wrong with it."""
    try:
        values = FORMAT.read(folder / FILE)
    except InvalidFile as error:
        raise SessionError(f"{error} It was left alone, and so was the journal.") from error
    try:
        shape, pictures = values["image_shape"], values.get("pictures")
        features = list(values["features"])
        return Description(
            id=values["id"],
            name=values["name"],
            created=values["created"],
            n_rows=int(values["n_rows"]),
            n_clusters=int(values["n_clusters"]),
            data=DataFile.from_dict(folder, values["data"]),
            columns=Columns.from_dict(values["columns"]),
            features=features,
            shown=list(values["shown"]),
            image_shape=None if shape is None else tuple(shape),
            standardised=bool(values["standardised"]),
            journal=values["journal"],
            roles={name: (role, why) for name, (role, why) in values.get("roles", {}).items()},
            grouped_by=values.get("grouped_by") or in_words(dict.fromkeys(features, "number")),
            unusable=[int(row) for row in values.get("unusable", [])],
            notes=list(values.get("notes", [])),
            pictures=None if pictures is None else Path(pictures),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise SessionError(
            f"{folder / FILE} is damaged: {error!r} is missing or not what it should be. "
            f"Put a copy back; the journal is untouched."
        ) from None


def is_session(folder: str | Path) -> bool:
    """Tell whether a folder holds a session."""
    return (Path(folder) / FILE).is_file()
