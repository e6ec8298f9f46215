"""A session that a running service holds, as the commands use it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from linkwise.client import Client, Cluster, Event, NewEvent, People, Row, Suspicion, Trouble
from linkwise.client.calls import MOST_EVENTS, RowName
from linkwise.client.errors import ServiceError, Unreachable
from linkwise.constraints.near_names import nobody_called
from linkwise.errors import InvalidInput

if TYPE_CHECKING:
    from linkwise.session import Entry

_PAGE = 5000
#: Seconds between two times of asking for what takes a while.
_PAUSE = 0.5
#: What rows that belong nowhere have for a cluster in an export.
NOWHERE = -1


@dataclass(frozen=True, eq=False)
class RemoteView:
    """The clustering as it stands."""

    seq: int
    labels: NDArray[Any]
    margins: NDArray[np.float64]
    clusters: list[Cluster]
    nowhere: int | None


@dataclass(frozen=True)
class RemoteProgress:
    """How far the session has come, in the words of a session."""

    answers: int
    unsure: int
    agreed_recent: float | None
    agreed_all: float | None
    moved: list[tuple[int, int]]
    hint: str


@dataclass(frozen=True)
class RemoteQuestion:
    """A question; what the clustering thinks, the service does not tell."""

    i: int
    j: int
    guess: str | None
    why: str


@dataclass(frozen=True)
class RemoteProposal:
    """Another number of clusters, and what speaks for it."""

    k: int
    reason: str


@dataclass(frozen=True)
class RemoteWeighed:
    """What the answers say about the clustering as a whole."""

    proposal: RemoteProposal | None


class RemoteSession:
    """Does through a service what :class:`~linkwise.session.Session` does in a folder."""

    def __init__(self, client: Client, session: str) -> None:
        self._client, self._session = client, session
        self._about = client.get_session(session)

    @classmethod
    def reach(
        cls, url: str, token: str, session: str, certificate: Path | None = None
    ) -> RemoteSession | None:
        """Return the session if the service answers and has it."""
        with Client(url, token, tries=1, certificate=certificate) as probe:
            try:
                probe.get_session(session)
            except Unreachable:
                return None
            except ServiceError as error:
                if error.status == 404:
                    return None
                raise
        return cls(Client(url, token, certificate=certificate), session)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    @property
    def name(self) -> str:
        return self._about.name

    @property
    def n_rows(self) -> int:
        return self._about.n_rows

    @property
    def seq(self) -> int:
        return self._client.get_session(self._session).seq

    # What people say

    def append(self, told: Sequence[NewEvent], who: str = "") -> list[Event]:
        """Store events, a thousand to a request; if one is wrong, none of them."""
        if len(told) > MOST_EVENTS:
            from linkwise.session import Entry

            self._check([Entry(new.kind, new.payload, key=new.key) for new in told])
        events: list[Event] = []
        for start in range(0, len(told), MOST_EVENTS):
            some = told[start : start + MOST_EVENTS]
            try:
                events += self._client.tell(self._session, some, who=who)
            except ServiceError as error:
                if not events:
                    raise
                raise InvalidInput(
                    f"{error} The first {len(events):,} of {len(told):,} had been recorded by then."
                ) from error
        return events

    def _check(self, entries: Sequence[Entry]) -> None:
        """Refuse entries as a session does before it records the first of them."""
        from linkwise.session.events.kinds import by_number, check_entry, names_in

        named = dict.fromkeys(name for entry in entries for name in names_in(entry))
        rows = {str(name): row for row, name in enumerate(self.ids)} if named else {}
        unknown = [name for name in named if name not in rows]
        if unknown:
            raise InvalidInput(nobody_called(unknown, list(rows)))
        for entry in entries:
            check_entry(by_number(entry, rows.__getitem__), self.n_rows)

    def say(
        self, kind: str, payload: dict[str, Any], *, who: str = "", key: str | None = None
    ) -> Event:
        """Store one event of any kind."""
        return self._client.say(self._session, kind, payload, who=who, key=key)

    def answer(
        self, i: RowName, j: RowName, verdict: str, *, who: str = "", key: str | None = None
    ) -> Event:
        return self.say("answer", {"i": i, "j": j, "verdict": verdict}, who=who, key=key)

    def answer_many(
        self,
        answers: Sequence[tuple[RowName, RowName, str]],
        *,
        who: str = "",
        key: str | None = None,
    ) -> list[Event]:
        new = [
            NewEvent(
                "answer",
                {"i": i, "j": j, "verdict": verdict},
                None if key is None else f"{key}/{place}",
            )
            for place, (i, j, verdict) in enumerate(answers)
        ]
        return self.append(new, who)

    def undo(self, event: int, *, who: str = "", key: str | None = None) -> Event:
        return self.say("undo", {"event": event}, who=who, key=key)

    def import_(self, source: Path, *, who: str = "", skip_unknown: bool = False) -> list[Event]:
        """Read the source here, and tell the service what it says."""
        from linkwise.session import Session, is_session
        from linkwise.session.importing import Here, entries_of_file, entries_of_history

        named = any(column.type == "id" for column in self._about.columns)
        ids = self.ids if named else None
        rows = {str(name): row for row, name in enumerate(self.ids)}

        def row_of(name: str) -> int:
            if name not in rows:
                raise InvalidInput(nobody_called([name], list(rows)))
            return rows[name]

        here = Here(self.n_rows, ids, row_of, lambda: self.history())
        events: list[Event] = []
        if is_session(source):
            with Session.open(source) as other:
                entries = entries_of_history(other.history(), other.name_of, here, who)
        else:
            entries = entries_of_file(source, here, who, skip_unknown=skip_unknown)
        self._check(entries)
        for speaker in dict.fromkeys(entry.who for entry in entries):
            own = [e for e in entries if e.who == speaker]
            events += self.append([NewEvent(e.kind, e.payload, e.key) for e in own], speaker)
        return events

    def extend(self, data: Path, *, who: str = "", key: str | None = None) -> Event:
        """Send the file, and let its rows join."""
        sent = self._client.upload_file(data.name, data.read_bytes())
        self.__dict__.pop("_table", None)
        return self._client.join_rows(self._session, sent.upload, who=who, key=key)

    # What follows from it

    def labels(self) -> NDArray[Any]:
        """Return the cluster of each row."""
        return self._client.labels(self._session).values

    @cached_property
    def _table(self) -> Any:
        return self._labels_table()

    def _labels_table(self, at: int | None = None) -> Any:
        import pyarrow.parquet as pq

        sent = self._client.export(self._session, "labels", "parquet", at=at)
        return pq.read_table(BytesIO(sent.content))

    @property
    def ids(self) -> list[Any]:
        """What the data call their rows; their numbers where they have no names."""
        found: list[Any] = self._table.column("id").to_pylist()
        return found

    def view(self, at: int | None = None) -> RemoteView:
        """Return the clustering after ``at`` events, after all of them by default."""
        if at is not None:
            return self._view_after(at)
        seq, labels = self.seq, self.labels()
        shown, margins = (self._table.column(name).to_numpy() for name in ("cluster", "margin"))
        out = np.flatnonzero(shown == -1)
        nowhere = int(labels[out[0]]) if len(out) else None
        return RemoteView(seq, labels, margins, self._client.clusters(self._session), nowhere)

    def _view_after(self, at: int) -> RemoteView:
        """Return an earlier clustering, as it would have been exported then; no more is told."""
        table = self._labels_table(at)
        labels, margins = (table.column(name).to_numpy() for name in ("cluster", "margin"))
        numbers, first, sizes = np.unique(labels, return_index=True, return_counts=True)
        names = table.column("name").take(first).to_pylist()
        found = zip(numbers.tolist(), names, sizes.tolist(), strict=True)
        clusters = [Cluster(*one, [], float("nan"), 0, 0) for one in found]
        return RemoteView(at, labels, margins, clusters, NOWHERE)

    @property
    def n_clusters(self) -> int:
        return self._client.get_session(self._session).n_clusters

    def follow(self) -> None:
        """Do nothing: the service lets the number of clusters follow the answers by itself."""

    def weigh(self) -> RemoteWeighed:
        """Return another number of clusters that the answers speak for, once they are looked at."""
        told = self._client.number(self._session)
        while told.pending:
            time.sleep(_PAUSE)
            told = self._client.number(self._session)
        if told.proposal is None:
            return RemoteWeighed(None)
        return RemoteWeighed(RemoteProposal(told.proposal, told.reason or ""))

    def outliers(self, share: float) -> list[int]:
        return self._client.outliers(self._session, share)

    def progress(self) -> RemoteProgress:
        """Return what the answers so far have done."""
        told = self._client.progress(self._session)
        moved = [(one.seq, one.rows) for one in told.moved]
        agreed = told.agreed_recently, told.agreed
        return RemoteProgress(told.answers, told.unsure, *agreed, moved, told.hint)

    def people(self) -> People:
        return self._client.people(self._session)

    def history(self, after: int = 0, limit: int | None = None) -> list[Event]:
        """Return up to ``limit`` events that follow event ``after``."""
        events: list[Event] = []
        while limit is None or len(events) < limit:
            most = _PAGE if limit is None else min(_PAGE, limit - len(events))
            page = self._client.history(self._session, after + len(events), most).events
            if not page:
                break
            events += page
        return events

    def query(
        self, n: int = 1, strategy: str = "auto", *, who: str | None = None
    ) -> list[RemoteQuestion]:
        asked = self._client.questions(self._session, n, strategy=strategy, who=who)
        return [RemoteQuestion(one.i, one.j, None, one.why) for one in asked]

    def conflicts(self) -> list[Trouble]:
        return self._client.conflicts(self._session)

    def suspects(self) -> list[Suspicion]:
        return self._client.suspects(self._session)

    def rows(self, rows: Sequence[int]) -> list[Row]:
        return self._client.rows(self._session, rows)

    def export(self, path: Path, what: str = "labels", *, raw: bool = False) -> None:
        """Write what the service sends; a file that was there is replaced whole or not at all."""
        sent = self._client.export(
            self._session, what, path.suffix.lower().removeprefix("."), raw=raw
        )
        draft = path.with_name(f".{os.getpid()}.new.{path.name}")
        try:
            draft.write_bytes(sent.content)
            os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)
