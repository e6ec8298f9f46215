"""What is in a file somebody uploaded: its columns, a few values, and what they may be for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from linkwise.errors import InvalidInput
from linkwise.server.files.budget import check_budget
from linkwise.tables import read_columns, read_row_names
from linkwise.tables.array_file import image_shape_in, load_arrays, read_arrays
from linkwise.tables.columns import Choice
from linkwise.tables.columns import Column as TableColumn
from linkwise.tables.read import ARRAYS
from linkwise.tables.shown_rows import first_rows

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
#: Texts that all differ and are not longer than this name the rows.
LONGEST_ID = 60
#: Texts this long on average are sentences.
SENTENCE = 25
#: Rows looked at to tell pictures, names and prose apart.
LOOKED_AT = 200
LONGEST_EXAMPLE = 80


@dataclass(frozen=True)
class Described:
    """A column: its name, its type, and some of its values as they stand in the file."""

    name: str
    type: str
    examples: list[str]


@dataclass(frozen=True)
class Description:
    """A file: ``kind`` is "table" or "array"; ``guess`` says what its columns may be for."""

    kind: str
    n_rows: int
    columns: list[Described]
    image_shape: list[int] | None
    guess: dict[str, Any]


def inspect_file(path: Path, budget: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Describe a file as plain data, or say in a sentence why it cannot be read.

    ``budget`` holds how much of what a file may have, as :func:`check_budget` takes it.
    """
    check_budget(path, **(budget or {}))
    if path.suffix.lower() in ARRAYS:
        return asdict(_describe_array(path))
    found = _describe_table(read_columns(path), first_rows(path, LOOKED_AT))
    if not _names_rows(path, found.guess["id"]):
        found.guess["id"] = None
    return asdict(found)


def _names_rows(path: Path, column: str | None) -> bool:
    """Tell whether a column that looks like a name differs in all rows, not only the first."""
    try:
        return column is not None and read_row_names(path, column) is not None
    except InvalidInput:
        return False


def _describe_array(path: Path) -> Description:
    table = read_arrays(path, None, Choice())
    n_rows, n_columns = table.X.shape
    shape = _image_shape(path, n_columns)
    names = [str(k) for k in range(min(n_columns, 100))]
    columns = [Described(name, "number", []) for name in names]
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


def _describe_table(columns: list[TableColumn], rows: list[list[str]]) -> Description:
    values = {column.name: [row[k] for row in rows] for k, column in enumerate(columns)}
    types = {column.name: _type(column, values[column.name]) for column in columns}
    for name in [name for name in types if types[name] == "id"][1:]:
        types[name] = "text" if values[name] and not _all_numbers(values[name]) else "id"
    described = [Described(name, types[name], _examples(values[name])) for name in types]
    return Description("table", columns[0].n_rows, described, None, _guess(described, values))


def _type(column: TableColumn, values: list[str]) -> str:
    filled = [value for value in values if value]
    if column.complaint is None and column.counts_rows:
        return "id"
    if column.not_numbers is None:
        return "number"
    if filled and all(value.lower().endswith(PICTURES) for value in filled):
        return "image"
    differ = len(set(values)) == len(values) > 1
    short = all(len(value) <= LONGEST_ID and value.isprintable() for value in values)
    return "id" if differ and short else "text"


def _guess(columns: list[Described], values: dict[str, list[str]]) -> dict[str, Any]:
    """Guess which column names the rows, which ones are compared, shown as text or as pictures."""
    by_type: dict[str, list[str]] = {"id": [], "number": [], "image": [], "text": []}
    for column in columns:
        by_type[column.type].append(column.name)
    prose = [name for name in by_type["text"] if _reads_like_text(values[name])]
    longest = max(prose, key=lambda name: sum(map(len, values[name])), default=None)
    return {
        "id": next(iter(by_type["id"]), None),
        "features": by_type["number"] or None,
        "text": longest,
        "image": next(iter(by_type["image"]), None),
    }


def _reads_like_text(values: list[str]) -> bool:
    """Tell sentences from categories such as "sand" and "clay"."""
    long = sum(map(len, values)) >= SENTENCE * len(values)
    return long or sum(" " in value.strip() for value in values) > len(values) / 2


def _examples(values: list[str]) -> list[str]:
    return [value[:LONGEST_EXAMPLE] for value in values[:3]]


def _all_numbers(cells: list[str]) -> bool:
    try:
        return all(np.isfinite(float(cell)) or True for cell in cells)
    except ValueError:
        return False
