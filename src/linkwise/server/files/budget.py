"""What a file would be once it is read, looked up before it is: small files can be large tables."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

from linkwise.errors import InvalidFile
from linkwise.files.arrow import IPC, ipc_batches
from linkwise.files.delimited import Delimited
from linkwise.files.endings import DELIMITED, WORKBOOK, ending_of
from linkwise.files.npy import read_header
from linkwise.files.text import is_packed, open_bytes
from linkwise.tables.read import ARRAYS

#: Bytes of one number, which is the least a cell of a table needs.
CELL = 8


def check_budget(
    path: Path,
    *,
    unpacked: int | None = None,
    rows: int | None = None,
    columns: int | None = None,
) -> None:
    """Refuse a file that says of itself that it has more bytes, rows or columns than allowed.

    None is no limit. Columns are counted in tables; those of arrays only cost their bytes.
    """
    most = {"bytes": unpacked, "rows": rows, "columns": columns}
    for what, found in _sizes(path, unpacked):
        refuse_beyond(path, what, found, most[what])


def refuse_beyond(path: Path, what: str, found: int, most: int | None) -> None:
    """Refuse a file that has more bytes, rows or columns than allowed; None is no limit."""
    if most is None or found <= most:
        return
    if what == "bytes":
        said = f" unpacks to more than the {most:,} bytes linkwise takes."
    else:
        said = f" has {found:,} {what}, more than the {most:,} this service takes."
    raise InvalidFile(path.name, said)


def _sizes(path: Path, unpacked: int | None) -> Iterator[tuple[str, int]]:
    """Yield the sizes of a file that can be known without reading it, the cheapest first."""
    if path.suffix.lower() in (*ARRAYS, *WORKBOOK):
        yield from _of_arrays(path)
    elif path.suffix.lower() == ".parquet":
        yield from _of_parquet(path)
    elif path.suffix.lower() in IPC:
        yield from _of_ipc(path, unpacked)
    elif not path.is_dir() and is_packed(path):
        yield "bytes", _n_unpacked(path, unpacked)
    if ending_of(path, DELIMITED) and not path.is_dir():
        yield "columns", len(Delimited.open(path).first)


def _of_arrays(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the sizes of an array or a zip archive; what is no such file is for its reader."""
    try:
        with path.open("rb") as file:
            if zipfile.is_zipfile(file):
                with zipfile.ZipFile(file) as archive:
                    yield "bytes", sum(part.file_size for part in archive.infolist())
            else:
                file.seek(0)
                header = read_header(file)
                yield "bytes", header.n_bytes
                yield "rows", header.shape[0] if header.shape else 0
    except (ValueError, zipfile.BadZipFile):
        return


def _of_parquet(path: Path) -> Iterator[tuple[str, int]]:
    """Yield what the footer says; repeated values are packed so well that only counting helps."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        about = pq.read_metadata(path)
    except pa.ArrowException:
        return
    yield "columns", about.num_columns
    yield "rows", about.num_rows
    said = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
    yield "bytes", max(said, CELL * about.num_rows * about.num_columns)


def _of_ipc(path: Path, enough: int | None) -> Iterator[tuple[str, int]]:
    """Yield the sizes of a Feather or Arrow file, unpacked part by part as far as is allowed."""
    import pyarrow as pa

    n_rows = n_bytes = 0
    try:
        for batch in ipc_batches(path):
            n_rows, n_bytes = n_rows + batch.num_rows, n_bytes + batch.nbytes
            if enough is not None and n_bytes > enough:
                break
    except MemoryError:
        raise
    except pa.ArrowException:
        return
    yield "bytes", n_bytes
    yield "rows", n_rows


def _n_unpacked(path: Path, enough: int | None) -> int:
    """Return the unpacked size, or a size beyond ``enough``."""
    size = 0
    with open_bytes(path) as file:
        while (enough is None or size <= enough) and (piece := file.read(1 << 20)):
            size += len(piece)
    return size
