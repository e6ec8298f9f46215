"""What the clustering tells of an entry before it is recorded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwise.ensemble import LabelMatrix
from linkwise.session.advice.questions import guess
from linkwise.session.errors import InvalidEvent
from linkwise.session.state.labelling import Labels
from linkwise.session.state.structure import halve
from linkwise.session.state.view import View


class CurrentClustering:
    """The clustering as it stands when an entry arrives.

    ``latest`` is a view that is there already; ``labels`` may have to compute one.
    """

    def __init__(
        self, latest: View | None, labels: Callable[[], Labels], matrix: LabelMatrix
    ) -> None:
        self._latest, self._labels, self._matrix = latest, labels, matrix

    def guess(self, i: int, j: int) -> str | None:
        """Return what the latest view says of a pair."""
        return None if self._latest is None else guess(self._latest.labels, i, j)

    def halves(self, cluster: int, rows: list[int] | None) -> list[list[int]]:
        """Return two lists of rows that show how a cluster is to be split."""
        members = np.flatnonzero(self._labels() == cluster)
        leaving = len(members) // 2 if rows is None else int(np.isin(members, rows).sum())
        if not 0 < leaving < len(members):
            raise InvalidEvent(
                f"split: cluster {cluster} has {len(members)} rows, of which {leaving} would "
                f"leave. A split needs rows on both sides."
            )
        return halve(members, rows, self._matrix)
