"""Labels go out: one line per row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.files.csv_writer import write_csv


def check_output(path: Path) -> None:
    """Refuse, before any work is done, a file that could not be written afterwards."""
    if not path.parent.is_dir():
        raise InvalidInput(f"{path}: there is no folder {path.parent}. Make it first.")
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder. Name a file in it.")


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
    names = range(len(labels)) if ids is None else ids
    if suffix == ".npy":
        np.save(path, labels)
    elif suffix == ".csv":
        columns: dict[str, Any] = {"id": names, "label": labels.tolist()}
        if margins is not None:
            columns["margin"] = margins.astype(str).tolist()
        write_csv(path, columns, raw=raw)
    else:
        _write_parquet(path, list(names), labels, margins)


def _write_parquet(
    path: Path, ids: list[Any], labels: NDArray[Any], margins: NDArray[Any] | None
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, Any] = {"id": ids, "label": labels}
    if margins is not None:
        columns["margin"] = margins
    pq.write_table(pa.table(columns), path)
