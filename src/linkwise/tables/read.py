"""One door for every kind of table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linkwise.errors import InvalidFile
from linkwise.files.endings import ARROW, DELIMITED, ending_of, listed
from linkwise.tables.array_file import read_arrays
from linkwise.tables.arrow_file import read_typed
from linkwise.tables.columns import Choice, Column, Table, choose_columns, ids_of
from linkwise.tables.csv_file import read_csv

ARRAYS = (".npy", ".npz")
#: How the names of files end that :func:`read_table` reads.
ENDINGS = (*DELIMITED, *ARROW, *ARRAYS)


def read_table(path: Path, choice: Choice, array: str | None = None) -> Table:
    """Return the rows of a file, or a sentence that says where it went wrong.

    Parameters
    ----------
    path : Path
        A file that ends in one of ``ENDINGS``.
    choice : Choice
        The columns that were asked for.
    array : str or None
        Array of a ``.npz`` file that holds the rows; None is ``X``.
    """
    _check_array(path, array)
    if path.suffix.lower() in ARRAYS:
        return read_arrays(path, array, choice)
    return choose_columns(path.name, read_columns(path, choice.id_column), choice)


def read_row_names(
    path: Path, id_column: str | None = None, array: str | None = None
) -> tuple[int, list[Any] | None]:
    """Return the number of rows of a file and, with ``id_column``, their ids."""
    _check_array(path, array)
    if path.suffix.lower() in ARRAYS:
        table = read_arrays(path, array, Choice(id_column))
        return table.X.shape[0], table.ids
    columns = read_columns(path, id_column)
    return columns[0].n_rows, ids_of(path.name, columns, id_column)


def read_columns(path: Path, keep_raw: str | None = None) -> list[Column]:
    """Return the columns of a table; raw values are kept for the column ``keep_raw`` only."""
    if ending_of(path, DELIMITED):
        return read_csv(path, keep_raw)
    if ending_of(path, ARROW):
        return read_typed(path, keep_raw)
    raise InvalidFile(path.name, f": use a file that ends in {listed(ENDINGS)}.")


def _check_array(path: Path, array: str | None) -> None:
    if array is not None and path.suffix.lower() != ".npz":
        raise InvalidFile(path.name, f' is not a .npz file, so there is no array "{array}" in it.')
