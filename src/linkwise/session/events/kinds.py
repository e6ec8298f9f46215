"""The kinds of events and what each must say: all checks that need no history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from linkwise.session.errors import InvalidEvent
from linkwise.session.events.event import Entry, Payload

VERDICTS = ("unsure", "different", "same")
MAX_NAME = 200
MAX_WHO = 200
MAX_KEY = 200


def check_entry(entry: Entry, n_rows: int) -> Entry:
    """Return the entry with a clean payload, or say what is wrong with it."""
    if entry.kind not in _CHECKS:
        listed = ", ".join(_CHECKS)
        raise InvalidEvent(f"kind is {entry.kind!r}, expected one of {listed}.")
    if not isinstance(entry.payload, dict):
        raise InvalidEvent(f"the payload of {entry.kind} is {_show(entry.payload)}, not an object.")
    _check_text("who", entry.who, MAX_WHO)
    if entry.key is not None:
        _check_text("key", entry.key, MAX_KEY, empty=False)
    payload = _CHECKS[entry.kind](_Fields(entry.kind, entry.payload), n_rows)
    return replace(entry, payload=payload)


class _Fields:
    """Reads the fields of a payload, complaining in sentences."""

    def __init__(self, kind: str, payload: Payload) -> None:
        self.kind, self.payload = kind, payload

    def only(self, *known: str) -> None:
        for name in self.payload:
            if name not in known:
                raise InvalidEvent(
                    f"{self.kind} has no field {_show(name)}, it has {', '.join(known)}."
                )

    def whole(self, name: str, low: int = 0) -> int:
        value = self.payload.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < low:
            raise InvalidEvent(
                f"{self.kind}: {name} is {_show(value)}, expected a whole number >= {low}."
            )
        return value

    def row(self, name: str, n_rows: int) -> int:
        value = self.whole(name)
        if value >= n_rows:
            raise InvalidEvent(
                f"{self.kind}: {name} is {value}, outside the {n_rows} rows (0 to {n_rows - 1})."
            )
        return value

    def numbers(self, name: str, at_least: int, limit: int | None = None) -> list[int]:
        values = self.payload.get(name)
        if not isinstance(values, list | tuple) or len(values) < at_least:
            raise InvalidEvent(
                f"{self.kind}: {name} is {_show(values)}, expected a list of at least "
                f"{at_least} whole number{'s' if at_least > 1 else ''}."
            )
        for value in values:
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise InvalidEvent(
                    f"{self.kind}: {name} holds {_show(value)}, expected whole numbers >= 0."
                )
            if limit is not None and value >= limit:
                raise InvalidEvent(
                    f"{self.kind}: {name} holds {value}, outside the {limit} rows "
                    f"(0 to {limit - 1})."
                )
        return sorted(set(values))

    def name(self) -> str:
        value = self.payload.get("name")
        if not isinstance(value, str) or not value.strip():
            raise InvalidEvent(f"{self.kind}: name is {_show(value)}, expected some text.")
        _check_text("name", value, MAX_NAME)
        return value.strip()


def _answer(fields: _Fields, n_rows: int) -> Payload:
    fields.only("i", "j", "verdict", "guess")
    i, j = fields.row("i", n_rows), fields.row("j", n_rows)
    if i == j:
        raise InvalidEvent(f"answer: i and j are both {i}. An answer is about two different rows.")
    verdict = fields.payload.get("verdict")
    if verdict not in VERDICTS:
        raise InvalidEvent(
            f"answer: verdict is {_show(verdict)}, expected same, different or unsure."
        )
    return {"i": i, "j": j, "verdict": verdict}


def _label(fields: _Fields, n_rows: int) -> Payload:
    fields.only("rows", "name")
    return {"rows": fields.numbers("rows", 1, n_rows), "name": fields.name()}


def _together(fields: _Fields, n_rows: int) -> Payload:
    fields.only("rows")
    rows = fields.numbers("rows", 2, n_rows)
    if len(rows) < 2:
        raise InvalidEvent(f"together: rows names row {rows[0]} only, expected two rows or more.")
    return {"rows": rows}


def _undo(fields: _Fields, n_rows: int) -> Payload:  # noqa: ARG001
    fields.only("event")
    return {"event": fields.whole("event", low=1)}


def _rename(fields: _Fields, n_rows: int) -> Payload:  # noqa: ARG001
    fields.only("cluster", "name")
    return {"cluster": fields.whole("cluster"), "name": fields.name()}


def _merge(fields: _Fields, n_rows: int) -> Payload:  # noqa: ARG001
    fields.only("clusters")
    clusters = fields.numbers("clusters", 2)
    if len(clusters) < 2:
        raise InvalidEvent(
            f"merge: clusters names cluster {clusters[0]} only, expected two clusters or more."
        )
    return {"clusters": clusters}


def _split(fields: _Fields, n_rows: int) -> Payload:
    fields.only("cluster", "rows", "new", "halves")
    rows = fields.payload.get("rows")
    chosen = None if rows is None else fields.numbers("rows", 1, n_rows)
    return {"cluster": fields.whole("cluster"), "rows": chosen}


_CHECKS: dict[str, Callable[[_Fields, int], Payload]] = {
    "answer": _answer,
    "label": _label,
    "together": _together,
    "undo": _undo,
    "rename": _rename,
    "merge": _merge,
    "split": _split,
}
KINDS = tuple(_CHECKS)


def _check_text(name: str, value: object, limit: int, *, empty: bool = True) -> None:
    if not isinstance(value, str) or (not empty and not value):
        raise InvalidEvent(f"{name} is {_show(value)}, expected text.")
    if len(value) > limit:
        raise InvalidEvent(f"{name} has {len(value)} characters, at most {limit} are kept.")
    if "\x00" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise InvalidEvent(f"{name} holds characters that are not text (NUL or half of a pair).")


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
