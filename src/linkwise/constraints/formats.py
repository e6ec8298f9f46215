"""Tables in and out of CSV, JSON and Parquet files, whatever they are about."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linkwise.errors import InvalidInput, InvalidLinks, missing_extra

#: What JSON files say they are.
LINKS, LABELS = "linkwise links", "linkwise labels"
VERSION = 1


@dataclass(frozen=True)
class Table:
    """Columns read from a file, with the means to say where an entry stands."""

    columns: dict[str, list[Any]]
    place: Callable[[int], str]

    def column(self, name: str, default: object = None) -> list[Any]:
        """Return a column; where the file has none, the same value for every entry."""
        length = len(next(iter(self.columns.values())))
        return self.columns.get(name, [default] * length)

    def refuse(self, entry: int, complaint: str) -> InvalidLinks:
        """Return the error about one entry: file, place, complaint."""
        return InvalidLinks(f"{self.place(entry)}: {complaint}")


def suffix_of(path: Path) -> str:
    """Return ``.csv``, ``.json`` or ``.parquet``; anything else is refused."""
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".json", ".parquet"):
        raise InvalidInput(f"{path.name}: use a name that ends in .csv, .json or .parquet.")
    return suffix


def write_table(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write columns to a CSV or Parquet file, by its ending."""
    (write_csv if suffix_of(path) == ".csv" else write_parquet)(path, columns)


def read_csv(path: Path, needed: tuple[str, ...]) -> Table:
    """Read a CSV file whose first line names the columns; all values are text."""
    lines: list[int] = []
    rows: list[list[str]] = []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            header = [name.strip() for name in next(reader, [])]
            for row in reader:
                if row:
                    rows.append(row)
                    lines.append(reader.line_num)
    except UnicodeDecodeError:
        raise InvalidLinks(f"{path.name} is not text in UTF-8.") from None
    _check_columns(f"{path.name} line 1", header, needed)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            raise InvalidLinks(
                f"{path.name} line {line}: {len(row)} values for {len(header)} columns."
            )
    columns = [list(values) for values in zip(*rows, strict=True)] or [[] for _ in header]
    return Table(
        dict(zip(header, columns, strict=True)), lambda entry: f"{path.name} line {lines[entry]}"
    )


def write_csv(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write columns of text and numbers; floats keep every digit."""
    returns = any("\r" in str(value) for values in columns.values() for value in values)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(
            file,
            lineterminator="\n",  # which is why a lone \r would go unquoted
            quoting=csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL,
        )
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def read_json(path: Path, kind: str) -> dict[str, Any]:
    """Read an object that says it is of this ``kind``, in a version we know."""
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        raise InvalidLinks(
            f"{path.name} line {error.lineno}: not valid JSON ({error.msg})."
        ) from None
    except UnicodeDecodeError:
        raise InvalidLinks(f"{path.name} is not text in UTF-8.") from None
    if not isinstance(content, dict) or content.get("format") != kind:
        raise InvalidLinks(f'{path.name}: expected a JSON object with "format": "{kind}".')
    if content.get("version") != VERSION:
        raise InvalidLinks(
            f"{path.name}: version {content.get('version')!r} is unknown; "
            f"this linkwise reads version {VERSION}."
        )
    return content


def write_json(path: Path, kind: str, content: dict[str, Any]) -> None:
    """Write an object that says of what kind and version it is."""
    whole = {"format": kind, "version": VERSION, **content}
    path.write_text(json.dumps(whole, ensure_ascii=False) + "\n", encoding="utf-8")


def read_parquet(path: Path, needed: tuple[str, ...]) -> Table:
    """Read a Parquet file; entries are counted from 0."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise missing_extra("Reading Parquet", "pyarrow", "files") from None
    if not path.exists():
        raise FileNotFoundError(2, "No such file", str(path))
    try:
        table = pq.read_table(path)
    except pa.ArrowInvalid:
        raise InvalidLinks(f"{path.name} is not a Parquet file.") from None
    _check_columns(path.name, table.column_names, needed)
    return Table(table.to_pydict(), lambda entry: f"{path.name} entry {entry}")


def write_parquet(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write columns, each of one type."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise missing_extra("Writing Parquet", "pyarrow", "files") from None
    pq.write_table(pa.table(columns), path)


def _check_columns(place: str, header: list[str], needed: tuple[str, ...]) -> None:
    if not set(needed) <= set(header):
        found = ", ".join(map(repr, header)) or "nothing"
        raise InvalidLinks(f"{place}: the columns must be {', '.join(needed)}, got {found}.")
