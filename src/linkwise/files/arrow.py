"""Files that become tables of pyarrow: Parquet, Feather (Arrow IPC), JSON lines, sheets, lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linkwise.errors import InvalidFile
from linkwise.files.endings import JSON_LINES, LINES, WORKBOOK, ending_of
from linkwise.files.lines import read_lines
from linkwise.files.nesting import check_depth
from linkwise.files.text import encoding_of, open_utf8
from linkwise.files.workbook import read_sheet

#: Endings of what Arrow writes as it is in memory.
IPC = (".feather", ".arrow")
#: pyarrow wants every line to lie within one block.
BLOCK_BYTES = 1 << 25


def read_arrow(path: Path, *, memory_map: bool = False, encoding: str | None = None) -> Any:
    """Return the table in a file, or a sentence that says why it cannot be read.

    With ``memory_map``, the file is not held in memory where its format allows that. ``encoding``
    is that of files of text; None finds it out.
    """
    import pyarrow as pa

    path.open("rb").close()  # a missing file is told by the operating system
    ending = ending_of(path, (*JSON_LINES, *LINES)) or path.suffix.lower()
    if ending in WORKBOOK:
        return read_sheet(path)
    if ending in LINES:
        return read_lines(path, encoding)
    if ending in JSON_LINES:
        return _read_json_lines(path, encoding)
    read, name = _READERS[ending]
    try:
        return read(path, memory_map)
    except MemoryError:  # one of pyarrow's exceptions too, and no fault of the file
        raise
    except pa.ArrowException as error:
        raise InvalidFile(path.name, f" is not {name} file linkwise can read.") from error
    except OSError as error:
        if error.errno is not None:  # it is the disk and not the file
            raise
        raise InvalidFile(path.name, f" is not {name} file linkwise can read.") from error


def _read_parquet(path: Path, memory_map: bool) -> Any:
    import pyarrow.parquet as pq

    return pq.read_table(path, memory_map=memory_map)


def _read_ipc(path: Path, memory_map: bool) -> Any:
    """Read what Arrow writes as it is in memory, and see that its parts fit each other.

    Unlike the readers of other formats, Arrow's believes all that such a file says of itself.
    """
    import pyarrow as pa

    with _ipc_reader(path, memory_map) as reader:
        table = reader.read_all()
    try:
        table.validate(full=True)
    except pa.ArrowException as error:
        raise InvalidFile(path.name, f" contradicts itself: {_first_line(error)}.") from error
    return table


def ipc_batches(path: Path) -> Iterator[Any]:
    """Yield the parts of a Feather or Arrow file one after the other."""
    with _ipc_reader(path, memory_map=False) as reader:
        count = getattr(reader, "num_record_batches", None)
        yield from reader if count is None else map(reader.get_batch, range(count))


def _ipc_reader(path: Path, memory_map: bool) -> Any:
    """Open the format of Feather files, or else the one in which Arrow is sent over a wire."""
    import pyarrow as pa
    from pyarrow import ipc

    def source() -> Any:
        return pa.memory_map(str(path)) if memory_map else pa.OSFile(str(path))

    try:
        return ipc.open_file(source())
    except pa.ArrowInvalid:
        return ipc.open_stream(source())


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].removesuffix(".")


def _read_json_lines(path: Path, encoding: str | None) -> Any:
    import pyarrow as pa
    from pyarrow import json

    found = encoding_of(path, encoding)
    check_depth(path, found)
    with open_utf8(path, found) as stream:
        try:
            return json.read_json(stream, json.ReadOptions(block_size=BLOCK_BYTES))
        except MemoryError:
            raise
        except pa.ArrowException as error:
            why = str(error).removesuffix(".")
            raise InvalidFile(
                path.name, f" is not a JSON lines file linkwise can read: {why}."
            ) from error


_READERS = {
    ".parquet": (_read_parquet, "a Parquet"),
    ".feather": (_read_ipc, "a Feather"),
    ".arrow": (_read_ipc, "an Arrow"),
}
