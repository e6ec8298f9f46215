"""The description of a session, ``session.json``: what it is about and how it was made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linkwise.errors import InvalidFile
from linkwise.files.headed import Format
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
        values = FORMAT.read(folder / FILE)
    except InvalidFile as error:
        raise SessionError(f"{error} It was left alone, and so was the journal.") from error
    try:
        shape = values["image_shape"]
        return Description(
            id=values["id"],
            name=values["name"],
            created=values["created"],
            n_rows=int(values["n_rows"]),
            n_clusters=int(values["n_clusters"]),
            data=DataFile.from_dict(folder, values["data"]),
            columns=Columns.from_dict(values["columns"]),
            features=list(values["features"]),
            shown=list(values["shown"]),
            image_shape=None if shape is None else tuple(shape),
            standardised=bool(values["standardised"]),
            journal=values["journal"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise SessionError(
            f"{folder / FILE} is damaged: {error!r} is missing or not what it should be. "
            f"Put a copy back; the journal is untouched."
        ) from None


def is_session(folder: str | Path) -> bool:
    """Tell whether a folder holds a session."""
    return (Path(folder) / FILE).is_file()
