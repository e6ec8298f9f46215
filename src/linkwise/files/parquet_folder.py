"""A folder of Parquet files, which are one table: the files in the order of their names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow.fs

PARQUET = (".parquet", ".pq")


def parquet_files(
    folder: str | os.PathLike[str], filesystem: pyarrow.fs.FileSystem | None = None
) -> list[str]:
    """Return the Parquet files below a folder in the order of their names; hidden ones are not.

    ``filesystem`` is where the folder lies; None is this machine.
    """
    import pyarrow.fs as fs

    selector = fs.FileSelector(os.fspath(folder), recursive=True, allow_not_found=True)
    found = (filesystem or fs.LocalFileSystem()).get_file_info(selector)
    names = sorted(i.path for i in found if i.is_file and i.path.endswith(PARQUET))
    return [name for name in names if not os.path.basename(name).startswith((".", "_"))]
