"""Which columns of a table are grouped by, which one names the rows, and which are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.errors import Advice, InvalidFile, Remedy
from linkwise.tables.choice import Choice, Table
from linkwise.tables.frame import Frame
from linkwise.tables.made_rows import make_rows
from linkwise.tables.picture_column import any_inside
from linkwise.tables.words import why_not
from linkwise.typing import Matrix, is_csr

if TYPE_CHECKING:
    from linkwise.features import Role

#: Rows that are compared before all of them are.
_FEW_ROWS = 1000


def choose_columns(frame: Frame, choice: Choice, folder: Path) -> Table:
    """Return what rows are grouped by, and their ids, or say what is wrong with which column.

    Numbers without gaps are taken as they are. As soon as another column is among those grouped
    by, :class:`~linkwise.features.TableFeatures` makes rows of all of them. Pictures are looked
    for in ``folder``.
    """
    ids = ids_of(frame, choice.id_column)
    frame.check_known((*choice.features, *choice.drop, *choice.roles))
    roles, notes = _wanted_roles(frame, choice, folder)
    used = [name for name, role in roles.items() if role.used]
    plain = all(frame.numbers(name) is not None and roles[name].name == "number" for name in used)
    if plain and used:  # beside others, a column that is the same everywhere does no harm
        used = [name for name in roles if name in used or _is_constant(frame, name, choice)]
    left_out = {name: role.reason for name, role in roles.items() if name not in used}
    if not used:
        raise InvalidFile(frame.file, f" has no column to group by.{why_not(left_out)}")
    about: dict[str, Any] = {"has_header": frame.named, "roles": roles}
    about |= {
        "encoding": frame.encoding,
        "numeric": _numeric(frame, roles),
        "notes": [*frame.notes, *notes],
    }
    if plain:
        X = np.column_stack([_numbers(frame, name) for name in used])
        return _noting_likeness(Table(X, used, ids, left_out, **about))
    made = make_rows(frame, choice, Table(None, used, ids, left_out, **about), folder)
    return _noting_likeness(made)


def _noting_likeness(table: Table) -> Table:
    """Return the table with a note if nothing in it tells rows apart."""
    usable = np.setdiff1d(np.arange(len(table.X)), table.unusable)
    few = table.X[usable[:_FEW_ROWS]]
    if len(few) < 2 or (few != few[0]).any() or (table.X[usable] != few[0]).any():
        return table
    return replace(table, notes=[*table.notes, "All rows are alike: nothing tells them apart."])


def guessed_roles(frame: Frame, names: Sequence[str], folder: Path) -> dict[str, Role]:
    """Return what columns look like being, with reasons; pictures should be in ``folder``.

    Texts of one or two words that all differ, "Ann Smith" and "flower 12", name rows, unless there
    is nothing else to group by.
    """
    from linkwise.features import Role, guess_roles

    guessed = guess_roles(frame.arrow(names))
    roles = {name: _corrected(frame, name, role, folder) for name, role in guessed.items()}
    called = [name for name, role in roles.items() if _names_things(frame, name, role)]
    if any(role.used for name, role in roles.items() if name not in called):
        roles |= {name: Role("id", "short, and no two rows share a value") for name in called}
    return roles


def _corrected(frame: Frame, name: str, guess: Role, folder: Path) -> Role:
    """Return the role of a column by what only its file can tell, or a table of few rows."""
    from linkwise.features import Role

    values: Any = frame.by_name[name]
    if _counts_rows(frame.numbers(name)):
        return Role("id", "it counts the rows")
    if guess.name == "category" and not isinstance(values, np.ndarray) and frame.n_rows > 1:
        differ = values.null_count == 0 and len(values.unique()) == frame.n_rows
        return Role("id", "no two rows share a value") if differ else guess
    if guess.name == "picture" and not any_inside(values, folder):
        return Role("ignored", "it names pictures that are not here")
    return guess


def _names_things(frame: Frame, name: str, role: Role) -> bool:
    import pyarrow.compute as pc

    from linkwise.features.tables.roles import TEXT_WORDS

    values: Any = frame.by_name[name]
    if role.name != "text" or values.null_count or len(values.unique()) < frame.n_rows:
        return False
    return float(pc.mean(pc.count_substring_regex(values, r"\S+")).as_py()) < TEXT_WORDS


def ids_of(frame: Frame, id_column: str | None) -> list[Any] | None:
    """Return the values of the column that names the rows; None if there is none."""
    if id_column is None:
        return None
    frame.check_known([id_column])
    values: Any = frame.by_name[id_column]
    return read_ids(frame.file, f'column "{id_column}"', values.to_pylist())


def check_finite(file: str, X: Matrix, names: Sequence[str]) -> None:
    """Refuse missing and infinite values of a dense or sparse table, naming the first one."""
    values: Any = X.tocoo() if is_csr(X) else X
    finite = np.isfinite(values.data if sp.issparse(X) else values)
    if finite.all():
        return
    first = np.unravel_index(np.argmin(finite), finite.shape)
    row, column = (part[first] for part in values.coords) if sp.issparse(X) else first
    name, value = names[int(column)], X[row, column]
    found = "has no value" if np.isnan(value) else f"is {value}"
    raise InvalidFile(
        file,
        f' row {row}: column "{name}" {found}.',
        Advice(Remedy.FILL_IN),
        Advice(Remedy.REMOVE_ROW),
        Advice(Remedy.LEAVE_COLUMN_OUT, name),
    )


def read_ids(file: str, where: str, raw: Sequence[Any]) -> list[Any]:
    """Return the ids, which must be there and differ; they are ``where`` in the file."""
    ids = [name.item() if isinstance(name, np.generic) else name for name in raw]
    first: dict[str, int] = {}
    for row, name in enumerate(ids):
        if name is None or name == "" or name != name:
            raise InvalidFile(file, f" {where}: row {row} has no id.")
        before = first.setdefault(str(name), row)
        if before != row:
            raise InvalidFile(
                file,
                f" {where}: rows {before} and {row} are both called {name!r}. "
                f"Every row needs an id of its own.",
            )
    whole = all(isinstance(name, int) for name in ids)
    return ids if whole else [str(name) for name in ids]


def _wanted_roles(frame: Frame, choice: Choice, folder: Path) -> tuple[dict[str, Role], list[str]]:
    """Return the roles of the columns to choose from: as told, as asked for, or as guessed.

    What looks like names of rows and was asked for all the same is told.
    """
    from linkwise.features import Role

    without = {choice.id_column, *choice.drop}
    names = choice.features or tuple(name for name in frame.names if name not in without)
    guessed = guessed_roles(frame, [name for name in names if name not in choice.roles], folder)
    roles, notes = {}, []
    for name in names:
        if name in choice.roles:
            roles[name] = Role(choice.roles[name], "as told")
        elif name in choice.features:
            roles[name] = _asked_for(frame, name, guessed[name])
            if guessed[name].name == "id":
                why = guessed[name].reason
                notes.append(f'"{name}" was asked for, but looks like names of rows: {why}.')
        else:
            roles[name] = guessed[name]
    return roles, notes


def _asked_for(frame: Frame, name: str, guess: Role) -> Role:
    """Return the role of a column that somebody wants to group by, whatever it looks like."""
    from linkwise.features import Role

    if guess.used or frame.numbers(name) is not None:
        return guess if guess.used else Role("number", "asked for")
    if guess.name == "id":
        return Role("text", "asked for")
    raise InvalidFile(frame.file, f': column "{name}" cannot be grouped by: {guess.reason}.')


def _numeric(frame: Frame, roles: Mapping[str, Role]) -> frozenset[str]:
    known = {name for name, role in roles.items() if role.name == "number"}
    return frozenset(known | {name for name in frame.names if frame.numbers(name) is not None})


def _numbers(frame: Frame, name: str) -> NDArray[Any]:
    values = frame.numbers(name)
    assert values is not None
    check_finite(frame.file, values[:, None], [name])
    return values


def _is_constant(frame: Frame, name: str, choice: Choice) -> bool:
    values = frame.numbers(name)
    return values is not None and name not in choice.roles and bool((values == values[0]).all())


def _counts_rows(values: NDArray[Any] | None) -> bool:
    """Tell whether a few values are 0, 1, 2, ... or 1, 2, 3, ..., which no feature is."""
    if values is None or not 3 <= len(values) or values[0] not in (0, 1):
        return False
    return bool((np.diff(values) == 1).all())
