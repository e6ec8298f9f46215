"""Tables in and out of files, whatever they are about: CSV, JSON, Parquet, Feather, JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from linkwise.constraints.near_names import NearNames
from linkwise.errors import (
    Advice,
    InvalidFile,
    InvalidInput,
    InvalidLinks,
    MissingColumns,
    Remedy,
)
from linkwise.files.arrow import read_arrow
from linkwise.files.csv_writer import rearmed, write_csv
from linkwise.files.delimited import Delimited, has_decimal_comma
from linkwise.files.endings import DELIMITED, KNOWLEDGE_READ, KNOWLEDGE_WRITTEN, ending_of, listed
from linkwise.files.headed import Format

#: What JSON files say they are.
LINKS, LABELS = Format("linkwise links", 1), Format("linkwise labels", 1)


@dataclass(frozen=True)
class Table:
    """Columns read from a file, with the means to say where an entry stands."""

    columns: dict[str, list[Any]]
    name: str
    spot: Callable[[int], str]
    joint: str = " "  # what stands between the name and a spot
    is_text: bool = False  # the file has no types
    decimal_comma: bool = False

    def place(self, entry: int) -> str:
        """Return where an entry stands: ``answers.csv line 3``."""
        return f"{self.name}{self.joint}{self.spot(entry)}"

    def column(self, name: str, default: object = None) -> list[Any]:
        """Return a column; where the file has none, the same value for every entry."""
        return self.columns.get(name, [default] * self.n_entries)

    @property
    def n_entries(self) -> int:
        """How many entries every column has."""
        return len(next(iter(self.columns.values())))

    def keep(self, entries: list[int]) -> Table:
        """Return these entries alone, which still know where they stood."""
        columns = {name: [cells[k] for k in entries] for name, cells in self.columns.items()}
        return replace(self, columns=columns, spot=lambda entry: self.spot(entries[entry]))

    def refuse(self, entry: int, complaint: str) -> InvalidLinks:
        """Return the error about one entry: file, place, complaint."""
        return InvalidLinks(f"{self.place(entry)}: {complaint}")


def suffix_of(path: Path, known: tuple[str, ...] = KNOWLEDGE_WRITTEN) -> str:
    """Return how the name ends; anything but the ``known`` endings is refused."""
    suffix = ending_of(path, known)
    if suffix is None:
        raise InvalidInput(f"{path.name}: use a name that ends in {listed(known)}.")
    return suffix


def read_table(path: Path, needed: tuple[str, ...], *advice: Advice) -> Table:
    """Read a file of columns, which all of ``needed`` must be among; ``advice`` if they are not."""
    read = _read_text if suffix_of(path, KNOWLEDGE_READ) in DELIMITED else _read_typed
    try:
        return read(path, needed, *advice)
    except MissingColumns:
        raise
    except InvalidFile as error:
        raise InvalidLinks(str(error)) from error


def renamed(table: Table, names: Mapping[str, str | None]) -> Table:
    """Return a table whose columns go by what they are for: ``{"i": "left id"}``.

    A role whose column is None is filled by a column of the role's own name, if there is one.
    """
    wanted = {role: role if name is None else name for role, name in names.items()}
    for role, name in wanted.items():
        if name not in table.columns and names[role] is not None:
            found = ", ".join(map(repr, table.columns)) or "none"
            advice = [Advice(Remedy.NAME_COLUMNS)] if name == role else []
            complaint = f" has no column {name!r}, it has {found}.{_meant(name, table.columns)}"
            raise MissingColumns(table.name, complaint, *advice)
    columns = {role: table.columns[n] for role, n in wanted.items() if n in table.columns}
    return replace(table, columns=columns)


def write_table(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write columns to a CSV or Parquet file, by its ending."""
    if suffix_of(path) == ".csv":
        write_csv(path, columns)
    else:
        write_parquet(path, columns)


def _read_text(path: Path, needed: tuple[str, ...], *advice: Advice) -> Table:
    """Read a file whose first line names the columns; all values are text.

    The apostrophe with which formulas are written is taken off again.
    """
    source = Delimited.open(path)
    if not source.first:
        raise InvalidLinks(f"{path.name} is empty.")
    header = [name.strip() for name in source.first]
    _check_columns(path, " line 1", header, needed, *advice)
    batches = list(source.batches(header=True))
    columns = zip(*batches, strict=True)
    cells = [[_as_said(cell) for part in parts for cell in part.to_pylist()] for parts in columns]
    return Table(
        dict(zip(header, cells or [[] for _ in header], strict=True)),
        path.name,
        lambda entry: f"line {source.line_of(entry + 1)}",
        is_text=True,
        decimal_comma=bool(batches) and has_decimal_comma(batches[0], source.delimiter),
    )


def _as_said(cell: str | None) -> str | None:
    """Return a cell without the apostrophe that :func:`write_csv` put before a formula."""
    return rearmed(cell) if cell is not None and cell.startswith("'") else cell


def _read_typed(path: Path, needed: tuple[str, ...], *advice: Advice) -> Table:
    """Read a file whose columns have types; entries are counted from 0."""
    table = read_arrow(path)
    _check_columns(path, "", table.column_names, needed, *advice)
    return Table(table.to_pydict(), path.name, lambda entry: f"entry {entry}")


def read_json(path: Path, kind: Format) -> dict[str, Any]:
    """Read an object that says it is of this ``kind``, in a version we know."""
    path.open("rb").close()  # a missing file is told by the operating system
    try:
        return kind.read(path)
    except InvalidFile as error:
        raise InvalidLinks(error.worded(file=path.name)) from None


def write_json(path: Path, kind: Format, content: dict[str, Any]) -> None:
    """Write an object that says of what kind and version it is."""
    path.write_text(kind.text(content, ensure_ascii=False), encoding="utf-8")


def write_parquet(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write columns, each of one type."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), path)


def _check_columns(
    path: Path, place: str, header: list[str], needed: tuple[str, ...], *advice: Advice
) -> None:
    if not set(needed) <= set(header):
        found = ", ".join(map(repr, header)) or "nothing"
        complaint = f"{place}: the columns must be {', '.join(needed)}, got {found}."
        missing = next(name for name in needed if name not in header)
        complaint += _meant(missing, [name for name in header if name not in needed])
        raise MissingColumns(path.name, complaint, *advice)


def _meant(name: str, known: Iterable[str]) -> str:
    near = NearNames(known).near(name)
    return "" if near is None else f" Did you mean {near!r}?"
