"""Export: labels and answers as CSV or Parquet."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from linkwise.errors import InvalidInput
from linkwise.files.csv_writer import write_csv
from linkwise.session.events.event import Event
from linkwise.session.events.kinds import KINDS
from linkwise.session.state.view import View
from linkwise.tables import check_output

WHAT = ("labels", "answers")


def export_labels(path: Path, view: View, ids: Sequence[Any] | None, *, raw: bool = False) -> None:
    """Write one line per row: id, cluster, name, margin."""
    names = {cluster.number: cluster.name for cluster in view.clusters}
    labels = view.labels.tolist()
    _write(
        path,
        {
            "id": list(range(len(labels))) if ids is None else list(ids),
            "cluster": labels,
            "name": [names[label] for label in labels],
            "margin": [round(margin, 6) for margin in view.margins.tolist()],
        },
        raw=raw,
    )


def export_answers(
    path: Path, events: Iterable[Event], ids: Sequence[Any] | None, *, raw: bool = False
) -> None:
    """Write one line per answer, label and set of rows: who said what, when, and if it stands."""
    lines = list(_lines(events, ids))
    columns = ("event", "when", "who", "kind", "verdict", "ids", "name", "undone")
    _write(path, {name: [line[k] for line in lines] for k, name in enumerate(columns)}, raw=raw)


def _lines(events: Iterable[Event], ids: Sequence[Any] | None) -> Iterator[tuple[Any, ...]]:
    for event in events:
        effect = KINDS[event.kind].effect
        rows: list[int]
        if effect.pair:
            *rows, verdict = effect.pair(event.payload)
            name = None
        elif effect.rows:
            rows, name = effect.rows(event.payload)
            verdict = "same"
        else:
            continue
        listed = json.dumps([row if ids is None else ids[row] for row in rows], ensure_ascii=False)
        undone = event.undone_by is not None
        yield event.seq, event.when, event.who, event.kind, verdict, listed, name or "", undone


def _write(path: Path, columns: dict[str, list[Any]], *, raw: bool) -> None:
    """Write to a draft first: a file that was there is replaced whole or not at all."""
    check_output(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        if path.suffix.lower() == ".csv":
            write_csv(draft, columns, raw=raw)
        elif path.suffix.lower() == ".parquet":
            _write_parquet(draft, columns)
        else:
            raise InvalidInput(f"{path.name}: use a file that ends in .csv or .parquet.")
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _write_parquet(path: Path, columns: dict[str, list[Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), path)
