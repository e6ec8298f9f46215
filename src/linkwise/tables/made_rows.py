"""Rows of numbers from columns of any kind, and what people should know about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidFile, InvalidInput
from linkwise.tables.choice import Choice, Table
from linkwise.tables.frame import Frame
from linkwise.tables.picture_column import broken, present, told

if TYPE_CHECKING:
    import pyarrow as pa

    from linkwise.features import Role, TableFeatures


def make_rows(frame: Frame, choice: Choice, about: Table, folder: Path) -> Table:
    """Return the rows that are made of columns of any kind."""
    from linkwise.features import TableFeatures

    roles = {name: about.roles[name].name for name in about.features}
    made = TableFeatures(roles=roles, folder=str(folder))
    written = frame.arrow(about.features)
    columns = _with_gaps(written, _pictures(roles), folder)
    try:
        X = made.fit_transform(columns)
    except InvalidInput as error:
        raise InvalidFile(frame.file, f": {error}") from error
    missing, notes = _missing(made, X, columns, written)
    unusable = np.flatnonzero(np.logical_and.reduce(list(missing.values())))
    if len(unusable) == frame.n_rows:
        nothing = f"no row has a value in {_listed(about.features)}."
        raise InvalidFile(frame.file, f": {' '.join([nothing, *notes])}")
    others = {name: gaps for name, gaps in missing.items() if roles[name] != "picture"}
    notes += [
        *about.notes,
        *_gaps(others, unusable),
        *_doubts(frame, about.roles, choice),
        *made.notes_,
    ]
    return replace(about, X=X, has_units=False, made=made, unusable=unusable, notes=notes)


def make_more(
    made: TableFeatures, written: pa.Table, folder: Path
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return other rows, made as the first ones were, and which of them cannot be used.

    Their pictures are looked for in ``folder``, and then where those of the first rows are.
    """
    pictures = picture_columns(made)
    columns = _with_gaps(written, pictures, Path(made.folder or ""))
    for name in pictures:
        place = columns.column_names.index(name)
        columns = columns.set_column(place, name, _first(written[name], folder, columns[name]))
    X = made.transform(columns)
    missing, _ = _missing(made, X, columns, written)
    return X, np.flatnonzero(np.logical_and.reduce(list(missing.values())))


def picture_columns(made: TableFeatures) -> list[str]:
    """Return the columns of pictures among those that rows are made of."""
    return _pictures({name: made.roles_[name].name for name in made.blocks_})


def _pictures(roles: Mapping[str, str]) -> list[str]:
    return [name for name, role in roles.items() if role == "picture"]


def _first(names: pa.ChunkedArray, folder: Path, others: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the whole paths of the pictures that are in a folder, and other names elsewhere."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = present(names, folder).to_pylist()
    paths = [None if name is None else str(folder.resolve() / name.strip()) for name in found]
    return pc.coalesce(pa.chunked_array([pa.array(paths, pa.string())]), others)


def _with_gaps(columns: pa.Table, pictures: Sequence[str], folder: Path) -> pa.Table:
    """Return columns with gaps where a picture is not there."""
    for name in pictures:
        place = columns.column_names.index(name)
        columns = columns.set_column(place, name, present(columns[name], folder))
    return columns


def _missing(
    made: TableFeatures, X: NDArray[np.float32], columns: pa.Table, written: pa.Table
) -> tuple[dict[str, NDArray[np.bool_]], list[str]]:
    """Return where each column has no value, or a picture that cannot be read, which is said."""
    from linkwise.features.columns import plain

    missing = {name: plain(columns[name]).is_null().to_numpy() for name in made.blocks_}
    notes = []
    for name in picture_columns(made):
        nothing = np.flatnonzero(~_block(made, X, name).any(axis=1))
        missing[name] = missing[name].copy()
        missing[name][broken(columns[name], Path(made.folder or ""), nothing)] = True
        unread = plain(written[name]).filter(missing[name]).drop_null().to_pylist()
        notes += [told(name, unread)] if unread else []
    return missing, notes


def _block(made: TableFeatures, X: NDArray[np.float32], name: str) -> NDArray[np.float32]:
    """Return the part of the rows that was made of one column."""
    start = 0
    for other, block in made.blocks_.items():
        if other == name:
            return X[:, start : start + block.n_features]
        start += block.n_features
    raise AssertionError(name)


def _gaps(missing: Mapping[str, NDArray[np.bool_]], unusable: NDArray[np.int64]) -> list[str]:
    """Return a sentence about the values that are missing in rows that can be used."""
    counts = {name: int(gaps.sum()) - len(unusable) for name, gaps in missing.items()}
    told = [f"{name} in {_rows(n)}" for name, n in counts.items() if n]
    if not told:
        return []
    listed = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
    return [f"There is no value of {listed}; such rows are grouped by the others."]


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n} rows"


def _doubts(frame: Frame, roles: Mapping[str, Role], choice: Choice) -> list[str]:
    """Return a sentence about each column of categories or text that is mostly numbers."""
    from linkwise.features.columns import plain
    from linkwise.features.tables.roles import doubt

    said = []
    for name, role in roles.items():
        values: Any = frame.by_name[name]
        if name not in choice.roles and not isinstance(values, np.ndarray):
            said.append(doubt(name, plain(values), role))
    return [sentence for sentence in said if sentence]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
