"""One door for every kind of table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linkwise.errors import InvalidInput
from linkwise.tables.array_file import read_arrays
from linkwise.tables.columns import Choice, Column, Table, choose_columns, ids_of
from linkwise.tables.csv_file import read_csv
from linkwise.tables.parquet_file import read_parquet

ARRAYS = (".npy", ".npz")


def read_table(path: Path, choice: Choice, array: str | None = None) -> Table:
    """Return the rows of a file, or a sentence that says where it went wrong.

    Parameters
    ----------
    path : Path
        A ``.csv`` (or ``.tsv``), ``.parquet``, ``.npy`` or ``.npz`` file.
    choice : Choice
        The columns that were asked for.
    array : str or None
        Array of a ``.npz`` file that holds the rows; None is ``X``.
    """
    _check_array(path, array)
    if path.suffix.lower() in ARRAYS:
        return read_arrays(path, array, choice)
    return choose_columns(path.name, _read_columns(path, choice.id_column), choice)


def read_row_names(
    path: Path, id_column: str | None = None, array: str | None = None
) -> tuple[int, list[Any] | None]:
    """Return the number of rows of a file and, with ``id_column``, their ids."""
    _check_array(path, array)
    if path.suffix.lower() in ARRAYS:
        table = read_arrays(path, array, Choice(id_column))
        return table.X.shape[0], table.ids
    columns = _read_columns(path, id_column)
    return columns[0].n_rows, ids_of(path.name, columns, id_column)


def _read_columns(path: Path, keep_raw: str | None) -> list[Column]:
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        return read_csv(path, keep_raw)
    if suffix == ".parquet":
        return read_parquet(path, keep_raw)
    raise InvalidInput(f"{path.name}: use a file that ends in .csv, .tsv, .parquet, .npy or .npz.")


def _check_array(path: Path, array: str | None) -> None:
    if array is not None and path.suffix.lower() != ".npz":
        raise InvalidInput(f"{path.name} is not a .npz file, so --array has nothing to choose.")
