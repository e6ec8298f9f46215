"""The kinds of events: one table, one row each. A new kind of event is a new row.

A row says what the event holds, what is wrong with it, what the session adds to it, how it reads in
words, and what it does. Journals, labels, exports, the service and its description of itself all go
by this table. Checkpoints name kinds by their position, so new rows come last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from linkwise.session.errors import InvalidEvent
from linkwise.session.events.event import Entry, Event, Payload, encode
from linkwise.session.events.fields import (
    Cluster,
    Clusters,
    Count,
    EventNumber,
    Field,
    Name,
    Row,
    Rows,
    Verdict,
    check_text,
    show,
)

MAX_WHO = 200
MAX_KEY = 200

Ints = NDArray[np.int64]
Numbers = NDArray[np.integer[Any]]
#: Tells which of the rows given leave their cluster when it is split.
Leaving = Callable[[Ints], NDArray[np.bool_]]


class Clustering(Protocol):
    """What the session knows when an entry arrives."""

    def guess(self, i: int, j: int) -> str | None:
        """Return what the clustering says of a pair, None if none is there yet."""

    def was_drawn(self, i: int, j: int) -> bool | None:
        """Return True for a pair that was drawn at random to be asked about, else None."""

    def halves(self, cluster: int, rows: list[int] | None) -> list[list[int]]:
        """Return two lists of rows that show how a cluster is to be split."""

    def refuse_joining(self, clusters: list[int]) -> None:
        """Refuse to make one cluster of several whose rows were given different names."""

    def newcomers(self, data: str) -> dict[str, Any]:
        """Return the file and the number of the rows that wait to join under this hash."""

    def carriers(self, cluster: int, name: str) -> dict[str, Any]:
        """Return the rows that carry a cluster's new name, and the name that it has until then."""


class Naming(NamedTuple):
    """A name, and the rows that carry it; ``cluster`` has it where no rows are known.

    It takes the place of the name ``instead``.
    """

    cluster: int
    name: str
    rows: list[int] | None
    instead: str | None


@dataclass(frozen=True)
class Effect:
    """What an event does, as functions of its payload; what is None it does not do.

    Attributes
    ----------
    pair
        Two rows it compares, and the verdict.
    rows
        Rows it puts together, and what it calls them (None: nothing).
    undoes
        The event it takes back.
    names
        What it calls a cluster.
    relabel
        Changes the labels of the rows in place, after the model and all earlier events.
    joins
        Clusters it makes one.
    adds_cluster
        Whether there is one cluster more from then on, standing or not; its number is added to
        the payload as "new".
    adds_rows
        How many rows there are more from then on; it cannot be undone.
    number
        How many clusters the model has from then on. Those that it never had before get numbers
        of their own, which are added to the payload as "new", a list.
    leaves_out
        Rows that belong nowhere.
    """

    pair: Callable[[Payload], tuple[int, int, str]] | None = None
    rows: Callable[[Payload], tuple[list[int], str | None]] | None = None
    undoes: Callable[[Payload], int] | None = None
    names: Callable[[Payload], Naming] | None = None
    relabel: Callable[[Numbers, Payload, Leaving], None] | None = None
    joins: Callable[[Payload], list[int]] | None = None
    adds_cluster: bool = False
    adds_rows: Callable[[Payload], int] | None = None
    number: Callable[[Payload], int] | None = None
    leaves_out: Callable[[Payload], list[int]] | None = None

    def n_added(self, payload: Payload) -> int:
        """Return how many clusters there are more from then on, standing or not."""
        return len(payload["new"]) if self.number else int(self.adds_cluster)


@dataclass(frozen=True)
class Kind:
    """One row of the table.

    Attributes
    ----------
    name : str
        What the journal calls it.
    about, payload : str
        What such an event says, and what its payload does, for those who read the service's
        description.
    fields : dict of str to Field
        What people tell.
    sentence : callable
        ``sentence(payload, called)`` says it in words; ``called(row)`` is the name of a row.
    effect : Effect
        What it does.
    check : callable or None
        Refuses a payload whose fields are right one by one but not together.
    added : tuple of str
        Fields that the session adds; a repeated request need not know them.
    complete : callable or None
        Returns the added fields that the clustering tells; those that are None are left out. May
        refuse what the clustering speaks against.
    is_large : bool
        Whether it may name many rows, or needs the labels before it can be recorded.
    """

    name: str
    about: str
    payload: str
    fields: dict[str, Field]
    sentence: Callable[[Payload, Callable[[int], str]], str]
    effect: Effect
    check: Callable[[Payload], None] | None = None
    added: tuple[str, ...] = field(default=())
    complete: Callable[[Payload, Clustering], dict[str, Any]] | None = None
    is_large: bool = False

    def clusters(self, payload: Payload) -> list[int]:
        """Return the clusters that a payload names."""
        found: list[int] = []
        for name, holds in self.fields.items():
            if isinstance(holds, Cluster):
                found.append(payload[name])
            elif isinstance(holds, Clusters):
                found += payload[name]
        return found


def _two_rows(said: Payload) -> None:
    if said["i"] == said["j"]:
        raise InvalidEvent(
            f"answer: i and j are both {said['i']}. An answer is about two different rows."
        )


def _one_name(said: Payload, clustering: Clustering) -> dict[str, Any]:
    clustering.refuse_joining(said["clusters"])
    return {}


def _merge(labels: Numbers, said: Payload, leaving: Leaving) -> None:  # noqa: ARG001
    labels[np.isin(labels, said["clusters"])] = said["clusters"][0]


def _split(labels: Numbers, said: Payload, leaving: Leaving) -> None:
    inside = np.flatnonzero(labels == said["cluster"])
    labels[inside[leaving(inside)]] = said["new"]


def _listed(rows: Sequence[int], called: Callable[[int], str]) -> str:
    more = f" and {len(rows) - 5} more" if len(rows) > 5 else ""
    return ", ".join(called(row) for row in rows[:5]) + more


def _nowhere(said: Payload) -> str:
    """Say of rows that join how many cannot be grouped."""
    n = len(said.get("unusable") or ())
    return f", {n} with nothing to group by" if n else ""


_TABLE = (
    Kind(
        "answer",
        about="Two rows are the same, different, or nobody can tell.",
        payload="Whether rows i and j belong together.",
        fields={"i": Row(), "j": Row(), "verdict": Verdict()},
        check=_two_rows,
        added=("guess", "drawn"),
        complete=lambda said, clustering: {
            "guess": clustering.guess(said["i"], said["j"]),
            "drawn": clustering.was_drawn(said["i"], said["j"]),
        },
        sentence=lambda said, called: (
            f"{called(said['i'])} and {called(said['j'])}: {said['verdict']}"
        ),
        effect=Effect(pair=lambda said: (said["i"], said["j"], said["verdict"])),
    ),
    Kind(
        "label",
        about="Rows get the name of their class.",
        payload="These rows are of one class, with a name.",
        fields={"rows": Rows(), "name": Name()},
        sentence=lambda said, called: f"{_listed(said['rows'], called)}: {said['name']}",
        effect=Effect(rows=lambda said: (said["rows"], said["name"])),
        is_large=True,
    ),
    Kind(
        "together",
        about="Rows belong together.",
        payload="These rows belong together.",
        fields={"rows": Rows(at_least=2)},
        sentence=lambda said, called: f"{_listed(said['rows'], called)}: belong together",
        effect=Effect(rows=lambda said: (said["rows"], None)),
        is_large=True,
    ),
    Kind(
        "undo",
        about="An earlier event is withdrawn; an undone undo restores it.",
        payload="Withdraw an earlier event.",
        fields={"event": EventNumber()},
        sentence=lambda said, _: f"undo event {said['event']}",
        effect=Effect(undoes=lambda said: int(said["event"])),
    ),
    Kind(
        "rename",
        about="A cluster gets a name.",
        payload="Give a cluster a name.",
        fields={"cluster": Cluster(), "name": Name()},
        added=("rows", "instead"),
        complete=lambda said, clustering: clustering.carriers(said["cluster"], said["name"]),
        sentence=lambda said, _: f"cluster {said['cluster']} is called {said['name']}",
        effect=Effect(
            names=lambda said: Naming(
                said["cluster"], said["name"], said.get("rows"), said.get("instead")
            )
        ),
        is_large=True,
    ),
    Kind(
        "merge",
        about="Clusters become one.",
        payload="Make one cluster of several.",
        fields={"clusters": Clusters()},
        complete=_one_name,
        sentence=lambda said, _: f"merge clusters {', '.join(map(str, said['clusters']))}",
        effect=Effect(relabel=_merge, joins=lambda said: list(said["clusters"])),
        is_large=True,
    ),
    Kind(
        "split",
        about="A cluster becomes two.",
        payload="Make two clusters of one: these rows against the rest, or as the data suggests.",
        fields={"cluster": Cluster(), "rows": Rows(optional=True)},
        added=("new", "halves"),
        complete=lambda said, clustering: {
            "halves": clustering.halves(said["cluster"], said["rows"])
        },
        sentence=lambda said, _: f"split cluster {said['cluster']}, the new one is {said['new']}",
        effect=Effect(relabel=_split, adds_cluster=True),
        is_large=True,
    ),
    Kind(
        "recluster",
        about="The rows are clustered anew, in another number of clusters; answers are kept.",
        payload="How many clusters there are to be.",
        fields={"n_clusters": Count()},
        added=("new",),
        sentence=lambda said, _: f"cluster anew, in {said['n_clusters']} clusters",
        effect=Effect(number=lambda said: int(said["n_clusters"])),
    ),
    Kind(
        "nowhere",
        about="Rows belong to no cluster.",
        payload="These rows belong nowhere.",
        fields={"rows": Rows()},
        sentence=lambda said, called: f"{_listed(said['rows'], called)}: belong nowhere",
        effect=Effect(leaves_out=lambda said: list(said["rows"])),
        is_large=True,
    ),
    Kind(
        "extend",
        about="Rows join the session.",
        payload="The hash of the rows that join; the session must have been given them before.",
        fields={"data": Name()},
        added=("file", "n_rows", "unusable"),
        complete=lambda said, clustering: clustering.newcomers(said["data"]),
        sentence=lambda said, _: f"{said['n_rows']} rows join{_nowhere(said)}",
        effect=Effect(adds_rows=lambda said: int(said["n_rows"])),
        is_large=True,
    ),
)
#: The table by name.
KINDS = {kind.name: kind for kind in _TABLE}


def names_in(entry: Entry) -> list[str]:
    """Return the rows that an entry names by their ids."""
    kind, payload = KINDS.get(entry.kind), entry.payload
    if kind is None or not isinstance(payload, dict):
        return []  # which is refused when it is checked
    rows: list[object] = []
    for name, holds in kind.fields.items():
        said = payload.get(name)
        if isinstance(holds, Row):
            rows.append(said)
        elif isinstance(holds, Rows) and isinstance(said, list | tuple):
            rows.extend(said)
    return [row for row in rows if isinstance(row, str)]


def by_number(entry: Entry, row_of: Callable[[str], int]) -> Entry:
    """Return the entry with the numbers of rows in the place of their ids, which are text."""
    kind, payload = KINDS.get(entry.kind), entry.payload
    if kind is None or not isinstance(payload, dict):
        return entry  # which is refused when it is checked
    found: Payload = {}
    for name, holds in kind.fields.items():
        said = payload.get(name)
        if isinstance(holds, Row) and isinstance(said, str):
            found[name] = row_of(said)
        elif isinstance(holds, Rows) and isinstance(said, list | tuple):
            found[name] = [row_of(row) if isinstance(row, str) else row for row in said]
    return replace(entry, payload=payload | found) if found else entry


def check_entry(entry: Entry, n_rows: int) -> Entry:
    """Return the entry with a clean payload, or say what is wrong; needs no history."""
    if entry.kind not in KINDS:
        raise InvalidEvent(f"kind is {entry.kind!r}, expected one of {', '.join(KINDS)}.")
    if not isinstance(entry.payload, dict):
        raise InvalidEvent(f"the payload of {entry.kind} is {show(entry.payload)}, not an object.")
    check_text("who", entry.who, MAX_WHO)
    if entry.key is not None:
        check_text("key", entry.key, MAX_KEY, empty=False)
    kind = KINDS[entry.kind]
    known = (*kind.fields, *kind.added)
    for name in entry.payload:
        if name not in known:
            raise InvalidEvent(f"{kind.name} has no field {show(name)}, it has {', '.join(known)}.")
    payload = {
        name: holds.read(f"{kind.name}: {name}", entry.payload.get(name), n_rows)
        for name, holds in kind.fields.items()
    }
    if kind.check is not None:
        kind.check(payload)
    return Entry(entry.kind, payload, entry.who, entry.key)


def complete_entry(entry: Entry, clustering: Clustering) -> Entry:
    """Return the entry with what the clustering adds to it, so that the record says it all."""
    complete = KINDS[entry.kind].complete
    if complete is None:
        return entry
    added = complete(entry.payload, clustering)
    told = {name: value for name, value in added.items() if value is not None}
    return Entry(entry.kind, entry.payload | told, entry.who, entry.key)


def request(kind: str, payload: Payload) -> str:
    """Return what a payload asks for, as canonical text: what two requests are compared by."""
    added = KINDS[kind].added
    return encode({name: value for name, value in payload.items() if name not in added})


def in_words(event: Event, called: Callable[[int], str]) -> str:
    """Return an event in words; ``called(row)`` is what people call a row."""
    return KINDS[event.kind].sentence(event.payload, called)
