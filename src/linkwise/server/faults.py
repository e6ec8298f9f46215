"""What is wrong with a request, in one sentence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

#: Where in a request a fault may lie; only a body has depths.
_PARTS = ("body", "query", "path", "header", "cookie")


@dataclass(frozen=True)
class _Fault:
    """A fault, where it is, and as which of several things it was read when it was found."""

    said: str
    place: tuple[str | int, ...]
    read_as: tuple[tuple[tuple[str | int, ...], str], ...]


def sentence_of(errors: Sequence[Any], body: object) -> str:
    """Say where the first fault is and what is wanted there; the value itself is not repeated.

    Parameters
    ----------
    errors : sequence of dict
        What pydantic found.
    body : object
        The body as it was sent: what is said of a place that is not in it is about one of several
        things that it might be.

    Examples
    --------
    >>> wrong = [
    ...     {"type": "int_type", "loc": ("body", "k", "int"), "msg": "Should be a number"},
    ...     {"type": "literal_error", "loc": ("body", "k", "literal"), "msg": "Should be 'auto'"},
    ... ]
    >>> sentence_of(wrong, {"k": None})
    "k: should be a number, or should be 'auto'."
    """
    first = errors[0]
    if first["type"] == "json_invalid":
        return "the body is not JSON that can be read."
    if first["type"] == "too_long":
        most, found = first["ctx"]["max_length"], first["ctx"]["actual_length"]
        return f"at most {most:,} {first['loc'][-1]} are taken at once, got {found:,}."
    faults = list(_likeliest([_fault(error, body) for error in errors]))
    place = faults[0].place
    same = [fault for fault in faults if fault.place == place and fault.read_as]
    said = ", or ".join(dict.fromkeys(fault.said for fault in same)) or faults[0].said
    others = len(faults) - max(len(same), 1)
    more = "" if not others else f" There {_are(others)} more fault{'s' * (others > 1)}."
    where = ".".join(map(str, place)) or "the body"
    return f"{printable(where)}: {printable(said)}.{more}"


def _are(number: int) -> str:
    return f"is {number}" if number == 1 else f"are {number}"


def _fault(error: Any, body: object) -> _Fault:
    where, *path = error["loc"]
    if where not in _PARTS:
        path = list(error["loc"])
    place: tuple[str | int, ...] = ()
    read_as = []
    value: Any = body
    for k, part in enumerate(path):
        inside = isinstance(value, dict) and part in value
        inside = inside or (isinstance(value, list) and isinstance(part, int) and part < len(value))
        last = k == len(path) - 1
        if inside:
            value = value[part]
        elif where == "body" and not (last and error["type"] == "missing") and part != "[key]":
            read_as.append((place, str(part)))
            continue
        place = (*place, part)
    said = error["msg"][:1].lower() + error["msg"][1:]
    return _Fault(said, place, tuple(read_as))


def _likeliest(faults: Sequence[_Fault]) -> Iterator[_Fault]:
    """Yield the faults of whatever has fewest of them, where several things might be meant."""
    count = Counter(choice for fault in faults for choice in set(fault.read_as))
    fewest: dict[Any, int] = defaultdict(lambda: len(faults))
    for (place, _), number in count.items():
        fewest[place] = min(fewest[place], number)
    for fault in faults:
        if all(count[choice] == fewest[choice[0]] for choice in fault.read_as):
            yield fault


def printable(text: str) -> str:
    """Return the text without what a terminal or a log would act on, and not too long."""
    return "".join(c if c.isprintable() else "?" for c in text[:300])
