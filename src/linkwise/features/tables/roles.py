"""What each column of a table is good for, guessed from its values, with the reason in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.features.blocks.dates import date_formats, parsed
from linkwise.features.columns import Columns, decimal_mark, is_text, numbers_in, shown, spread_rows
from linkwise.features.pictures.picture_files import is_picture_name

if TYPE_CHECKING:
    import pyarrow as pa
    from narwhals.typing import IntoDataFrame

#: What a column can be. Only the last two are not grouped by.
ROLES = ("number", "category", "date", "text", "picture", "vector", "id", "ignored")
UNUSED = ("id", "ignored")
#: Rows that are looked at to tell what a column is.
SAMPLE_ROWS = 10_000
#: Rows that are looked at to tell whether it is mostly numbers.
_DOUBT_ROWS = 1000
#: Share of the values that must be alike (numbers, dates, pictures); the others count as missing.
MOST = 0.95
#: Strings of this many words on average are text, of fewer are names of something.
TEXT_WORDS = 3.0
#: So many different values make names of something worth no more as text than as a category.
FEW_VALUES = 30
#: Fewer rows cannot tell an id from a feature.
_FEW_ROWS = 10
#: Of so many whole numbers that fill half of their range or more, two are alike unless they count.
_MANY_ROWS = 20
#: Strings of this many letters on average are text without blanks.
_LONG = 60
#: Characters of a string that are looked at.
_LOOKED_AT = 1000
#: Whole numbers below are told apart by a float.
_MOST_EXACT = 2.0**53
#: Days between which whole numbers may be dates.
_FIRST_DAY, _LAST_DAY = 1900_01_01, 2100_12_31
_ID_NAME = re.compile(r"(^|[\s_.\-])(id|ids|uuid|guid|key|index|nr|no)$|[a-z]I[dD]$", re.IGNORECASE)


@dataclass(frozen=True)
class Role:
    """What a column is used as, and why.

    Attributes
    ----------
    name : str
        "number", "category", "date", "text", "picture", "vector", "id" or "ignored".
    reason : str
        Why, in words.
    """

    name: str
    reason: str

    @property
    def used(self) -> bool:
        """Whether rows are grouped by the column."""
        return self.name not in UNUSED


def guess_roles(frame: IntoDataFrame) -> dict[str, Role]:
    """Tell what each column of a table is good for; a sample of its rows will do.

    Parameters
    ----------
    frame : DataFrame
        Rows of pandas, polars, pyarrow or any other library that narwhals knows.

    Returns
    -------
    dict of str to Role
        The role of each column, with the reason in words.

    See Also
    --------
    TableFeatures : Uses them so.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"nr": range(1, 21), "paid": [True, False] * 10, "note": [None] * 20})
    >>> for column, role in guess_roles(frame).items():
    ...     print(f"{column}: {role.name}, {role.reason}")
    nr: id, it counts the rows
    paid: category, true or false
    note: ignored, it is empty
    """
    columns = Columns(frame)
    return {name: guessed(name, columns[name], columns) for name in columns}


def doubt(name: str, column: pa.ChunkedArray, guess: Role) -> str | None:
    """Return a sentence about a column taken for something else that is mostly numbers or dates."""
    import pyarrow.compute as pc

    if guess.name not in ("category", "text") or not is_text(column):
        return None
    sample = column.take(spread_rows(len(column), _DOUBT_ROWS)).drop_null()
    sample = pc.utf8_slice_codeunits(sample, 0, _LOOKED_AT)
    if not len(sample):
        return None
    strange, role = np.isnan(numbers_in(sample, decimal_mark(sample))), "number"
    if strange.mean() >= 0.5:
        formats = date_formats(sample, 0.5)
        if not formats:
            return None
        strange, role = parsed(sample, formats).is_null().to_numpy(), "date"
    found = shown(sample[int(np.argmax(strange))].as_py())
    return (
        f'"{name}" holds {role}s, but also values such as {found}, so it was taken for a '
        f"{guess.name}. With the role {role}, such values count as missing."
    )


def check_roles(given: Mapping[str, str] | None, columns: Columns) -> dict[str, Role]:
    """Return the roles that were asked for; a column or role that does not exist is refused."""
    if not isinstance(given, Mapping | None):
        raise InvalidInput(
            f'roles={given!r}: roles must be a dict from columns to roles, such as {{"a": "text"}}.'
        )
    told = {}
    for column, role in (given or {}).items():
        if column not in columns:
            near = get_close_matches(str(column), list(columns), n=1)
            hint = f' Did you mean "{near[0]}"?' if near else f" It has {', '.join(columns)}."
            raise InvalidInput(f'the table has no column "{column}".{hint}')
        if role not in ROLES:
            near = get_close_matches(str(role), ROLES, n=1)
            hint = f' Did you mean "{near[0]}"?' if near else f" Roles are {', '.join(ROLES)}."
            raise InvalidInput(f'column "{column}" cannot have the role {role!r}.{hint}')
        told[column] = Role(role, "as told")
    return told


def guessed(name: str, column: pa.ChunkedArray, columns: Columns) -> Role:
    """Tell what one column is good for; numbers that the data frame calls categories are those."""
    role = guess_role(name, column)
    if role.name == "number" and columns.are_codes(name):
        return Role("category", "the data frame says so")
    return role


def guess_role(name: str, column: pa.ChunkedArray) -> Role:
    """Tell what one column is good for."""
    if column.null_count == len(column):
        return Role("ignored", "it is empty")
    sample = column.take(spread_rows(len(column), SAMPLE_ROWS))
    if sample.null_count == len(sample):
        sample = column
    return _by_type(name, column, sample.drop_null())


def _by_type(name: str, column: pa.ChunkedArray, sample: pa.ChunkedArray) -> Role:
    import pyarrow as pa

    kind = column.type
    types = pa.types
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _vector(column)
    if types.is_boolean(kind):
        return _unless_constant(column, Role("category", "true or false"))
    if types.is_timestamp(kind) or types.is_date(kind):
        return _unless_constant(column, Role("date", "dates"))
    if types.is_integer(kind):
        return _whole_number(name, column)
    if types.is_floating(kind) or types.is_decimal(kind):
        whole = _as_whole(numbers_in(column, "."))  # with a gap, pandas keeps them as floats
        if whole is not None:
            return _whole_number(name, whole)
        return _unless_constant(column, Role("number", "numbers"))
    if types.is_duration(kind) or types.is_time(kind):
        return _unless_constant(column, Role("number", "times"))
    if is_text(column):
        return _unless_constant(column, _strings(name, column, sample))
    return Role("ignored", f"its type is {kind}")


def _unless_constant(column: pa.ChunkedArray, role: Role) -> Role:
    import pyarrow.compute as pc

    first = column[int(np.argmax(~column.is_null().to_numpy()))]
    same = pc.all(pc.equal(column, first)).as_py()
    if same and column.null_count == 0 and len(column) > 1:
        return Role("ignored", f"every row has the same value, {shown(first.as_py())}")
    return role


def _whole_number(name: str, column: pa.ChunkedArray) -> Role:
    if _are_days(column):
        day = column.drop_null()[0].as_py()
        return _unless_constant(column, Role("date", f"dates written as numbers such as {day}"))
    counts = _counting(name, column.drop_null())
    return (
        Role("id", counts) if counts else _unless_constant(column, Role("number", "whole numbers"))
    )


def _as_whole(values: NDArray[np.float64]) -> pa.ChunkedArray | None:
    """Return numbers as whole ones, with their gaps; None if they are not."""
    import pyarrow as pa

    gaps = np.isnan(values)
    given = values[~gaps]
    if not (np.abs(given) < _MOST_EXACT).all() or (given != np.round(given)).any():
        return None
    whole = np.where(gaps, 0.0, values).astype(np.int64)
    return pa.chunked_array([pa.array(whole, mask=gaps)])


def _counting(name: str, given: pa.ChunkedArray) -> str | None:
    """Return why whole numbers name the rows; None if they may be more than names."""
    import pyarrow.compute as pc

    if len(given) < _FEW_ROWS or pc.count_distinct(given).as_py() < len(given):
        return None
    ends = pc.min_max(given).as_py()
    span = ends["max"] - ends["min"] + 1
    if span == len(given):
        return "it counts the rows"
    if len(given) >= _MANY_ROWS and span <= 2 * len(given):
        return "it counts the rows, with gaps"
    return "its name says so, and no two rows share a value" if _ID_NAME.search(name) else None


def _are_days(column: pa.ChunkedArray) -> bool:
    """Tell whether whole numbers are days of these centuries, written as 20240115."""
    import pyarrow.compute as pc

    ends = pc.min_max(column).as_py()
    if not _FIRST_DAY <= ends["min"] <= ends["max"] <= _LAST_DAY:
        return False
    return not parsed(column.drop_null(), ["%Y%m%d"]).null_count


def _vector(column: pa.ChunkedArray) -> Role:
    import pyarrow as pa
    import pyarrow.compute as pc

    inner = column.type.value_type
    if not (pa.types.is_floating(inner) or pa.types.is_integer(inner)):
        return Role("ignored", f"its values are lists of {inner}")
    ends = pc.min_max(pc.list_value_length(column)).as_py()
    if ends["min"] != ends["max"]:
        return Role(
            "ignored", f"its lists are of different lengths, {ends['min']} to {ends['max']}"
        )
    return Role("vector", f"lists of {ends['max']} numbers")


def _strings(name: str, column: pa.ChunkedArray, sample: pa.ChunkedArray) -> Role:
    import pyarrow.compute as pc

    words = float(pc.mean(pc.count_substring_regex(sample, r"\S+")).as_py())
    sample = pc.utf8_slice_codeunits(sample, 0, _LOOKED_AT)
    decimal = decimal_mark(sample)
    are_numbers = ~np.isnan(numbers_in(sample, decimal))
    if are_numbers.mean() >= MOST:
        written = sample[int(np.argmax(are_numbers))].as_py()
        return _numbers_as_text(name, column, decimal, written)
    if np.mean([is_picture_name(value) for value in sample.to_pylist()]) >= MOST:
        return Role("picture", f'names of picture files such as "{sample[0].as_py()}"')
    formats = date_formats(sample, MOST)
    if formats:
        several = f" in {len(formats)} formats" if len(formats) > 1 else ""
        return Role("date", f'dates written as text{several} such as "{sample[0].as_py()}"')
    long = float(pc.mean(pc.utf8_length(sample)).as_py())
    n_values = pc.count_distinct(sample).as_py()
    few = n_values <= min(FEW_VALUES, len(sample) / 2)
    all_differ = n_values == len(sample) >= _FEW_ROWS
    if not few and (words >= TEXT_WORDS or long >= _LONG or (all_differ and words >= 1.5)):
        return Role("text", f"text of {words:.0f} words on average")
    if all_differ:
        return Role("id", "no two rows share a value")
    return Role("category", f"{n_values} different value{'' if n_values == 1 else 's'}")


def _numbers_as_text(name: str, column: pa.ChunkedArray, decimal: str, written: str) -> Role:
    if ":" in written:
        return Role("number", f'times of day such as "{written}"')
    whole = _as_whole(numbers_in(column, decimal))
    if whole is not None and (role := _whole_number(name, whole)).name != "number":
        return role
    mark = " with a decimal comma" if decimal == "," in written else ""
    return Role("number", f'numbers written as text{mark} such as "{written}"')
