"""What the clustering tells of an entry before it is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.ensemble import LabelMatrix
from linkwise.session.advice.questions import guess
from linkwise.session.data.joining import Part
from linkwise.session.errors import InvalidEvent
from linkwise.session.state.structure import halve, names_in
from linkwise.session.state.view import View

#: Rows that carry the name of a cluster: those that are surest of it.
MOST_CARRIERS = 50


class CurrentClustering:
    """The clustering as it stands when an entry arrives.

    ``latest`` is a view that is there already; ``view`` may have to compute one. ``names`` returns
    the rows of the names that have a cluster. ``drawn(i, j)`` tells whether a pair was drawn at
    random to be asked about. ``waiting`` are rows that are about to join.
    """

    def __init__(
        self,
        latest: View | None,
        view: Callable[[], View],
        names: Callable[[], dict[str, NDArray[np.int64]]],
        matrix: LabelMatrix,
        drawn: Callable[[int, int], bool],
        waiting: Part | None = None,
    ) -> None:
        self._latest, self._view, self._names, self._matrix = latest, view, names, matrix
        self._drawn, self._waiting = drawn, waiting

    def guess(self, i: int, j: int) -> str | None:
        """Return what the latest view says of a pair."""
        known = self._latest
        if known is None or max(i, j) >= len(known.labels):
            return None
        return guess(known.labels, i, j)

    def was_drawn(self, i: int, j: int) -> bool | None:
        """Return True for a pair that was drawn at random to be asked about, else None."""
        return self._drawn(i, j) or None

    def newcomers(self, data: str) -> dict[str, Any]:
        """Return the file and the number of the rows that wait to join under this hash."""
        if self._waiting is None or self._waiting.sha256 != data:
            raise InvalidEvent("extend: no such rows wait to join. Session.extend takes rows in.")
        return self._waiting.payload

    def halves(self, cluster: int, rows: list[int] | None) -> list[list[int]]:
        """Return two lists of rows that show how a cluster is to be split."""
        members = np.flatnonzero(self._view().labels == cluster)
        leaving = len(members) // 2 if rows is None else int(np.isin(members, rows).sum())
        if not 0 < leaving < len(members):
            raise InvalidEvent(
                f"split: cluster {cluster} has {len(members)} rows, of which {leaving} would "
                f"leave. A split needs rows on both sides."
            )
        return halve(members, rows, self._matrix)

    def refuse_joining(self, clusters: list[int]) -> None:
        """Refuse to make one cluster of several whose rows were given different names."""
        names = self._names()
        if len(names) < 2:
            return
        joined = names_in(self._view().labels, clusters, names)
        if len(joined) > 1:
            first, second = joined[:2]
            raise InvalidEvent(
                f"merge: some of these rows are called {first!r} and others {second!r}, and a "
                f"cluster has one name. Undo the labels of one of them first."
            )

    def carriers(self, cluster: int, name: str) -> dict[str, Any]:
        """Return the rows that carry a cluster's new name, and the name that it has until then.

        Refuses a name that another cluster has.
        """
        view = self._view()
        called = {each.number: each.name for each in view.clusters}
        for other, has in called.items():
            if has == name and other != cluster:
                raise InvalidEvent(
                    f"rename: cluster {other} is called {name!r} already, and cluster "
                    f"{cluster} is another one. Merge the two, or choose another name."
                )
        inside = np.flatnonzero(view.labels == cluster)
        if not len(inside):
            return {}
        surest = inside[np.argsort(-view.margins[inside], kind="stable")[:MOST_CARRIERS]]
        return {"rows": np.sort(surest).tolist(), "instead": called.get(cluster)}
