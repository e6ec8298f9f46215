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
from linkwise.features.columns import is_text, shown, spread_rows

if TYPE_CHECKING:
    import pyarrow as pa

_DAYS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d")
_NAMED = ("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y")
_TIMES = ("", " %H:%M:%S", "T%H:%M:%S", " %H:%M", "T%H:%M", "T%H:%M:%SZ")
#: Every way of writing a date that is understood.
FORMATS = tuple(day + time for time in _TIMES for day in _DAYS) + _NAMED
#: Behind the minutes or seconds: fractions and the distance from Greenwich, which are not read.
_FINE = r"(\d:\d{2})(?:[.,]\d+)?(?: ?[+-]\d{2}:?\d{2})?(Z?)$"
_MOST_LOOKED_AT = 1000
_LONGEST = 40
_CHUNK = 65_536
#: Circles on which dates come round, and their length in seconds.
_YEAR, _WEEK, _DAY = 365.2425 * 86400, 7 * 86400, 86400
_CIRCLES = {"year": _YEAR, "week": _WEEK, "day": _DAY}


def date_formats(text: pa.ChunkedArray, share: float) -> list[str]:
    """Return the one or two formats that ``share`` of the strings are dates in; none if not."""
    import pyarrow.compute as pc

    rows = spread_rows(len(text), _MOST_LOOKED_AT)
    sample = pc.utf8_trim_whitespace(text.take(rows))
    if not len(sample) or pc.max(pc.utf8_length(sample)).as_py() > _LONGEST:
        return []
    fits = {f: parsed(sample, [f]).is_valid().to_numpy() for f in FORMATS}
    best = max(FORMATS, key=lambda f: fits[f].sum())
    if not fits[best].any():
        return []
    both = max(FORMATS, key=lambda f: (fits[f] | fits[best]).sum())
    found = [best] if both == best or fits[best].mean() >= 1.0 else [best, both]
    covered = np.logical_or.reduce([fits[f] for f in found])
    return found if covered.mean() >= share else []


def parsed(column: pa.ChunkedArray, formats: Sequence[str]) -> pa.ChunkedArray:
    """Return dates as times; of strings, the first format that fits counts, none is a gap."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not is_text(column):
        return pc.cast(column, pa.timestamp("us"), safe=False)
    cells = pc.replace_substring_regex(pc.utf8_trim_whitespace(column), _FINE, r"\1\2")
    read = [
        pc.cast(pc.strptime(cells, f, "s", error_is_null=True), pa.timestamp("us")) for f in formats
    ]
    return pc.coalesce(*read)


@dataclass(frozen=True, eq=False)
class DateBlock:
    """A column of dates: when on the whole, and where in the year, the week and the day."""

    formats: list[str]
    seconds: Squash

    @classmethod
    def fit(cls, name: str, column: pa.ChunkedArray, note: Callable[[str], None]) -> Self:
        """Learn how dates are written and when most of them are."""
        formats: list[str] = []
        if is_text(column):
            formats = date_formats(column.drop_null(), np.finfo(float).tiny)
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

    return np.asarray(pc.cast(pc.cast(dates, pa.int64()), pa.float64()).to_numpy() / 1e6)
