"""Labels go out as Parquet files, a part of the rows each."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput
from linkwise.files.places import place_of, reaching

#: Rows of a row group.
_GROUP = 1 << 20


def make_folder(folder: str) -> str:
    """Make a folder for labels, and return it; one that holds something already is refused."""
    import pyarrow.fs as fs

    if "://" not in folder:
        folder = os.path.abspath(folder)  # who writes may be elsewhere
    filesystem, path = place_of(folder)
    with reaching(folder):
        found = filesystem.get_file_info(fs.FileSelector(path, allow_not_found=True))
        if found:
            raise InvalidInput(f"{folder} holds {found[0].base_name} already; it was left alone.")
        filesystem.create_dir(path, recursive=True)
    return folder


def write_part(
    folder: str,
    first: int,
    labels: NDArray[np.int32],
    margins: NDArray[np.float32],
    ids: list[Any] | None = None,
) -> None:
    """Write the labels of rows from the number ``first`` on; a file that is there is replaced.

    Parameters
    ----------
    folder : str
        A folder, or an address that pyarrow understands, such as ``s3://bucket/folder``.
    first : int
        Number of the first row. It is in the name of the file: files in order are rows in order.
    labels, margins : arrays of shape (n_rows,)
        The columns ``label`` and ``margin``.
    ids : list, default=None
        The column ``id``, if rows have names.
    """
    import pyarrow as pa
    import pyarrow.parquet as parquet

    columns: dict[str, Any] = {"row": np.arange(first, first + len(labels), dtype=np.int64)}
    if ids is not None:
        columns["id"] = ids
    columns |= {"label": labels, "margin": margins}
    filesystem, path = place_of(folder)
    target = f"{path}/labels-{first:014}.parquet"
    with reaching(folder):
        filesystem.create_dir(path, recursive=True)
        parquet.write_table(pa.table(columns), target, filesystem=filesystem, row_group_size=_GROUP)
