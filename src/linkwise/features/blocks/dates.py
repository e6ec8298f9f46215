"""Dates: how they are written, and the parts of them that rows can share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.features.blocks.numbers import Squash
from linkwise.features.blocks.strange import no_such_value, strange_values
from linkwise.features.columns import shown, spread_rows, strings_in

if TYPE_CHECKING:
    import pyarrow as pa

_DAYS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d")
_SHORT = ("%d.%m.%y", "%m/%d/%y", "%d/%m/%y", "%d-%b-%y")
_NAMED = ("%d %b %Y", "%b %d, %Y", "%d-%b-%Y")
_TIMES = ("", " %H:%M:%S", "T%H:%M:%S", " %H:%M", "T%H:%M", "T%H:%M:%SZ")
_HALF_DAYS = (" %I:%M:%S %p", " %I:%M %p")
#: Every way of writing a date that is understood; "%b" reads names of months in full, too.
FORMATS = tuple(day + time for time in _TIMES + _HALF_DAYS for day in _DAYS + _SHORT + _NAMED)
#: What is not read: the day of the week in front, and behind the minutes or seconds their fractions
#: and the distance from Greenwich.
_WEEKDAY = r"(?i)^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[.,]* +"
_FINE = r"(\d:\d{2})(?:[.,]\d+)?(?: ?(?:UTC|GMT|[+-]\d{2}:?\d{2}))?(Z?)$"
#: Two numbers at least, or all digits of a day in one: only such strings are tried.
_NUMBERS = r"\d\D+\d|\d{8}"
#: Years before have fewer than four digits: "%Y" would read the year 24 in "1/3/24".
_FIRST_YEAR = 1000
_MOST_LOOKED_AT = 1000
_LONGEST = 40
_CHUNK = 65_536
#: Circles on which dates come round, and their length in seconds.
_YEAR, _WEEK, _DAY = 365.2425 * 86400, 7 * 86400, 86400
_CIRCLES = {"year": _YEAR, "week": _WEEK, "day": _DAY}


def date_formats(text: pa.ChunkedArray, share: float) -> list[str]:
    """Return the one or two formats that ``share`` of the strings are dates in; none if not."""
    import pyarrow.compute as pc

    sample = _without_details(text.take(spread_rows(len(text), _MOST_LOOKED_AT)))
    if not len(sample) or pc.max(pc.utf8_length(sample)).as_py() > _LONGEST:
        return []
    likely = sample.filter(pc.match_substring_regex(sample, _NUMBERS))
    if not len(likely) or len(likely) < share * len(sample):
        return []
    fits = {f: _read(likely, f).is_valid().to_numpy() for f in FORMATS}
    best = max(FORMATS, key=lambda f: fits[f].sum())
    if not fits[best].any():
        return []
    both = max(FORMATS, key=lambda f: (fits[f] | fits[best]).sum())
    found = [best] if both == best or fits[best].all() else [best, both]
    covered = np.logical_or.reduce([fits[f] for f in found])
    return found if covered.sum() >= share * len(sample) else []


def parsed(column: pa.ChunkedArray, formats: Sequence[str]) -> pa.ChunkedArray:
    """Return dates as times; of strings, the first format that fits counts, none is a gap."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_temporal(column.type) or not formats:
        return pc.cast(column, pa.timestamp("us"), safe=False)
    cells = _without_details(written(column))
    return pc.coalesce(*(_read(cells, form) for form in formats))


def written(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return strings; numbers, as which some write 20240115, become their digits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(column.type):
        column = pc.cast(column, pa.int64())
    return strings_in(column)


def _without_details(text: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    cells = pc.replace_substring_regex(pc.utf8_trim_whitespace(text), _WEEKDAY, "")
    return pc.replace_substring_regex(cells, _FINE, r"\1\2")


def _read(cells: pa.ChunkedArray, form: str) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.strptime(cells, form, "s", error_is_null=True)
    found = pc.if_else(pc.less(pc.year(found), _FIRST_YEAR), pa.scalar(None, found.type), found)
    return pc.cast(found, pa.timestamp("us"))


@dataclass(frozen=True, eq=False)
class DateBlock:
    """A column of dates: when on the whole, and where in the year, the week and the day."""

    formats: list[str]
    seconds: Squash

    @classmethod
    def fit(cls, name: str, column: pa.ChunkedArray, note: Callable[[str], None]) -> Self:
        """Learn how dates are written and when most of them are."""
        import pyarrow as pa

        formats: list[str] = []
        if not pa.types.is_temporal(column.type):
            formats = date_formats(written(column).drop_null(), np.finfo(float).tiny)
            if not formats:
                raise InvalidInput(
                    f'column "{name}" cannot be used as date: {no_such_value(column)}.'
                )
        read = parsed(column, formats)
        strange = read.is_null().to_numpy() & column.is_valid().to_numpy()
        if strange.any():
            note(f'"{name}": {strange_values(column, strange, "date")}.')
        for doubt in _doubts(column, formats, read):
            note(f'"{name}": {doubt}.')
        return cls(formats, Squash.fit(since_1970(read)))

    @property
    def n_features(self) -> int:
        return 1 + 2 * len(_CIRCLES)

    def feature_names(self, name: str) -> list[str]:
        turns = ("sine", "cosine")
        return [name, *(f"{name} {circle} {turn}" for circle in _CIRCLES for turn in turns)]

    def fill(self, column: pa.ChunkedArray, out: NDArray[np.float32]) -> None:
        """Write the features of a column; a gap is the middle of everything."""
        for start in range(0, len(column), _CHUNK):
            part = column.slice(start, _CHUNK)
            seconds = since_1970(parsed(part, self.formats))
            rows = out[start : start + len(part)]
            rows[:, 0] = self.seconds.apply(seconds)
            for k, length in enumerate(_CIRCLES.values()):
                angle = 2 * np.pi * np.mod(seconds / length, 1.0)
                rows[:, 2 * k + 1] = np.nan_to_num(np.sin(angle))
                rows[:, 2 * k + 2] = np.nan_to_num(np.cos(angle))


def _doubts(
    column: pa.ChunkedArray, formats: Sequence[str], read: pa.ChunkedArray
) -> Iterator[str]:
    """Say that dates are written in two ways, or that the day may be taken for the month."""
    if len(formats) > 1:
        first = parsed(column, formats[:1])
        ways = [_example(column, first), _example(column, read, but=first)]
        yield f"dates are written in two ways, such as {ways[0]} and {ways[1]}"
    elif formats and formats[0].startswith("%m/%d"):
        turned = parsed(column, [formats[0].replace("%m/%d", "%d/%m")])
        if turned.null_count == read.null_count and not turned.equals(read):
            yield (
                f"in dates such as {_example(column, read, but=turned)} the month or the day may "
                f"come first; they are read with the month first"
            )


def _example(
    column: pa.ChunkedArray, read: pa.ChunkedArray, but: pa.ChunkedArray | None = None
) -> str:
    """Return the first value that was read as a date, and as another one than in ``but``."""
    import pyarrow.compute as pc

    wanted = read.is_valid()
    if but is not None:
        wanted = pc.and_(wanted, pc.fill_null(pc.not_equal(read, but), fill_value=True))
    return shown(column[int(np.argmax(wanted.to_numpy()))].as_py())


def since_1970(dates: pa.ChunkedArray) -> NDArray[np.float64]:
    """Return seconds since the beginning of 1970, NaN where there is no date."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return np.asarray(
        pc.cast(pc.cast(dates, pa.int64()), pa.float64(), safe=False).to_numpy() / 1e6
    )
