"""Links and labels in files.

CSV, Parquet, Feather and JSON lines
    Links have the columns ``i``, ``j``, ``kind`` and, if wanted, ``weight``; labels have ``label``
    and ``row``, or ``id`` where rows are named by id (either is read). Other columns are left
    alone.
JSON
    An object that names its format and version and holds the same things as lists.

``kind`` is ``must`` or ``cannot``; other words for them, such as ``same`` and ``different``, are
read as well, and entries that say ``unsure`` are skipped. Rows are named by number or by id. Rows
without a label are left out of a file of labels; an empty label means unknown. CSV has no types:
labels that are all numbers are read as numbers, others as text.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints.formats import (
    LABELS,
    LINKS,
    Table,
    read_json,
    read_table,
    renamed,
    suffix_of,
    write_json,
    write_table,
)
from linkwise.constraints.kinds import doubtful_zero, verdict_of
from linkwise.constraints.pairs import Pairs, Weights
from linkwise.constraints.row_names import Ids, RowNames
from linkwise.errors import Advice, ConstraintWarning, InvalidInput, InvalidLinks, Remedy
from linkwise.files.delimited import number
from linkwise.files.endings import KNOWLEDGE_READ

PathLike = str | os.PathLike[str]

#: Where a table of links says which rows, of what kind, and how much they count.
Columns = Mapping[str, str | None]
LINK_COLUMNS: Columns = {"i": "i", "j": "j", "kind": "kind", "weight": None}


def read_links(
    path: PathLike,
    n_samples: int,
    ids: Ids,
    columns: Columns = LINK_COLUMNS,
    *,
    skip_unknown: bool = False,
) -> tuple[Pairs, Pairs, Weights]:
    """Return must-links, cannot-links and weights, must first."""
    rows = RowNames(n_samples, ids)
    return links_of(read_entries(Path(path), rows, columns), rows, skip_unknown=skip_unknown)


def read_entries(path: Path, rows: RowNames, columns: Columns) -> Table:
    """Return the entries of a file of links, in columns i, j, kind and perhaps weight."""
    if suffix_of(path, KNOWLEDGE_READ) == ".json":
        if columns != LINK_COLUMNS:
            raise InvalidLinks(f"{path.name}: a .json file of links has no columns to choose from.")
        return _links_from_json(path, rows)
    needed = tuple(name for name in columns.values() if name is not None)
    advice = [Advice(Remedy.NAME_COLUMNS)] if columns == LINK_COLUMNS else []
    return renamed(read_table(path, needed, *advice), columns)


def links_of(
    table: Table, rows: RowNames, *, skip_unknown: bool = False
) -> tuple[Pairs, Pairs, Weights]:
    """Return the links that columns i, j, kind and perhaps weight hold."""
    table = _without_unsure(table)
    table, pairs = rows.find(table, "i", "j", skip_unknown=skip_unknown)
    for entry in np.flatnonzero(pairs[:, 0] == pairs[:, 1])[:1].tolist():
        raise table.refuse(entry, f"{table.column('i')[entry]!r} is linked to itself.")
    kinds = [verdict_of(kind) == "same" for kind in table.column("kind")]
    must = np.array(kinds, dtype=bool)
    weights = [_weight(table, entry, said) for entry, said in enumerate(table.column("weight"))]
    weight = np.array(weights, dtype=np.float64)
    return pairs[must], pairs[~must], np.concatenate((weight[must], weight[~must]))


def write_links(
    path: PathLike, n_samples: int, must: Pairs, cannot: Pairs, weight: Weights, ids: Ids
) -> None:
    """Write links so that :func:`read_links` returns exactly the same."""
    path, rows = Path(path), RowNames(n_samples, ids)
    suffix, n_must = suffix_of(path), len(must)
    i, j = (rows.names(end) for end in np.concatenate((must, cannot)).T)
    weights = None if (weight == 1).all() else weight.tolist()
    if suffix == ".json":
        pairs = [list(pair) for pair in zip(i, j, strict=True)]
        content = {"must": pairs[:n_must], "cannot": pairs[n_must:], "weight": weights}
        write_json(path, LINKS, {"n_samples": n_samples, "rows": rows.kind, **content})
        return
    kind = ["must"] * n_must + ["cannot"] * len(cannot)
    columns = {"i": i, "j": j, "kind": kind}
    if weights is not None:
        columns["weight"] = weights
    write_table(path, columns)


def read_labels(
    path: PathLike, n_samples: int, ids: Ids, *, skip_unknown: bool = False
) -> NDArray[Any]:
    """Return one label per row, None where the file has none."""
    path, names = Path(path), RowNames(n_samples, ids)
    in_json = suffix_of(path, KNOWLEDGE_READ) == ".json"
    table = _labels_from_json(path, names) if in_json else read_table(path, ("label",))
    column = _row_column(path, table, names)
    table, found = names.find(table, column, skip_unknown=skip_unknown)
    rows = found[:, 0].tolist()
    said = table.column("label")
    if table.is_text:
        said = _typed(said)
    labels = np.full(n_samples, None, dtype=object)
    first: dict[int, int] = {}
    for entry, (row, label) in enumerate(zip(rows, said, strict=True)):
        before = first.setdefault(row, entry)
        if label != said[before]:
            raise table.refuse(
                entry,
                f"{table.column(column)[entry]!r} is labelled {label!r}, "
                f"but {said[before]!r} at {table.place(before)}.",
            )
        labels[row] = label
    return labels


def write_labels(path: PathLike, labels: NDArray[Any], ids: Ids) -> None:
    """Write the labels that are known; None means unknown."""
    path, rows = Path(path), RowNames(len(labels), ids)
    suffix = suffix_of(path)
    known = np.flatnonzero([label is not None for label in labels.tolist()])
    names, said = rows.names(known), labels[known].tolist()
    _check_labels(path, suffix, said)
    if suffix == ".json":
        pairs = [list(pair) for pair in zip(names, said, strict=True)]
        content = {"n_samples": len(labels), "rows": rows.kind, "labels": pairs}
        write_json(path, LABELS, content)
        return
    write_table(path, {rows.column: names, "label": said})


def _links_from_json(path: Path, rows: RowNames) -> Table:
    content = read_json(path, LINKS)
    _check_about(path, content, rows)
    must, cannot = (_pairs(path, content, name) for name in ("must", "cannot"))
    pairs = must + cannot
    weight = content.get("weight") or [None] * len(pairs)
    if len(weight) != len(pairs):
        raise InvalidLinks(f"{path.name}: {len(weight)} weights for {len(pairs)} links.")

    def spot(entry: int) -> str:
        inside = entry - len(must)
        return f"must[{entry}]" if inside < 0 else f"cannot[{inside}]"

    kind = ["must"] * len(must) + ["cannot"] * len(cannot)
    i, j = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return Table({"i": i, "j": j, "kind": kind, "weight": weight}, path.name, spot)


def _labels_from_json(path: Path, rows: RowNames) -> Table:
    content = read_json(path, LABELS)
    _check_about(path, content, rows)
    pairs = _pairs(path, content, "labels")
    columns = {rows.column: [pair[0] for pair in pairs], "label": [pair[1] for pair in pairs]}
    return Table(columns, path.name, lambda entry: f"labels[{entry}]")


def _pairs(path: Path, content: dict[str, Any], name: str) -> list[list[Any]]:
    pairs = content.get(name, [])
    for entry, pair in enumerate(pairs):
        if not isinstance(pair, list) or len(pair) != 2:
            raise InvalidLinks(f"{path.name} {name}[{entry}]: {pair!r} is not a pair.")
    return list(pairs)


def _check_about(path: Path, content: dict[str, Any], rows: RowNames) -> None:
    """Refuse a file about another number of rows, or one that names them another way."""
    n_samples = content.get("n_samples", rows.n_samples)
    if n_samples != rows.n_samples:
        raise InvalidLinks(
            f"{path.name} describes {n_samples} rows, but n_samples={rows.n_samples}."
        )
    kind = content.get("rows", rows.kind)
    if kind != rows.kind:
        give = "give ids= to read it." if kind == "ids" else "read it without ids=."
        raise InvalidLinks(f"{path.name} names rows by {kind}: {give}")


def _row_column(path: Path, table: Table, rows: RowNames) -> str:
    """Return the column of a table of labels that names the rows."""
    for name in (rows.column, "row", "id"):
        if name in table.columns:
            return name
    found = ", ".join(map(repr, table.columns))
    raise InvalidLinks(f"{path.name}: the columns must be {rows.column}, label, got {found}.")


def _without_unsure(table: Table) -> Table:
    """Return the entries that say something, and warn of those that do not."""
    said = table.column("kind")
    zero = doubtful_zero(said)
    if zero is not None:
        raise table.refuse(
            zero,
            f"kind {said[zero]!r} may mean different or unsure, because -1 is a kind here too. "
            "Write 'must', 'cannot' and 'unsure'.",
        )
    verdicts = [verdict_of(kind) for kind in said]
    if None in verdicts:
        entry = verdicts.index(None)
        raise table.refuse(
            entry,
            f"kind {said[entry]!r} says neither same nor different. Write 'same', 'different' or "
            "'unsure'.",
        )
    n_unsure = verdicts.count("unsure")
    if not n_unsure:
        return table
    warnings.warn(
        f"{table.name}: {n_unsure} of {len(said)} entries "
        f"{'is unsure and was' if n_unsure == 1 else 'are unsure and were'} skipped.",
        ConstraintWarning,
        stacklevel=5,  # who called Links.read or from_frame
    )
    return table.keep([entry for entry, verdict in enumerate(verdicts) if verdict != "unsure"])


def _weight(table: Table, entry: int, said: Any) -> float:
    """Return a weight; an empty one is 1."""
    if said is None or said == "":
        return 1.0
    try:
        if isinstance(said, str):
            weight = number(said, comma=table.decimal_comma)
        else:
            weight = None if isinstance(said, bool) else float(said)
    except (TypeError, ValueError):
        weight = None
    if weight is None or not (isfinite(weight) and weight >= 0):
        raise table.refuse(entry, f"weight {said!r} must be a finite number >= 0.")
    return weight


def _typed(said: list[str]) -> list[Any]:
    """Return labels of a CSV file as whole numbers, numbers or text; empty ones as None."""
    for kind in (int, float):
        try:
            typed = [kind(label) if label else None for label in said]
        except ValueError:
            continue
        if all(label is None or isfinite(label) for label in typed):
            return typed
    return [label or None for label in said]


def _check_labels(path: Path, suffix: str, said: list[Any]) -> None:
    """Refuse labels that would not come back as they are."""
    kinds = sorted({type(label).__name__ for label in said})
    if not set(kinds) <= {"str", "int", "float", "bool"}:
        raise InvalidInput(f"{path.name}: labels of type {', '.join(kinds)} cannot be written.")
    if suffix == ".parquet" and len(kinds) > 1:
        raise InvalidInput(
            f"{path.name}: Parquet keeps labels of one type, these are {' and '.join(kinds)}. "
            f"Write a .json file."
        )
