"""Speaking: one method for each thing a person can say to a session."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from linkwise.session.events.event import Entry, Event


class Speaking(ABC):
    """Turns words into entries; ``who`` said it, and ``key`` makes a repeated call one event."""

    @abstractmethod
    def append(self, entries: Sequence[Entry]) -> list[Event]:
        """Record entries."""

    def answer(
        self, i: int, j: int, verdict: str, *, who: str = "", key: str | None = None
    ) -> Event:
        """Say that rows ``i`` and ``j`` are the "same", "different", or that you are "unsure"."""
        payload = {"i": i, "j": j, "verdict": verdict}
        return self.append([Entry("answer", payload, who, key)])[0]

    def label(
        self, rows: Sequence[int], name: str, *, who: str = "", key: str | None = None
    ) -> Event:
        """Say that these rows are of one class, and what it is called."""
        return self.append([Entry("label", {"rows": list(rows), "name": name}, who, key)])[0]

    def together(self, rows: Sequence[int], *, who: str = "", key: str | None = None) -> Event:
        """Say that these rows belong together."""
        return self.append([Entry("together", {"rows": list(rows)}, who, key)])[0]

    def undo(self, event: int, *, who: str = "", key: str | None = None) -> Event:
        """Take back any earlier event, an undo included."""
        return self.append([Entry("undo", {"event": event}, who, key)])[0]

    def rename(self, cluster: int, name: str, *, who: str = "", key: str | None = None) -> Event:
        """Give a cluster a name."""
        return self.append([Entry("rename", {"cluster": cluster, "name": name}, who, key)])[0]

    def merge(self, clusters: Sequence[int], *, who: str = "", key: str | None = None) -> Event:
        """Make one cluster of several; it keeps the smallest number."""
        return self.append([Entry("merge", {"clusters": list(clusters)}, who, key)])[0]

    def split(
        self,
        cluster: int,
        rows: Sequence[int] | None = None,
        *,
        who: str = "",
        key: str | None = None,
    ) -> Event:
        """Make two clusters of one: ``rows`` and those like them leave, or half of it does."""
        chosen = None if rows is None else list(rows)
        return self.append([Entry("split", {"cluster": cluster, "rows": chosen}, who, key)])[0]
