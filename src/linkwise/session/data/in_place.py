"""Rows that stay in their files: read a block at a time, by whoever needs them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwise.errors import InvalidFile, InvalidInput
from linkwise.files.parquet_folder import PARQUET, parquet_files
from linkwise.tables import Table
from linkwise.tables.frame import check_known
from linkwise.tables.shown_rows import Shown, ShownRows, as_shown

if TYPE_CHECKING:
    import pyarrow as pa

    from linkwise.session.data.file import Columns

#: A Parquet file ends with the length of its footer, in four bytes, and four more.
_TAIL = 8


def is_parquet_folder(path: object) -> bool:
    """Tell whether something is the path of a folder with Parquet files in it."""
    return isinstance(path, str | os.PathLike) and bool(_files(Path(path)))


def _files(path: Path) -> list[str]:
    return parquet_files(path.expanduser().resolve()) if path.is_dir() else []


def footers_hash(folder: Path) -> str:
    """Return the SHA-256 of the names, lengths and footers of a folder's Parquet files.

    A footer tells where each column of each group of rows lies, how long it is and, as most
    programs write it, its least and largest value. Reading no more keeps this quick at any size.
    """
    known = hashlib.sha256()
    for name in parquet_files(folder):
        size = os.path.getsize(name)
        with open(name, "rb") as file:
            file.seek(max(0, size - _TAIL))
            n_bytes = int.from_bytes(file.read(4), "little") + _TAIL
            file.seek(max(0, size - n_bytes))
            known.update(f"{os.path.relpath(name, folder)}\n{size}\n".encode())
            known.update(file.read())
    return known.hexdigest()


def looks_of(folder: Path) -> tuple[int, int]:
    """Return how many bytes the Parquet files of a folder have, and when one was changed last."""
    stats = [os.stat(name) for name in parquet_files(folder)]
    return sum(one.st_size for one in stats), max((one.st_mtime_ns for one in stats), default=0)


def table_in_place(path: Path, columns: Columns, standardise: bool | None) -> Table:
    """Return a table whose ``X`` are rows that are read where and when they are needed.

    Its features are the columns of Parquet files that hold numbers, or those that are named.
    """
    if standardise:
        raise InvalidInput(
            "standardise: rows that stay in their files are taken as they are. Give their columns "
            "mean 0 and spread 1 before, or leave standardise out."
        )
    from linkwise.ensemble import FileRows  # a second to import, and not needed to look at rows

    if path.suffix == ".npy":
        rows = FileRows([path])
        return Table(rows, [str(k) for k in range(rows.n_features)], has_units=False)
    if not path.is_dir() and path.suffix not in PARQUET:
        raise InvalidFile(
            path.name,
            ": rows that stay in their files are read from .parquet and .npy files, and from "
            "folders of .parquet files.",
        )
    numeric = numeric_columns(path)
    told = (columns.id, columns.text, columns.image, *columns.drop)
    shown = [name for name in told if name is not None]
    check_known(path.name, shown, _schema(path).names)
    features = list(columns.features) or [name for name in numeric if name not in shown]
    if not features:
        raise InvalidFile(path.name, " has no column of numbers to group by.")
    files = path if path.is_dir() else [path]
    rows = FileRows(files, columns=features, ids=columns.id)
    return Table(rows, features, has_units=False, numeric=frozenset(numeric))


def columns_in_place(path: Path, columns: Columns, table: Table) -> list[dict[str, str]]:
    """Return the name and type of every column of rows that stay in their files."""
    if path.suffix == ".npy":
        return [{"name": name, "type": "number"} for name in table.features]
    roles = {columns.id: "id", columns.text: "text", columns.image: "image"}
    return [
        {"name": name, "type": roles.get(name) or ("number" if name in table.numeric else "text")}
        for name in _schema(path).names
    ]


def _schema(path: Path) -> pa.Schema:
    import pyarrow.parquet as parquet

    return parquet.read_schema(parquet_files(path)[0] if path.is_dir() else path)


def numeric_columns(path: Path) -> list[str]:
    """Return the columns of a Parquet file, or of the first one in a folder, that are numbers."""
    import pyarrow.types as types

    kinds = types.is_integer, types.is_floating, types.is_boolean
    return [field.name for field in _schema(path) if any(kind(field.type) for kind in kinds)]


class FolderRows(ShownRows):
    """Rows of a folder of Parquet files, for showing: the groups of rows that hold them are read.

    What was read last is kept, for rows are often looked at that lie close together.
    """

    def __init__(self, folder: Path) -> None:
        import pyarrow.parquet as parquet

        self._files = parquet_files(folder)
        self.columns = _schema(folder).names
        self._groups: list[tuple[str, int]] = []
        counts = []
        for name in self._files:
            about = parquet.read_metadata(name)
            for k in range(about.num_row_groups):
                self._groups.append((name, k))
                counts.append(about.row_group(k).num_rows)
        self._starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        self._kept: tuple[int, pa.Table] | None = None

    def read(self, rows: Sequence[int]) -> list[dict[str, Shown]]:
        """Return numbers as numbers and everything else as text."""
        wanted = np.asarray(rows, dtype=np.int64)
        groups = np.searchsorted(self._starts, wanted, side="right") - 1
        found: dict[int, dict[str, Shown]] = {}
        for group in np.unique(groups).tolist():
            inside = np.flatnonzero(groups == group)
            taken = self._group(group).take(wanted[inside] - self._starts[group]).to_pylist()
            for at, row in zip(inside.tolist(), taken, strict=True):
                found[at] = {name: as_shown(value) for name, value in row.items()}
        return [found[at] for at in range(len(wanted))]

    def _group(self, group: int) -> pa.Table:
        import pyarrow.parquet as parquet

        kept = self._kept
        if kept is None or kept[0] != group:
            name, k = self._groups[group]
            with parquet.ParquetFile(name, memory_map=True) as file:
                kept = group, file.read_row_group(k, columns=self.columns)
            self._kept = kept
        return kept[1]

    def names(self, column: str) -> list[Any]:
        """Return all values of one column."""
        import pyarrow.parquet as parquet

        found: list[Any] = []
        for name in self._files:
            found += parquet.read_table(name, columns=[column], memory_map=True)[column].to_pylist()
        return found
