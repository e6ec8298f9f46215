"""A draft: entries that wait for their commit, checked against the history as it will then be."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from linkwise.session.errors import InvalidEvent, KeyReused
from linkwise.session.events.event import Entry, Payload, encode
from linkwise.session.events.kinds import KINDS, Kind, request
from linkwise.session.journal.journal import Record
from linkwise.session.journal.log import Log, outlives

#: More clusters than this cannot be told apart by anyone, nor written in two bytes.
MAX_CLUSTERS = 65_535


@dataclass
class Draft:
    """Records to be written in one transaction, after those in the log.

    Several callers' entries share a draft. Those of one caller are taken whole or not at all.
    ``keys`` are the records that the journal holds under any of the entries' keys.
    """

    log: Log
    keys: dict[str, Record]
    n_clusters: int
    when: str
    records: list[Record] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._undos: dict[int, list[int]] = {}  # by the event they take back
        self._n_added = self.log.n_added
        self._n_model = self.n_clusters + len(self.log.model_clusters(self.log.n))
        self._names: set[str] | None = None  # that stand, once somebody wants to know

    def add(self, entries: Sequence[Entry]) -> list[tuple[Record, bool]]:
        """Take one caller's entries; returns each one's record and whether it was there before."""
        n_before, n_added, n_model = len(self.records), self._n_added, self._n_model
        try:
            return [self._add(entry) for entry in entries]
        except BaseException:
            for record in self.records[n_before:]:
                self.keys.pop(record.key or "", None)
            for undos in self._undos.values():
                undos[:] = [undo for undo in undos if undo <= self.log.n + n_before]
            del self.records[n_before:]
            self._n_added, self._n_model, self._names = n_added, n_model, None
            raise

    def _add(self, entry: Entry) -> tuple[Record, bool]:
        if entry.key is not None and (earlier := self.keys.get(entry.key)):
            _check_same(entry, earlier)
            return earlier, True
        seq = self.log.n + len(self.records) + 1
        payload = self._complete(entry, seq)
        record = Record(seq, entry.kind, encode(payload), entry.who, self.when, entry.key)
        self.records.append(record)
        if entry.key is not None:
            self.keys[entry.key] = record
        return record, False

    def _complete(self, entry: Entry, seq: int) -> Payload:
        """Check what depends on the history, and fill in what only it can tell."""
        kind, payload = KINDS[entry.kind], entry.payload
        if kind.effect.undoes:
            self._undo(kind.effect.undoes(payload), seq)
        self._check_clusters(kind, payload)
        if kind.effect.rows and (name := kind.effect.rows(payload)[1]) is not None:
            self._check_name(kind, name)
        if kind.effect.adds_cluster:
            payload = payload | {"new": self.n_clusters + self._n_added}
            self._n_added += 1
        if kind.effect.number:
            first = self.n_clusters + self._n_added
            more = max(0, kind.effect.number(payload) - self._n_model)
            payload = payload | {"new": list(range(first, first + more))}
            self._n_added, self._n_model = self._n_added + more, self._n_model + more
        return payload

    def _undo(self, event: int, seq: int) -> None:
        if event >= seq:
            raise InvalidEvent(f"there is no event {event} to undo; the last one is {seq - 1}.")
        if not self._stands(event):
            raise InvalidEvent(
                f"event {event} is undone already. Undo the event that undid it to get it back."
            )
        self._check_can_be_undone(event)
        restores = self._kind(event).effect.undoes is not None and self._has_names()
        before = len(self._standing_names()) if restores else 0
        self._undos.setdefault(event, []).append(seq)
        self._names = None
        if restores:
            self._check_restored(event, before)

    def _check_can_be_undone(self, event: int) -> None:
        if self._kind(event).effect.adds_rows:
            raise InvalidEvent(
                f"undo: with event {event} rows joined, and what was said since may be about them. "
                f"Rows that joined stay."
            )

    def _stands(self, seq: int) -> bool:
        return outlives(seq, self._undos_of)

    def _undos_of(self, seq: int) -> Iterator[int]:
        yield from reversed(self._undos.get(seq, ()))
        if seq <= self.log.n:
            yield from self.log.undos(seq)

    def _kind(self, seq: int) -> Kind:
        n = self.log.n
        return self.log.kind(seq) if seq <= n else KINDS[self.records[seq - n - 1].kind]

    def _has_names(self) -> bool:
        """Tell whether anything that can name rows was ever said."""
        kinds = {record.kind for record in self.records}
        return bool(self.log.others) or any(KINDS[kind].effect.rows for kind in kinds)

    def _check_clusters(self, kind: Kind, payload: Payload) -> None:
        n = self.n_clusters + self._n_added
        for cluster in kind.clusters(payload):
            if cluster >= n:
                raise InvalidEvent(
                    f"{kind.name}: there is no cluster {cluster}; they are numbered 0 to {n - 1}."
                )
        if kind.effect.adds_cluster and n >= MAX_CLUSTERS:
            raise InvalidEvent(f"{kind.name}: there are {n} clusters already, no more can be made.")

    def _check_name(self, kind: Kind, name: str) -> None:
        """Refuse a name for which there would be no cluster."""
        n, names = self.n_clusters + self._n_added, self._standing_names()
        if name not in names and len(names) >= n:
            raise InvalidEvent(
                f"{kind.name}: there are {n} clusters and {len(names)} names already, so rows "
                f"called {name!r} would have no cluster. Split a cluster, which adds one, or use "
                f"one of the names there are."
            )
        names.add(name)

    def _check_restored(self, event: int, n_before: int) -> None:
        """Refuse to bring back a name for which there would be no cluster."""
        n, names = self.n_clusters + self._n_added, self._standing_names()
        if len(names) > max(n, n_before):
            raise InvalidEvent(
                f"undo: what event {event} has undone is a name, and there would be {len(names)} "
                f"names and only {n} clusters. Split a cluster, which adds one, or undo another "
                f"name first."
            )

    def _standing_names(self) -> set[str]:
        """Return the names of rows that stand, in the log and here."""
        if self._names is None:
            said = [(seq, self.log.kind(seq), payload) for seq, payload in self.log.others.items()]
            said += [(r.seq, KINDS[r.kind], json.loads(r.payload)) for r in self.records]
            rows = (
                kind.effect.rows(payload)
                for seq, kind, payload in said
                if kind.effect.rows and self._stands(seq)
            )
            self._names = {name for _, name in rows if name is not None}
        return self._names


def _check_same(entry: Entry, earlier: Record) -> None:
    said = json.loads(earlier.payload)
    if entry.kind != earlier.kind or request(entry.kind, entry.payload) != request(
        earlier.kind, said
    ):
        raise KeyReused(
            f"the key {entry.key!r} already stands for event {earlier.seq}, which says something "
            f"else. Give every new entry a new key."
        )
