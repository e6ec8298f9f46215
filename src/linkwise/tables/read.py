"""One door for every kind of table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from linkwise.errors import InvalidFile
from linkwise.files.endings import DELIMITED, LINES, TYPED, ending_of, listed, what_helps
from linkwise.tables.array_file import load_arrays, read_arrays, rows_of
from linkwise.tables.arrow_file import read_typed
from linkwise.tables.choice import Choice, Table
from linkwise.tables.columns import choose_columns, ids_of
from linkwise.tables.csv_file import read_csv
from linkwise.tables.frame import Frame
from linkwise.tables.picture_folder import COLUMN, read_folder

ARRAYS = (".npy", ".npz")
#: How the names of files end that :func:`read_table` reads.
ENDINGS = (*DELIMITED, *TYPED, *LINES, *ARRAYS)


def read_table(
    path: Path,
    choice: Choice,
    array: str | None = None,
    encoding: str | None = None,
    pictures: Path | None = None,
) -> Table:
    """Return the rows of a file, or a sentence that says where it went wrong.

    Parameters
    ----------
    path : Path
        A file that ends in one of ``ENDINGS``, or a folder of pictures.
    choice : Choice
        The columns that were asked for.
    array : str or None
        Array of a ``.npz`` file that holds the rows; None is ``X``.
    encoding : str or None
        Encoding of a file of text; None finds it out.
    pictures : Path or None
        Where the names of picture files begin; None is the folder of the file.
    """
    _check_array(path, array)
    if path.suffix.lower() in ARRAYS:
        return read_arrays(path, array, choice)
    frame = read_frame(path, choice.as_text, choice.only, encoding)
    if path.is_dir():
        table = choose_columns(frame, choice, path)
        names: Any = frame.by_name[COLUMN]
        return replace(table, ids=names.to_pylist())
    frame = _with_vectors(frame, path.parent, choice.features)
    return choose_columns(frame, choice, pictures or path.parent)


def read_row_names(
    path: Path,
    id_column: str | None = None,
    array: str | None = None,
    encoding: str | None = None,
) -> tuple[int, list[Any] | None]:
    """Return the number of rows of a file and, with ``id_column`` or of a folder, their ids."""
    _check_array(path, array)
    if path.suffix.lower() in ARRAYS:
        table = read_arrays(path, array, Choice(id_column))
        return table.X.shape[0], table.ids
    id_column = COLUMN if path.is_dir() else id_column
    wanted = [] if id_column is None else [id_column]
    frame = read_frame(path, wanted, wanted, encoding)
    return frame.n_rows, ids_of(frame, id_column)


def read_frame(
    path: Path,
    as_text: Collection[str] = (),
    only: Collection[str] | None = None,
    encoding: str | None = None,
) -> Frame:
    """Return the columns of a table.

    Parameters
    ----------
    path : Path
        A file of a table, or a folder of pictures.
    as_text : collection of str
        Columns that are not to be read as numbers.
    only : collection of str or None
        Columns whose values are wanted, besides those; None: all.
    encoding : str or None
        Encoding of a file of text; None finds it out.
    """
    if path.is_dir():
        return read_folder(path)
    if not path.suffix:
        path.stat()  # a folder that is missing is told by the operating system
    if ending_of(path, DELIMITED):
        return read_csv(path, as_text, only, encoding)
    if ending_of(path, (*TYPED, *LINES)):
        return read_typed(path, as_text, only, encoding)
    raise unread(path)


def unread(path: Path) -> InvalidFile:
    """Return the error about a file of a kind that is not read."""
    return InvalidFile(
        path.name,
        f": use a file that ends in {listed(ENDINGS)}, or a folder of pictures.{what_helps(path)}",
    )


def _with_vectors(frame: Frame, folder: Path, features: Sequence[str]) -> Frame:
    """Return the columns and the arrays beside the file that were asked for by their names."""
    import pyarrow as pa

    for name in features:
        is_array = name not in frame.names and PurePath(name).suffix.lower() == ".npy"
        if not is_array or PurePath(name).name != name or not (folder / name).is_file():
            continue
        rows = rows_of(name, load_arrays(folder / name), None)
        if len(rows) != frame.n_rows:
            raise InvalidFile(name, f" has {len(rows)} rows, {frame.file} has {frame.n_rows}.")
        flat = pa.array(np.ascontiguousarray(rows).ravel())
        vectors = pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])
        frame = frame.with_columns([name], [pa.chunked_array([vectors])])
    return frame


def _check_array(path: Path, array: str | None) -> None:
    if array is not None and path.suffix.lower() != ".npz":
        raise InvalidFile(path.name, f' is not a .npz file, so there is no array "{array}" in it.')
