"""What a field of an event may hold: each reads its value, complaining in sentences.

``where`` is the kind and the name of the field, as in "answer: i".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from linkwise.session.errors import InvalidEvent

VERDICTS = ("unsure", "different", "same")
MAX_NAME = 200
#: Half of a pair of UTF-16, which is no letter.
_HALF = re.compile("[\ud800-\udfff]")
#: Clusters that a model can have.
MAX_COUNT = 256


@dataclass(frozen=True)
class Row:
    """The number of a row."""

    def read(self, where: str, value: object, n_rows: int) -> int:
        row = _whole(where, value, low=0)
        if row >= n_rows:
            raise InvalidEvent(f"{where} is {row}, outside the {n_rows} rows (0 to {n_rows - 1}).")
        return row


@dataclass(frozen=True)
class Rows:
    """Numbers of rows; kept once and in order."""

    at_least: int = 1
    optional: bool = False

    def read(self, where: str, value: object, n_rows: int) -> list[int] | None:
        if value is None and self.optional:
            return None
        return _numbers(where, value, self.at_least, "row", limit=n_rows)


@dataclass(frozen=True)
class Cluster:
    """The number of a cluster; whether there is one, the history tells."""

    def read(self, where: str, value: object, n_rows: int) -> int:  # noqa: ARG002
        return _whole(where, value, low=0)


@dataclass(frozen=True)
class Clusters:
    """Numbers of clusters; kept once and in order."""

    at_least: int = 2

    def read(self, where: str, value: object, n_rows: int) -> list[int]:  # noqa: ARG002
        return _numbers(where, value, self.at_least, "cluster")


@dataclass(frozen=True)
class EventNumber:
    """The number of an event; whether there is one, the history tells."""

    def read(self, where: str, value: object, n_rows: int) -> int:  # noqa: ARG002
        return _whole(where, value, low=1)


@dataclass(frozen=True)
class Name:
    """Some text, without blanks around it."""

    def read(self, where: str, value: object, n_rows: int) -> str:  # noqa: ARG002
        if not isinstance(value, str) or not value.strip():
            raise InvalidEvent(f"{where} is {show(value)}, expected some text.")
        check_text(where.rpartition(": ")[2], value, MAX_NAME)
        return value.strip()


@dataclass(frozen=True)
class Verdict:
    """What somebody says of two rows."""

    def read(self, where: str, value: object, n_rows: int) -> str:  # noqa: ARG002
        if value not in VERDICTS:
            raise InvalidEvent(f"{where} is {show(value)}, expected same, different or unsure.")
        return str(value)


@dataclass(frozen=True)
class Count:
    """A number of clusters."""

    def read(self, where: str, value: object, n_rows: int) -> int:
        number, most = _whole(where, value, low=1), min(MAX_COUNT, n_rows)
        if number > most:
            raise InvalidEvent(f"{where} is {number}; there can be at most {most} clusters.")
        return number


Field = Row | Rows | Cluster | Clusters | EventNumber | Name | Verdict | Count


def check_text(name: str, value: object, limit: int, *, empty: bool = True) -> None:
    """Refuse what is not text, or too long, or cannot be written."""
    if not isinstance(value, str) or (not empty and not value):
        raise InvalidEvent(f"{name} is {show(value)}, expected text.")
    if len(value) > limit:
        raise InvalidEvent(f"{name} has {len(value)} characters, at most {limit} are kept.")
    if "\x00" in value or (not value.isascii() and _HALF.search(value)):
        raise InvalidEvent(f"{name} holds characters that are not text (NUL or half of a pair).")


def show(value: object) -> str:
    """Return a value as Python writes it, cut to fit into a sentence."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _whole(where: str, value: object, low: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        raise InvalidEvent(f"{where} is {show(value)}, expected a whole number >= {low}.")
    return value


def _numbers(
    where: str, values: object, at_least: int, what: str, limit: int | None = None
) -> list[int]:
    if not isinstance(values, list | tuple) or len(values) < at_least:
        raise InvalidEvent(
            f"{where} is {show(values)}, expected a list of at least "
            f"{at_least} whole number{'s' if at_least > 1 else ''}."
        )
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise InvalidEvent(f"{where} holds {show(value)}, expected whole numbers >= 0.")
        if limit is not None and value >= limit:
            raise InvalidEvent(
                f"{where} holds {value}, outside the {limit} {what}s (0 to {limit - 1})."
            )
    found = sorted(set(values))
    if len(found) < at_least:
        raise InvalidEvent(f"{where} names {what} {found[0]} only, expected two {what}s or more.")
    return found
