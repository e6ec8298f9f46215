"""Labels go out: one line per row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.files.csv_writer import print_csv


def check_output(path: Path) -> None:
    """Refuse, before any work is done, a file that could not be written afterwards."""
    if not path.parent.is_dir():
        raise InvalidInput(f"{path}: there is no folder {path.parent}. Make it first.")
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder. Name a file in it.")


def print_labels(
    stream: IO[str],
    labels: NDArray[np.integer[Any]],
    ids: Sequence[Any] | None,
    margins: NDArray[np.float32] | None,
    *,
    raw: bool = False,
) -> None:
    """Write ``id, label`` and, where there is one, ``margin`` as CSV."""
    names = range(len(labels)) if ids is None else ids
    columns: dict[str, Any] = {"id": names, "label": labels.tolist()}
    if margins is not None:
        columns["margin"] = margins.astype(str).tolist()
    print_csv(stream, columns, raw=raw)


def write_labels(
    path: Path,
    labels: NDArray[np.integer[Any]],
    ids: Sequence[Any] | None,
    margins: NDArray[np.float32] | None,
    *,
    raw: bool = False,
) -> None:
    """Write ``id, label`` and, where there is one, ``margin``; ``.npy`` holds the labels alone.

    With ``raw``, ids that a spreadsheet would run are written to ``.csv`` as they are.
    """
    suffix = path.suffix.lower()
    if suffix == ".npy":
        np.save(path, labels)
    elif suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            print_labels(file, labels, ids, margins, raw=raw)
    else:
        names = list(range(len(labels)) if ids is None else ids)
        _write_parquet(path, names, labels, margins)


def _write_parquet(
    path: Path, ids: list[Any], labels: NDArray[Any], margins: NDArray[Any] | None
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, Any] = {"id": ids, "label": labels}
    if margins is not None:
        columns["margin"] = margins
    pq.write_table(pa.table(columns), path)
