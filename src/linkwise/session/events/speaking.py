"""Speaking: one method for each thing a person can say to a session."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from linkwise.session.events.event import Entry, Event, Payload

#: A row: its number, or the id that the data give it, as text.
RowName: TypeAlias = int | str


class Speaking(ABC):
    """Turns words into entries; ``who`` said it, and ``key`` makes a repeated call one event.

    Rows go by their number or by their id. Numbers are positions and ids are text, also ids that
    are numbers: row 7 is the eighth, row "7" is the one that the data call 7.
    """

    @abstractmethod
    def append(self, entries: Sequence[Entry]) -> list[Event]:
        """Record entries."""

    def say(self, kind: str, payload: Payload, *, who: str = "", key: str | None = None) -> Event:
        """Record one event of any kind; the methods below are shorter ways to say it."""
        return self.append([Entry(kind, payload, who, key)])[0]

    def answer(
        self, i: RowName, j: RowName, verdict: str, *, who: str = "", key: str | None = None
    ) -> Event:
        """Say that rows ``i`` and ``j`` are the "same", "different", or that you are "unsure"."""
        return self.say("answer", {"i": i, "j": j, "verdict": verdict}, who=who, key=key)

    def answer_many(
        self,
        answers: Iterable[tuple[RowName, RowName, str]],
        *,
        who: str = "",
        key: str | None = None,
    ) -> list[Event]:
        """Give several answers (row, row, verdict) at once; all are recorded, or none.

        Their keys are ``key`` and their place among the answers.
        """
        entries = [
            Entry(
                "answer",
                {"i": i, "j": j, "verdict": verdict},
                who,
                None if key is None else f"{key}/{place}",
            )
            for place, (i, j, verdict) in enumerate(answers)
        ]
        return self.append(entries) if entries else []

    def label(
        self, rows: Sequence[RowName], name: str, *, who: str = "", key: str | None = None
    ) -> Event:
        """Say that these rows are of one class, and what it is called."""
        return self.say("label", {"rows": list(rows), "name": name}, who=who, key=key)

    def together(self, rows: Sequence[RowName], *, who: str = "", key: str | None = None) -> Event:
        """Say that these rows belong together."""
        return self.say("together", {"rows": list(rows)}, who=who, key=key)

    def undo(self, event: int, *, who: str = "", key: str | None = None) -> Event:
        """Take back any earlier event, an undo included."""
        return self.say("undo", {"event": event}, who=who, key=key)

    def rename(self, cluster: int, name: str, *, who: str = "", key: str | None = None) -> Event:
        """Give a cluster a name."""
        return self.say("rename", {"cluster": cluster, "name": name}, who=who, key=key)

    def merge(self, clusters: Sequence[int], *, who: str = "", key: str | None = None) -> Event:
        """Make one cluster of several; it keeps the smallest number."""
        return self.say("merge", {"clusters": list(clusters)}, who=who, key=key)

    def split(
        self,
        cluster: int,
        rows: Sequence[RowName] | None = None,
        *,
        who: str = "",
        key: str | None = None,
    ) -> Event:
        """Make two clusters of one: ``rows`` and those like them leave, or half of it does."""
        chosen = None if rows is None else list(rows)
        return self.say("split", {"cluster": cluster, "rows": chosen}, who=who, key=key)

    def recluster(self, n_clusters: int, *, who: str = "", key: str | None = None) -> Event:
        """Have another number of clusters; what was said is kept."""
        return self.say("recluster", {"n_clusters": n_clusters}, who=who, key=key)

    def nowhere(self, rows: Sequence[int], *, who: str = "", key: str | None = None) -> Event:
        """Say that these rows belong to no cluster."""
        return self.say("nowhere", {"rows": list(rows)}, who=who, key=key)
