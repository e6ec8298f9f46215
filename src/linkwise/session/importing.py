"""Import: what is known elsewhere becomes entries: links, labels, answers of another session.

Every entry has a key that follows from what it says, so importing the same thing again adds
nothing, and what was undone here stays undone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from linkwise.cluster.sequential.answers import CONFIRMED
from linkwise.constraints import Links, PartialLabels
from linkwise.constraints.formats import Table, read_table
from linkwise.errors import InvalidInput, InvalidLinks
from linkwise.files.endings import KNOWLEDGE_READ, ending_of, listed
from linkwise.session.events.event import Entry, Event
from linkwise.session.events.kinds import KINDS
from linkwise.session.export import ANSWER_COLUMNS

#: What the key of an imported entry begins with.
KEY = "import-"


class Recorded(Protocol):
    """An event of this session, wherever it was read from."""

    @property
    def seq(self) -> int: ...

    @property
    def when(self) -> str: ...

    @property
    def who(self) -> str: ...


class Here(NamedTuple):
    """The session that imports: its rows, what they are called, and how to find one."""

    n_rows: int
    ids: Sequence[Any] | None
    row_of: Callable[[str], int]
    history: Callable[[], Sequence[Recorded]]


class Said(NamedTuple):
    """An answer or a set of rows as another session recorded it, rows by name."""

    event: int
    when: str
    who: str
    kind: str
    verdict: str
    rows: list[str]
    name: str | None


def entries_of_links(links: Links, n_rows: int, who: str) -> list[Entry]:
    """Return links as answers; one that is confirmed is said twice, one without weight not."""
    if len(links) != n_rows:
        raise InvalidInput(f"the links describe {len(links)} rows, the session has {n_rows}.")
    entries = []
    weights = iter(links.weight.tolist())
    for verdict, pairs in (("same", links.must), ("different", links.cannot)):
        for i, j in pairs.tolist():
            weight = next(weights)
            said = {"i": i, "j": j, "verdict": verdict}
            for time in range(0 if weight == 0 else 2 if weight >= CONFIRMED else 1):
                entries.append(Entry("answer", said, who, _key("link", i, j, verdict, who, time)))
    return entries


def entries_of_labels(labels: PartialLabels, n_rows: int, who: str) -> list[Entry]:
    """Return labels as one event for each class."""
    if len(labels) != n_rows:
        raise InvalidInput(f"the labels describe {len(labels)} rows, the session has {n_rows}.")
    entries = []
    for code, name in enumerate(labels.classes.tolist()):
        rows = (labels.codes == code).nonzero()[0].tolist()
        if rows:
            key = _key("label", str(name), rows, who)
            entries.append(Entry("label", {"rows": rows, "name": str(name)}, who, key))
    return entries


def entries_of_history(
    events: Iterable[Event], called: Callable[[int], str], here: Here, who: str
) -> list[Entry]:
    """Return the standing answers, names and sets of rows of another session."""
    said = [one for event in events for one in _said(event, called)]
    return _entries_of_said(said, here, who, lambda _, complaint: InvalidInput(complaint))


def entries_of_file(path: Path, here: Here, who: str, *, skip_unknown: bool = False) -> list[Entry]:
    """Return what a file says: links, labels, or the answers that a session exported."""
    if ending_of(path, KNOWLEDGE_READ) is None:
        raise InvalidInput(f"{path.name}: use a file that ends in {listed(KNOWLEDGE_READ)}.")
    if path.suffix.lower() == ".json":
        return _entries_of_json(path, here, who, skip_unknown)
    table = read_table(path, ())
    if set(ANSWER_COLUMNS) <= set(table.columns):
        return _entries_of_said(_read_said(table), here, who, table.refuse)
    if "label" in table.columns:
        labels = PartialLabels.read(path, here.n_rows, here.ids, skip_unknown=skip_unknown)
        return entries_of_labels(labels, here.n_rows, who)
    if {"i", "j", "kind"} <= set(table.columns):
        links = Links.read(path, here.n_rows, here.ids, skip_unknown=skip_unknown)
        return entries_of_links(links, here.n_rows, who)
    raise InvalidLinks(
        f"{path.name} has the columns {', '.join(table.columns) or 'none'}. Links have i, j and "
        f"kind; labels have label and row or id; answers of a session have "
        f"{', '.join(ANSWER_COLUMNS)}."
    )


def entries_of_events(path: Path) -> list[Entry]:
    """Return every event that a history file tells, with what the session had added to it."""
    entries = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            said = json.loads(line)
            payload = {k: v for k, v in said["payload"].items() if k != "new"}
            entries.append(Entry(said["kind"], payload, said["who"], said["key"]))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise InvalidLinks(
                f"{path.name}, line {number}: this is not an event of a session's history."
            ) from None
    return entries


def _entries_of_json(path: Path, here: Here, who: str, skip_unknown: bool) -> list[Entry]:
    """Read links or labels; the file says which, and whether its rows go by number."""
    try:
        content = json.loads(path.read_text("utf-8-sig"))
    except (ValueError, RecursionError):  # whoever reads links says what is wrong
        content = None
    told = content if isinstance(content, dict) else {}
    ids = None if told.get("rows") == "numbers" else here.ids
    if "labels" in told:
        labels = PartialLabels.read(path, here.n_rows, ids, skip_unknown=skip_unknown)
        return entries_of_labels(labels, here.n_rows, who)
    links = Links.read(path, here.n_rows, ids, skip_unknown=skip_unknown)
    return entries_of_links(links, here.n_rows, who)


def _said(event: Event, called: Callable[[int], str]) -> Iterator[Said]:
    effect = KINDS[event.kind].effect
    name = None
    if event.undone_by is not None:
        return
    if effect.pair:
        *rows, verdict = effect.pair(event.payload)
    elif effect.rows:
        rows, name = effect.rows(event.payload)
        verdict = "same"
    else:
        return
    names = [called(row) for row in rows]
    yield Said(event.seq, event.when, event.who, event.kind, verdict, names, name)


def _read_said(table: Table) -> list[Said]:
    """Read the lines of an export; those that were undone are about no rows."""
    found = []
    columns = [table.column(name) for name in ANSWER_COLUMNS]
    for place, line in enumerate(zip(*columns, strict=True)):
        event, when, who, kind, verdict, ids, name, undone = line
        try:
            rows = [str(row) for row in json.loads(ids)]
            number = int(event)
        except (TypeError, ValueError, RecursionError):
            raise table.refuse(place, "event and ids are not as an export writes them.") from None
        if kind not in KINDS:
            raise table.refuse(place, f"{kind!r} is no kind of event.")
        taken_back = str(undone).lower() == "true"
        rows = [] if taken_back else rows
        found.append(Said(number, when, who or "", kind, verdict, rows, name or None))
    return found


def _entries_of_said(
    said: list[Said], here: Here, who: str, refuse: Callable[[int, str], InvalidInput]
) -> list[Entry]:
    """Return entries for what was said elsewhere; what was said here is left out."""
    ours = {(event.seq, event.when, event.who) for event in here.history()}
    entries = []
    for place, one in enumerate(said):
        if not one.rows or (one.event, one.when, one.who) in ours:
            continue
        try:
            rows = [here.row_of(row) for row in one.rows]
        except InvalidInput as error:
            raise refuse(place, str(error)) from None
        payload: dict[str, Any] = {"rows": rows}
        if KINDS[one.kind].effect.pair:
            if len(rows) != 2:
                raise refuse(place, f"an answer is about two rows, not {len(rows)}.")
            payload = {"i": rows[0], "j": rows[1], "verdict": one.verdict}
        elif one.name is not None:
            payload["name"] = one.name
        entries.append(Entry(one.kind, payload, one.who or who, _key("said", *one)))
    return entries


def _key(*parts: object) -> str:
    text = json.dumps(parts, ensure_ascii=False)
    return KEY + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]
