"""Export: labels and answers as CSV or Parquet, and what was said as links or names.

Links are what :meth:`linkwise.Links.read`, ``linkwise check`` and ``linkwise cluster --links``
read; names are what :meth:`linkwise.PartialLabels.read` and ``linkwise cluster --labels`` read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import PartialLabels
from linkwise.errors import InvalidInput
from linkwise.files.csv_writer import write_csv
from linkwise.session.events.event import Event
from linkwise.session.events.kinds import KINDS
from linkwise.session.state.statements import Statements
from linkwise.session.state.view import View
from linkwise.tables import check_output

WHAT = ("labels", "table", "answers", "links", "names", "history")
#: Rows of a file where labels go to a folder.
PART_ROWS = 1 << 20
#: The columns of a file of answers.
ANSWER_COLUMNS = ("event", "when", "who", "kind", "verdict", "ids", "name", "undone")


def export_labels(path: Path, view: View, ids: Sequence[Any] | None, *, raw: bool = False) -> None:
    """Write one line per row: id, cluster, name, margin."""
    names = {cluster.number: cluster.name for cluster in view.clusters}
    labels, none = view.labels.tolist(), view.nowhere
    _write(
        path,
        {
            "id": list(range(len(labels))) if ids is None else list(ids),
            "cluster": [-1 if label == none else label for label in labels],
            "name": [names[label] for label in labels],
            "margin": [round(margin, 6) for margin in view.margins.tolist()],
        },
        raw=raw,
    )


def export_parts(folder: Path, view: View, ids: Sequence[Any] | None) -> None:
    """Write the same to a new folder of Parquet files, some rows each, in order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    called = dict.fromkeys(range(int(view.labels.max(initial=0)) + 1), "")
    called |= {cluster.number: cluster.name for cluster in view.clusters}
    names = pa.array(called.values(), pa.string())
    if folder.exists():
        raise InvalidInput(f"{folder} exists already; it was left alone.")
    check_output(folder)
    with TemporaryDirectory(prefix=f".{folder.name}.new.", dir=folder.parent) as made:
        draft = Path(made, folder.name)
        draft.mkdir()
        for first in range(0, len(view.labels), PART_ROWS):
            rows = range(first, min(first + PART_ROWS, len(view.labels)))
            labels = view.labels[rows.start : rows.stop].astype(np.int32)
            part = {
                "id": pa.array(rows if ids is None else list(ids[rows.start : rows.stop])),
                "cluster": np.where(labels == view.nowhere, -1, labels),
                "name": pa.DictionaryArray.from_arrays(labels, names),
                "margin": view.margins[rows.start : rows.stop],
            }
            pq.write_table(pa.table(part), draft / f"labels-{first:014}.parquet")
        os.replace(draft, folder)


def export_table(
    path: Path,
    view: View,
    columns: dict[str, list[Any]],
    shares: NDArray[np.float32],
    *,
    raw: bool = False,
) -> None:
    """Write the data as they are, then cluster, name, margin, and the share in each cluster."""
    labels, none = view.labels.tolist(), view.nowhere
    names = {cluster.number: cluster.name for cluster in view.clusters}
    added: dict[str, list[Any]] = {
        "cluster": [-1 if label == none else label for label in labels],
        "cluster name": [names[label] for label in labels],
        "margin": [round(margin, 6) for margin in view.margins.tolist()],
    }
    for number, name in names.items():
        if number != none:
            added[_free(f"share of {name}", added)] = np.round(
                shares[:, number].astype(float), 4
            ).tolist()
    table = dict(columns)
    for name, values in added.items():
        table[_free(name, table)] = values
    _write(path, table, raw=raw)


def _free(name: str, taken: Mapping[str, object]) -> str:
    """Return the name, or one like it that is not taken."""
    return name if name not in taken else _free(f"{name} (linkwise)", taken)


def export_history(path: Path, events: Iterable[Event]) -> None:
    """Write every event as a line of JSON, as :meth:`Session.replay` reads it."""
    check_output(path)
    if path.suffix.lower() != ".jsonl":
        raise InvalidInput(f"{path.name}: a history is written to a file that ends in .jsonl.")
    lines = [
        json.dumps({"kind": e.kind, "payload": e.payload, "who": e.who, "key": e.key})
        for e in events
    ]
    _replace(path, lambda draft: draft.write_text("".join(f"{line}\n" for line in lines), "utf-8"))


def export_answers(
    path: Path, events: Iterable[Event], ids: Sequence[Any] | None, *, raw: bool = False
) -> None:
    """Write one line per answer, label and set of rows: who said what, when, and if it stands."""
    lines = list(_lines(events, ids))
    columns = {name: [line[k] for line in lines] for k, name in enumerate(ANSWER_COLUMNS)}
    _write(path, columns, raw=raw)


def export_links(path: Path, statements: Statements, ids: Sequence[Any] | None) -> None:
    """Write everything that stands as links: i, j, kind and weight."""
    check_output(path)
    _replace(path, lambda draft: statements.all_links().write(draft, ids=ids))


def export_names(path: Path, statements: Statements, ids: Sequence[Any] | None) -> None:
    """Write the names that rows were given: row or id, and label."""
    check_output(path)
    named = {row: name for name, rows in statements.names.items() for row in rows.tolist()}
    labels = PartialLabels.of_rows(named, statements.n_rows)
    _replace(path, lambda draft: labels.write(draft, ids=ids))


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
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise InvalidInput(f"{path.name}: use a file that ends in .csv or .parquet.")
    if path.suffix.lower() == ".csv":
        _replace(path, lambda draft: write_csv(draft, columns, raw=raw))
    else:
        _replace(path, lambda draft: _write_parquet(draft, columns))


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    draft = path.with_name(f".{os.getpid()}.new.{path.name}")
    try:
        write(draft)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _write_parquet(path: Path, columns: dict[str, list[Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), path)
