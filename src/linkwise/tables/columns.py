"""Which columns of a table are features, which one names the rows, and which are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.errors import Advice, InvalidFile, Remedy

_MOST_NAMED = 20


@dataclass(frozen=True)
class Reason:
    """Why a column is no feature, and what was found in it; its text is for people."""

    kind: Literal["counter", "empty", "text", "type"]
    found: str = ""

    def __str__(self) -> str:
        return _REASONS[self.kind].format(found=self.found)


_REASONS = {
    "counter": "it counts the rows",
    "empty": "it is empty",
    "text": 'text such as "{found}"',
    "type": "its type is {found}",
}


@dataclass(eq=False)
class Column:
    """One column of a file, and what is wrong with it, if anything.

    Attributes
    ----------
    name : str
        What the file calls it.
    n_rows : int
        Its length.
    values : array of floats or None
        The numbers, None where the column has none.
    raw : list or None
        The values as they stand in the file, for the column that names the rows.
    not_numbers : Reason or None
        Why the column cannot be a feature.
    complaint : callable or None
        Returns the error about the first value that spoils a column of numbers. It is called only
        if the column is wanted, because finding the line may take a while.
    named : bool
        Whether the file has a name for it; otherwise it goes by its number.
    """

    name: str
    n_rows: int
    values: NDArray[Any] | None = None
    raw: list[Any] | None = None
    not_numbers: Reason | None = None
    complaint: Callable[[], InvalidFile] | None = None
    named: bool = True

    @property
    def counts_rows(self) -> bool:
        """Whether the values are 0, 1, 2, ... or 1, 2, 3, ..., which no feature is."""
        if self.values is None or len(self.values) < 3 or self.values[0] not in (0, 1):
            return False
        return bool((np.diff(self.values) == 1).all())


@dataclass(frozen=True, eq=False)
class Table:
    """Rows ready to be clustered.

    Attributes
    ----------
    X : array or CSR array of shape (n_rows, n_features)
        The features.
    features : list of str
        What they are called; column numbers for arrays.
    ids : list or None
        What the rows are called; None where they go by number.
    left_out : dict
        Columns that were not used, and why.
    has_units : bool
        Whether each column may have a unit of its own (tables), or all share one (arrays).
    has_header : bool
        Whether the file itself names its columns.
    """

    X: Any
    features: list[str]
    ids: list[Any] | None = None
    left_out: dict[str, Reason] = field(default_factory=dict)
    has_units: bool = True
    has_header: bool = True


@dataclass(frozen=True)
class Choice:
    """Which columns the user asked for."""

    id_column: str | None = None
    features: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()


def choose_columns(file: str, columns: Sequence[Column], choice: Choice) -> Table:
    """Return the features and ids among ``columns``, or say what is wrong with which one."""
    by_name = _by_name(file, columns)
    ids = ids_of(file, columns, choice.id_column)
    check_known(file, (*choice.features, *choice.drop), list(by_name))
    left_out: dict[str, Reason] = {}
    if choice.features:
        wanted = [by_name[name] for name in choice.features]
    else:
        without = {choice.id_column, *choice.drop}
        offered = [column for column in columns if column.name not in without]
        left_out = {column.name: why for column in offered if (why := _not_a_feature(column))}
        wanted = [column for column in offered if column.name not in left_out]
    if not wanted:
        reasons = "".join(f' "{name}": {why}.' for name, why in left_out.items())
        raise InvalidFile(file, f" has no column of numbers to cluster by.{reasons}")
    X = np.column_stack([_numbers(file, column) for column in wanted])
    names = [column.name for column in wanted]
    return Table(X, names, ids, left_out, has_header=all(column.named for column in columns))


def ids_of(file: str, columns: Sequence[Column], id_column: str | None) -> list[Any] | None:
    """Return the values of the column that names the rows; None if there is none."""
    if id_column is None:
        return None
    check_known(file, [id_column], [column.name for column in columns])
    raw = next(column.raw for column in columns if column.name == id_column)
    return read_ids(file, f'column "{id_column}"', raw or [])


def check_known(file: str, names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse names of columns that do not exist."""
    for name in names:
        if name not in known:
            listed = ", ".join(known[:_MOST_NAMED])
            more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
            raise InvalidFile(file, f' has no column "{name}". It has {listed}{more}.')


def check_finite(file: str, X: Any, names: Sequence[str]) -> None:
    """Refuse missing and infinite values of a dense or sparse table, naming the first one."""
    values = X.tocoo() if sp.issparse(X) else X
    finite = np.isfinite(values.data if sp.issparse(X) else values)
    if finite.all():
        return
    first = np.unravel_index(np.argmin(finite), finite.shape)
    row, column = (part[first] for part in values.coords) if sp.issparse(X) else first
    name, value = names[int(column)], X[row, column]
    found = "has no value" if np.isnan(value) else f"is {value}"
    raise InvalidFile(file, f' row {row}: column "{name}" {found}.', *_advice(name))


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


def missing_value(file: str, place: str, name: str) -> InvalidFile:
    """Return the error about a value that is not there."""
    return InvalidFile(file, f'{place}: column "{name}" has no value.', *_advice(name))


def _advice(name: str) -> tuple[Advice, ...]:
    """Return what helps against a value that is not there or cannot be used."""
    return (
        Advice(Remedy.FILL_IN),
        Advice(Remedy.REMOVE_ROW),
        Advice(Remedy.LEAVE_COLUMN_OUT, name),
    )


def _by_name(file: str, columns: Sequence[Column]) -> dict[str, Column]:
    for name, times in Counter(column.name for column in columns).items():
        if times > 1:
            raise InvalidFile(file, f' has {times} columns called "{name}". Rename them.')
    return {column.name: column for column in columns}


def _not_a_feature(column: Column) -> Reason | None:
    if column.complaint is None and column.counts_rows:
        return Reason("counter")
    return column.not_numbers


def _numbers(file: str, column: Column) -> NDArray[Any]:
    if column.not_numbers is not None:
        raise InvalidFile(
            file, f': column "{column.name}" cannot be a feature: {column.not_numbers}.'
        )
    if column.complaint is not None:
        raise column.complaint()
    if column.values is None:
        raise InvalidFile(file, f': column "{column.name}" is empty.')
    check_finite(file, column.values[:, None], [column.name])
    return column.values
