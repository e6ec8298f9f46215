"""The columns of a file, before anybody has said what they are for."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidFile

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_NAMED = 20

#: Numbers without gaps as an array of floats, all else as pyarrow has it; None was not wanted.
Values: TypeAlias = "NDArray[Any] | pa.ChunkedArray | None"


@dataclass(frozen=True, eq=False)
class Frame:
    """The columns of a file.

    Attributes
    ----------
    file : str
        What the file is called.
    names : list of str
        What its columns are called; by their number where the file has no names.
    n_rows : int
        Their length.
    columns : list
        Their values: floats where all are numbers, columns of pyarrow otherwise (of CSV files the
        text as it is written), None where they were not wanted.
    named : bool
        Whether the file itself names its columns.
    encoding : str or None
        In which encoding a file of text was read.
    decimal_comma : bool
        Whether numbers are written 1,5.
    notes : list of str
        What people should know of how the file was read.
    """

    file: str
    names: list[str]
    n_rows: int
    columns: list[Values]
    named: bool = True
    encoding: str | None = None
    decimal_comma: bool = False
    notes: list[str] = field(default_factory=list)

    @cached_property
    def by_name(self) -> dict[str, Values]:
        """The columns by name, which must differ."""
        for name, times in Counter(self.names).items():
            if times > 1:
                raise InvalidFile(self.file, f' has {times} columns called "{name}". Rename them.')
        return dict(zip(self.names, self.columns, strict=True))

    def numbers(self, name: str) -> NDArray[Any] | None:
        """Return a column of numbers without gaps, None if it is something else."""
        values = self.by_name[name]
        return values if isinstance(values, np.ndarray) else None

    def arrow(self, names: Sequence[str]) -> pa.Table:
        """Return some columns as a table of pyarrow; numbers that are all whole as such."""
        import pyarrow as pa

        return pa.table({name: _whole(self.by_name[name]) for name in names})

    def with_columns(self, names: Sequence[str], columns: Sequence[Values]) -> Frame:
        """Return the same with more columns."""
        both = [*self.names, *names], [*self.columns, *columns]
        return replace(self, names=both[0], columns=both[1])

    def check_known(self, names: Sequence[str]) -> None:
        """Refuse names of columns that do not exist."""
        check_known(self.file, names, self.names)


def _whole(values: Values) -> Values:
    if not isinstance(values, np.ndarray) or not np.isfinite(values).all():
        return values
    whole = bool((values == np.round(values)).all()) and np.abs(values).max(initial=0) < 2**53
    return values.astype(np.int64) if whole else values


def check_known(file: str, names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse names of columns that do not exist; a name that looks like one of them is proposed."""
    for name in names:
        if name not in known:
            like = _most_like(name, known)
            listed = ", ".join(known[:_MOST_NAMED])
            more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
            question = f' Did you mean "{like}"?' if like else ""
            raise InvalidFile(file, f' has no column "{name}".{question} It has {listed}{more}.')


def _most_like(name: str, known: Sequence[str]) -> str | None:
    by_lower = {other.lower(): other for other in known}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[found[0]] if found else None
