"""Looking around in the rows: search them, read a column of all, tell what sets some apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.features.blocks.dates import date_formats, parsed, since_1970
from linkwise.features.tables.roles import MOST
from linkwise.session.data.display import Row
from linkwise.tables.shown_rows import Shown

_CHUNK = 2_000
#: Categories that get a colour of their own; what is rarer is one more.
MOST_CATEGORIES = 12
#: Rows of a cluster, and of all, by which it is told what sets it apart.
SAMPLE = 1_000
#: Words and fields that are told of a cluster.
MOST_APART = 6
_LEAST_APART = 0.5
_WORD = re.compile(r"[^\W\d_]{3,}")

#: Reads rows for showing.
Read = Callable[[Sequence[int]], list[Row]]


@dataclass(frozen=True)
class ColumnValues:
    """One column of the rows looked at, as small numbers: categories, or positions on a scale.

    Attributes
    ----------
    kind : {"number", "category"}
        Whether codes are positions from 0 to 254 between two numbers or dates, or categories.
    legend : list of str
        The two numbers or dates, or what the categories are called.
    codes : uint8 array of shape (n_looked_at,)
        255 where there is no value.
    """

    kind: str
    legend: list[str]
    codes: NDArray[np.uint8]


def search(read: Read, among: Sequence[int], text: str, limit: int) -> list[int]:
    """Return the first of some rows that hold ``text`` in id, text or any field, in any case."""
    wanted, found = text.casefold(), []
    for row in _all(read, among):
        if any(wanted in value.casefold() for value in _said(row)):
            found.append(row.row)
            if len(found) == limit:
                break
    return found


def column_values(read: Read, among: Sequence[int], name: str) -> ColumnValues:
    """Return one column of some rows."""
    values: list[str] = []
    for row in _all(read, among):
        if name not in row.fields:
            raise InvalidInput(f"no column is called {name!r}, or it is not shown as a field.")
        values.append(_shown(row.fields[name]))
    is_given, as_numbers = np.array([value != "" for value in values]), _numbers(values)
    given = as_numbers[is_given]
    if np.isfinite(given).all() and len(np.unique(given)) > MOST_CATEGORIES:
        return _scale(as_numbers, [partial(rounded, digits=digits) for digits in (4, 7, 10, 15)])
    common = [value for value, _ in Counter(v for v in values if v).most_common()]
    if len(common) > MOST_CATEGORIES and (times := _times(values)) is not None:
        return _scale(times, [partial(_moment, unit=unit) for unit in ("D", "m", "s")])
    shown, rest = common[:MOST_CATEGORIES], common[MOST_CATEGORIES:]
    code = {value: k for k, value in enumerate(shown)}
    code |= dict.fromkeys(rest, len(shown))
    legend = shown + ([f"{len(rest)} others"] if rest else [])
    codes = np.array([code.get(value, 255) for value in values], dtype=np.uint8)
    return ColumnValues("category", legend, codes)


def rounded(number: float, digits: int = 4) -> str:
    """Return a number as people write it: some digits, and all those before the point."""
    is_large = 10 ** (digits - 1) <= abs(number) < 1e15
    return f"{number:.0f}" if is_large else f"{number:.{digits}g}"


def _scale(numbers: NDArray[np.float64], ways: Sequence[Callable[[float], str]]) -> ColumnValues:
    """Spread numbers over the codes; the outermost 1 % of either end count as the end.

    The ends are written in the first of some ways that tells them apart.
    """
    low, high = np.nanpercentile(numbers, [1, 99])
    ends = next(([w(low), w(high)] for w in ways if w(low) != w(high)), [ways[0](low)] * 2)
    place = np.clip((numbers - low) / ((high - low) or 1.0), 0, 1)
    codes = np.where(np.isfinite(numbers), np.rint(254 * np.nan_to_num(place)), 255)
    return ColumnValues("number", ends, codes.astype(np.uint8))


def _times(values: list[str]) -> NDArray[np.float64] | None:
    """Return seconds since 1970, NaN where there is no date; None where most are no dates."""
    import pyarrow as pa

    column = pa.chunked_array([[value or None for value in values]])
    formats = date_formats(column.drop_null(), MOST)
    return since_1970(parsed(column, formats)) if formats else None


def _moment(seconds: float, unit: Literal["D", "m", "s"]) -> str:
    moment = np.datetime64(round(seconds), "s").astype(f"datetime64[{unit}]")
    return str(moment).replace("T", " ")


def sets_apart(read: Read, inside: NDArray[np.int64], n_rows: int) -> tuple[list[str], list[str]]:
    """Return in words what sets rows apart from all, the most telling first, and short names."""
    rng = np.random.default_rng(len(inside))
    own = _sample(inside, rng)
    others = np.setdiff1d(_sample(np.arange(n_rows), rng), inside)
    ours, theirs = read(own.tolist()), read(others.tolist())
    if not ours or not theirs:
        return [], []
    found = [*_fields_apart(ours, theirs), *_words_apart(ours, theirs)]
    found.sort(key=lambda one: -one[0])
    told = found[:MOST_APART]
    names = dict.fromkeys(name for _, _, name in told if name)  # two columns may say "yes"
    return [sentence for _, sentence, _ in told], list(names)[:3]


def _fields_apart(ours: list[Row], theirs: list[Row]) -> Iterator[tuple[float, str, str]]:
    """Yield (strength, sentence, name) for fields: numbers by their mean, others by a value."""
    for name in ours[0].fields:
        mine, other = ([_shown(row.fields.get(name)) for row in rows] for rows in (ours, theirs))
        if str(ours[0].id) == mine[0] and len(set(mine)) == len(mine):
            continue  # the rows' own names
        a, b = _numbers(mine), _numbers(other)
        if np.isfinite(a).mean() > 0.5 and np.isfinite(b).mean() > 0.5:
            spread = float(np.nanstd(np.concatenate([a, b])))
            gap = float(np.nanmean(a) - np.nanmean(b)) / spread if spread > 0 else 0.0
            if abs(gap) > _LEAST_APART:
                high = "high" if gap > 0 else "low"
                about = (
                    f"{rounded(float(np.nanmean(a)), 3)}, others {rounded(float(np.nanmean(b)), 3)}"
                )
                yield abs(gap), f"{name} is {high}: {about}", f"{high} {name}"
            continue
        value, n = Counter(mine).most_common(1)[0]
        share, elsewhere = n / len(mine), other.count(value) / len(other)
        if value and share - elsewhere > 0.2 and share > 0.3:
            yield (
                2 * (share - elsewhere),
                f"{name} is {value} in {100 * share:.0f} %, elsewhere in {100 * elsewhere:.0f} %",
                value[:40],
            )


def _words_apart(ours: list[Row], theirs: list[Row]) -> Iterator[tuple[float, str, str]]:
    """Yield (strength, sentence, name) for words of the text that are commoner here."""
    if ours[0].text is None:
        return
    counts = [Counter(w for row in rows for w in _words(row.text)) for rows in (ours, theirs)]
    scored = []
    for word, n in counts[0].items():
        here, there = n / len(ours), counts[1][word] / len(theirs)
        if n >= 2 and here > there:
            strength = (here - there) * np.log((here + 0.01) / (there + 0.01))
            scored.append((strength, len(word), word))  # of two that say as much, the longer one
    best = [word for _, _, word in sorted(scored, reverse=True)[:5]]
    if best:
        yield 3.0, f"words: {', '.join(best)}", ", ".join(best[:2])


def diverse(blocks: NDArray[np.uint8], n: int) -> list[int]:
    """Return positions of up to ``n`` columns of blocks, each as unlike those before as can be.

    The first is the one that shares most blocks with all others.
    """
    count = blocks.shape[1]
    if count == 0:
        return []
    together = np.array([(blocks == blocks[:, [k]]).mean() for k in range(count)])
    chosen = [int(together.argmax())]
    nearest = (blocks == blocks[:, chosen]).mean(axis=0)
    while len(chosen) < min(n, count):
        nearest[chosen] = np.inf
        k = int(nearest.argmin())
        chosen.append(k)
        nearest = np.maximum(nearest, (blocks == blocks[:, [k]]).mean(axis=0))
    return chosen


def _all(read: Read, among: Sequence[int]) -> Iterator[Row]:
    for start in range(0, len(among), _CHUNK):
        yield from read(among[start : start + _CHUNK])


def _said(row: Row) -> Iterator[str]:
    yield str(row.id)
    if row.text is not None:
        yield row.text
    for value in row.fields.values():
        if value is not None:
            yield str(value)


def _shown(value: Shown) -> str:
    return "" if value is None else str(value)


def _words(text: str | None) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text or "")}


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _numbers(values: list[str]) -> NDArray[np.float64]:
    found = [_number(value) for value in values]
    return np.array([np.nan if number is None else number for number in found])


def _sample(rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    if len(rows) <= SAMPLE:
        return rows
    return np.sort(rng.choice(rows, SAMPLE, replace=False))
