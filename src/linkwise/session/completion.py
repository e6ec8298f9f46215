"""What a session adds to an entry before it is recorded, so that the record says it all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from linkwise.ensemble import LabelMatrix
from linkwise.session.advice.questions import guess
from linkwise.session.errors import InvalidEvent
from linkwise.session.events.event import Entry
from linkwise.session.state.labelling import Labels
from linkwise.session.state.structure import halve
from linkwise.session.state.view import View


def complete(
    entry: Entry, latest: View | None, labels: Callable[[], Labels], matrix: LabelMatrix
) -> Entry:
    """Add to an answer what the clustering said, and to a split the rows that show how to split.

    ``latest`` is a view that is there already; ``labels`` may have to compute one.
    """
    payload = entry.payload
    if entry.kind == "answer" and latest is not None:
        added = {"guess": guess(latest.labels, payload["i"], payload["j"])}
        return replace(entry, payload=payload | added)
    if entry.kind == "split":
        halves = _halves(payload["cluster"], payload["rows"], labels(), matrix)
        return replace(entry, payload=payload | {"halves": halves})
    return entry


def _halves(
    cluster: int, rows: list[int] | None, labels: Labels, matrix: LabelMatrix
) -> list[list[int]]:
    members = np.flatnonzero(labels == cluster)
    leaving = len(members) // 2 if rows is None else int(np.isin(members, rows).sum())
    if not 0 < leaving < len(members):
        raise InvalidEvent(
            f"split: cluster {cluster} has {len(members)} rows, of which {leaving} would leave. "
            f"A split needs rows on both sides."
        )
    return halve(members, rows, matrix)
