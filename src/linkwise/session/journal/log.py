"""The log: all events of a session as columns of numbers, and which of them still stand.

A million events are some 35 MB here, undone or not, and every earlier state is a prefix. What only
a reader of the history needs (when) stays in the journal.

An event *stands* unless a later event that stands takes it back. So undoing an undo restores what
it took back, to any depth. Which events stand is found when somebody asks: one undo may change it
for a whole chain of them, and nobody looks at most of these states.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.session.errors import InvalidEvent
from linkwise.session.events.event import Payload
from linkwise.session.events.fields import VERDICTS
from linkwise.session.events.kinds import KINDS, Kind
from linkwise.session.journal.journal import Record

UNSURE, DIFFERENT, SAME = range(3)
NO_GUESS = -1
_NAMES = tuple(KINDS)
_CODES = {kind: code for code, kind in enumerate(KINDS)}
_PAIRS = [_CODES[kind.name] for kind in KINDS.values() if kind.effect.pair]
_UNDOS = [_CODES[kind.name] for kind in KINDS.values() if kind.effect.undoes]
_VERDICT_CODES = {None: NO_GUESS} | {verdict: code for code, verdict in enumerate(VERDICTS)}
#: Columns and their types. ``i`` is the row, or the event an undo is about; ``verdict`` and
#: ``guess`` are positions in VERDICTS, ``who`` is one among the people.
COLUMNS = {
    "kind": np.int8,
    "i": np.int64,
    "j": np.int64,
    "verdict": np.int8,
    "guess": np.int8,
    "who": np.int32,
}
#: What follows from them: the latest undo of an event, standing or not (0: none), and for an undo
#: the one before it of the same event.
_DERIVED = {"latest_undo": np.int32, "undo_before": np.int32}


class Log:
    """Columns of all events; event ``seq`` is at position ``seq - 1``."""

    def __init__(self) -> None:
        self.n = 0
        self._columns = {
            name: np.zeros(1024, dtype) for name, dtype in (COLUMNS | _DERIVED).items()
        }
        #: Events whose columns do not say it all, in order: seq -> payload.
        self.others: dict[int, Payload] = {}
        #: The names of those who spoke, in the order in which they first did.
        self.people: dict[str, int] = {}
        #: Clusters that events have added, standing or not.
        self.n_added = 0
        #: Rows that joined.
        self.n_joined = 0
        self._standing: NDArray[np.bool_] | None = None  # of the present, once somebody asked

    @classmethod
    def restore(
        cls, columns: dict[str, NDArray[Any]], others: dict[int, Payload], people: Sequence[str]
    ) -> Log:
        """Make a log of the columns of an earlier one."""
        log = cls()
        log.people = {name: number for number, name in enumerate(people)}
        log._reserve(len(columns["kind"]))
        log.n = len(columns["kind"])
        for name in COLUMNS:
            log._columns[name][: log.n] = columns[name]
        log.others = others
        log.n_added = log.added(log.n)
        log.n_joined = log.joined(log.n)
        for seq in (np.flatnonzero(np.isin(log.column("kind"), _UNDOS)) + 1).tolist():
            log._note_undo(seq)
        return log

    def column(self, name: str, n: int | None = None) -> NDArray[Any]:
        """Return one column of the first ``n`` events, not a copy."""
        return self._columns[name][: self.n if n is None else n]

    def kind(self, seq: int) -> Kind:
        """Return the kind of an event."""
        return KINDS[_NAMES[self._columns["kind"][seq - 1]]]

    def compares(self, n: int) -> NDArray[np.bool_]:
        """Tell which of the first ``n`` events are verdicts about a pair."""
        return np.isin(self.column("kind", n), _PAIRS)

    def drawn(self, n: int) -> NDArray[np.bool_]:
        """Tell which of the first ``n`` events are verdicts about pairs drawn at random."""
        found = np.zeros(n, dtype=bool)
        at = [seq - 1 for seq in self.others if seq <= n and self.kind(seq).effect.pair]
        found[at] = True
        return found

    def added(self, n: int) -> int:
        """Return how many clusters the first ``n`` events have added, standing or not."""
        return sum(
            self.kind(seq).effect.n_added(said) for seq, said in self.others.items() if seq <= n
        )

    def model_clusters(self, n: int) -> list[int]:
        """Return the numbers that the first ``n`` events added for clusters of the model."""
        said = (self.others[seq] for seq in self.numberings() if seq <= n)
        return [number for payload in said for number in payload["new"]]

    def numberings(self) -> list[int]:
        """Return the events that say how many clusters the model has, standing or not."""
        return [seq for seq in self.others if self.kind(seq).effect.number is not None]

    def number(self, n: int, standing: NDArray[np.bool_]) -> int | None:
        """Return how many clusters the model has after ``n`` events; None if none says it."""
        said = [seq for seq in self.numberings() if seq <= n and standing[seq - 1]]
        effect = self.kind(said[-1]).effect if said else None
        return effect.number(self.others[said[-1]]) if effect and effect.number else None

    def joined(self, n: int) -> int:
        """Return how many rows joined with the first ``n`` events."""
        return sum(adds(payload) for seq, adds, payload in self.joins() if seq <= n)

    def unusable(self, n: int, n_rows: int) -> list[int]:
        """Return the rows with nothing to group by that joined the ``n_rows`` first ones."""
        found: list[int] = []
        for seq, adds, payload in self.joins():
            if seq <= n:
                found += [n_rows + row for row in payload.get("unusable", ())]
                n_rows += adds(payload)
        return found

    def joins(self) -> list[tuple[int, Callable[[Payload], int], Payload]]:
        """Return the events with which rows joined: number, how many rows, payload."""
        found = ((seq, self.kind(seq).effect.adds_rows, said) for seq, said in self.others.items())
        return [(seq, adds, said) for seq, adds, said in found if adds is not None]

    def target(self, seq: int) -> int | None:
        """Return the event that event ``seq`` takes back; None if it is no undo."""
        at = seq - 1
        return int(self._columns["i"][at]) if self._columns["kind"][at] in _UNDOS else None

    def extend(self, records: Sequence[Record]) -> None:
        """Add records that the journal holds; they must follow those here."""
        for seq, record in enumerate(records, self.n + 1):
            if record.seq != seq:
                raise InvalidEvent(
                    f"event {record.seq} follows event {seq - 1}: the journal has a gap."
                )
        start, stop = self.n, self.n + len(records)
        self._reserve(stop)
        payloads = [json.loads(record.payload) for record in records]
        rows = [
            (*_row(r.kind, payload), self.people.setdefault(r.who, len(self.people)))
            for r, payload in zip(records, payloads, strict=True)
        ]
        values = np.array(rows, dtype=np.int64).reshape(-1, len(COLUMNS))
        for k, name in enumerate(COLUMNS):
            self._columns[name][start:stop] = values[:, k]
        self.n = stop
        for seq, (record, payload) in enumerate(zip(records, payloads, strict=True), start + 1):
            effect = KINDS[record.kind].effect
            if effect.undoes:
                self._note_undo(seq)
            elif effect.pair:
                if payload.get("drawn"):
                    self.others[seq] = payload
            else:
                self.others[seq] = payload
                self.n_added += effect.n_added(payload)
                self.n_joined += effect.adds_rows(payload) if effect.adds_rows else 0

    def _note_undo(self, seq: int) -> None:
        target = int(self._columns["i"][seq - 1])
        latest = self._columns["latest_undo"]
        self._columns["undo_before"][seq - 1] = latest[target - 1]
        latest[target - 1] = seq
        self._standing = None

    def _reserve(self, n: int) -> None:
        room = len(self._columns["kind"])
        if n > room:
            for name, column in self._columns.items():
                grown = np.zeros(max(n, 2 * room), column.dtype)
                grown[:room] = column
                self._columns[name] = grown

    def undos(self, seq: int) -> Iterator[int]:
        """Yield the undos of an event, standing or not, the latest first."""
        undo = int(self._columns["latest_undo"][seq - 1])
        while undo:
            yield undo
            undo = int(self._columns["undo_before"][undo - 1])

    def stands(self, seq: int) -> bool:
        """Tell whether an event still counts."""
        return bool(self._present()[seq - 1])

    def undone_by(self, seq: int) -> int | None:
        """Return the latest standing undo of an event."""
        if not self._columns["latest_undo"][seq - 1]:
            return None
        standing = self._present()
        return next((undo for undo in self.undos(seq) if standing[undo - 1]), None)

    def _present(self) -> NDArray[np.bool_]:
        """Tell which events stand now, and at least so many more that have no undo yet."""
        if self._standing is None or len(self._standing) < self.n:
            standing = np.ones(len(self._columns["kind"]), dtype=bool)
            standing[: self.n] = self._found_standing(self.n)
            self._standing = standing
        return self._standing

    def standing(self, n: int) -> NDArray[np.bool_]:
        """Tell which of the first ``n`` events stood when there were ``n``."""
        return self._present()[:n].copy() if n == self.n else self._found_standing(n)

    def _found_standing(self, n: int) -> NDArray[np.bool_]:
        fallen = np.zeros(n, dtype=bool)
        targets = self.column("i", n)
        for position in np.flatnonzero(np.isin(self.column("kind", n), _UNDOS))[::-1].tolist():
            if not fallen[position]:
                fallen[targets[position] - 1] = True
        return ~fallen


def _row(kind: str, payload: Payload) -> tuple[int, int, int, int, int]:
    """Return the values of one event, in the order of COLUMNS, but not who told it."""
    code, effect = _CODES[kind], KINDS[kind].effect
    if effect.pair:
        i, j, verdict = effect.pair(payload)
        return code, i, j, _VERDICT_CODES[verdict], _VERDICT_CODES[payload.get("guess")]
    return code, effect.undoes(payload) if effect.undoes else -1, -1, -1, -1


def joins_in(records: Iterable[Record]) -> Iterator[Payload]:
    """Yield what those records say with which rows joined."""
    for record in records:
        if record.kind in KINDS and KINDS[record.kind].effect.adds_rows:
            yield json.loads(record.payload)


def outlives(seq: int, undos: Callable[[int], Iterator[int]]) -> bool:
    """Tell whether an event stands, given the undos of every event; looks at no others.

    It stands unless one of its undos does, which stands unless one of its undos does, and so on.
    """
    stands, walks = False, [undos(seq)]
    while walks:
        undo = None if stands else next(walks[-1], None)
        if undo is None:
            walks.pop()
            stands = not stands  # all its undos fell, or one stands
        else:
            walks.append(undos(undo))
            stands = False
    return stands
