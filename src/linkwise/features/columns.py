"""Columns of any data frame, one at a time, as pyarrow's; gaps written out in words are gaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.files.delimited import has_decimal_comma
from linkwise.files.frames import arrow_column, column_values, frame_columns

if TYPE_CHECKING:
    import pyarrow as pa
    from narwhals.typing import IntoDataFrame

#: What people write where there is no value.
MISSING_WORDS = ("", "?", "-", "na", "n/a", "nan", "nat", "null", "none", "missing", "<na>", "#n/a")
_LARGEST = int(np.finfo(np.float64).max)
_LONGEST_MISSING_WORD = max(map(len, MISSING_WORDS))
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_CLOCK = r"^(?P<hours>\d{1,2}):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d))?$"
_UNITS = r"^[$€£][\s\x{a0}\x{202f}]*|[\s\x{a0}\x{202f}]*[%$€£]$"
_TICKS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_GROUPED = {".": r"^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$", ",": r"^[+-]?\d{1,3}(\.\d{3})+(,\d+)?$"}
#: Groups of digits with something between them that can be no decimal mark: 1 234,5 and 1'234.5.
_SPACED = r"^[+-]?[1-9]\d{0,2}([ \x{a0}\x{2009}\x{202f}'\x{2019}]\d{3})+([.,]\d+)?$"
_SPACES = r"[ \x{a0}\x{2009}\x{202f}'\x{2019}]"
#: Points that only group digits: 1.234,5 and 1.234.567. In 1.234 they may.
_GROUPING_POINTS = r"^[+-]?\d{1,3}((\.\d{3})+,\d+|(\.\d{3}){2,})$"
_MAY_GROUP = r"^[+-]?[1-9]\d{0,2}\.\d{3}$"
_POINT_NUMBER = r"^[+-]?\d*\.\d+([eE][+-]?\d+)?$"


class Columns(Mapping[str, "pa.ChunkedArray"]):
    """The columns of a data frame by name, each turned into pyarrow's when it is asked for."""

    def __init__(self, frame: IntoDataFrame) -> None:
        self._columns = frame_columns(frame)

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        values = self._columns[name]
        try:
            column = arrow_column(name, values)
            if not _is_foreign(column.type):
                return plain(column)
        except InvalidInput:
            pass
        # What pyarrow has no type for: numbers are floats, all else is read as it is written.
        found = [None if v is None or v != v else v for v in column_values(values)]
        if all(v is None or _is_number(v) for v in found):
            return plain(arrow_column(name, [None if v is None else float(v) for v in found]))
        return plain(arrow_column(name, [None if v is None else str(v) for v in found]))

    def are_codes(self, name: str) -> bool:
        """Tell whether the data frame says of a column that it holds categories without order."""
        import narwhals as nw

        column = nw.from_native(self._columns[name], series_only=True, pass_through=True)
        return isinstance(column, nw.Series) and column.dtype == nw.Categorical

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def n_rows(self) -> int:
        """Number of rows; 0 without columns."""
        return next((len(column) for column in self._columns.values()), 0)


def _is_number(value: object) -> bool:
    """Tell numbers that a float can hold, however long their digits."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    return not isinstance(value, int) or abs(value) < _LARGEST


def _is_foreign(kind: pa.DataType) -> bool:
    """Tell types such as the intervals and periods of pandas, with which nobody can compute."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return isinstance(kind, pa.BaseExtensionType)


def plain(column: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column without dictionaries, views and words such as "n/a"; NaN is a gap too."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not isinstance(column, pa.ChunkedArray):
        column = pa.chunked_array([column], type=column.type)
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    if pa.types.is_run_end_encoded(column.type):
        column = pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks])
    if pa.types.is_float16(column.type):  # with which pyarrow cannot compute
        column = pc.cast(column, pa.float32())
    kind = column.type
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        column = pc.cast(column, pa.large_string())
    if is_text(column):
        return without_missing_words(column)
    if pa.types.is_floating(kind):
        return pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
    return column


def is_text(column: pa.ChunkedArray) -> bool:
    """Tell whether the values are strings."""
    import pyarrow as pa

    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


def without_missing_words(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return strings with gaps where people wrote that there is no value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pa.array(MISSING_WORDS, column.type)
    nothing = pa.scalar(None, column.type)
    chunks = []
    for chunk in column.chunks:
        if pc.min(pc.utf8_length(chunk)).as_py() is None:
            chunks.append(chunk)
            continue
        short = pc.less_equal(pc.utf8_length(chunk), _LONGEST_MISSING_WORD + 2)
        blank = pc.or_(
            pc.utf8_is_space(chunk),
            pc.is_in(pc.utf8_lower(pc.utf8_trim_whitespace(pc.if_else(short, chunk, "x"))), words),
        )
        chunks.append(pc.if_else(blank, nothing, chunk) if pc.any(blank).as_py() else chunk)
    return pa.chunked_array(chunks, type=column.type)


def spread_rows(n_rows: int, at_most: int) -> NDArray[np.int64]:
    """Return row numbers spread evenly over the table, all of them if they are few."""
    if n_rows <= at_most:
        return np.arange(n_rows)
    return np.unique(np.linspace(0, n_rows - 1, at_most).astype(np.int64))


def decimal_mark(text: pa.ChunkedArray) -> str:
    """Return "," where numbers are written 1,5 or 1.234.567, with or without a unit, else "."."""
    import pyarrow.compute as pc

    cells = _bare(text)
    if pc.any(pc.match_substring_regex(cells, _GROUPING_POINTS)).as_py():
        points = pc.match_substring_regex(cells, _POINT_NUMBER)
        clear = pc.and_not(points, pc.match_substring_regex(cells, _MAY_GROUP))
        return "." if pc.any(clear).as_py() else ","
    return "," if has_decimal_comma([cells], ";") else "."


def _bare(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return strings without units and without blanks between groups of digits; minus is plain."""
    import pyarrow.compute as pc

    cells = pc.replace_substring_regex(pc.utf8_trim_whitespace(text), _UNITS, "")
    cells = pc.replace_substring_regex(cells, "^\N{MINUS SIGN}", "-")
    spaced = pc.match_substring_regex(cells, _SPACED)
    if not pc.any(spaced).as_py():
        return cells
    return pc.if_else(spaced, pc.replace_substring_regex(cells, _SPACES, ""), cells)


def numbers_in(column: pa.ChunkedArray, decimal: str) -> NDArray[np.float64]:
    """Return a column as floats, NaN where there is no number.

    Strings may have units or groups of digits; times of day are seconds.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if is_text(column):
        cells = _bare(column)
        group = "," if decimal == "." else "."
        grouped = pc.match_substring_regex(cells, _GROUPED[decimal])
        cells = pc.if_else(grouped, pc.replace_substring(cells, group, ""), cells)
        cells = pc.replace_substring(cells, ",", ".") if decimal == "," else cells
        if pc.any(pc.match_substring(cells, ":")).as_py():
            cells = pc.coalesce(_clock_seconds(cells), cells)
        fits = pc.match_substring_regex(cells, _NUMBER)
        column = pc.if_else(fits, cells, pa.scalar(None, cells.type))
    elif pa.types.is_duration(column.type):
        ticks = pc.cast(pc.cast(column, pa.int64()), pa.float64(), safe=False)
        return np.asarray(ticks.to_numpy()) / _TICKS[column.type.unit]
    elif pa.types.is_time(column.type):
        column = pc.cast(column, pa.int32() if pa.types.is_time32(column.type) else pa.int64())
    elif pa.types.is_decimal(column.type):
        column = pc.cast(column, pa.float64(), safe=False)
    return np.asarray(pc.cast(column, pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def _clock_seconds(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return times of day such as 13:45 as seconds, written as text; null where there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = pc.extract_regex(text, _CLOCK)
    total: Any = 0
    for name, length in (("hours", 3600), ("minutes", 60), ("seconds", 1)):
        digits = pc.struct_field(parts, name)
        digits = pc.if_else(pc.equal(digits, ""), "0", digits)
        total = pc.add(total, pc.multiply(pc.cast(digits, pa.int64()), length))
    return pc.cast(total, text.type)


def strings_in(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values as strings; gaps stay gaps."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return column if is_text(column) else pc.cast(column, pa.large_string())


def shown(value: object) -> str:
    """Return a value as a sentence may show it: text in quotes, and not too much of it."""
    text = str(value)
    return f'"{text if len(text) <= 30 else text[:27] + "..."}"' if isinstance(value, str) else text
