"""Rows of a Parquet file, decoded a row group at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput, MissingData

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.fs

BATCH_ROWS = 4096


class ParquetSource:
    """Rows of a Parquet file; every column used must be numeric.

    Reading in order decodes each row group once. A step back starts again at the row group that
    holds the first row wanted.

    Parameters
    ----------
    path : path
        The file.
    columns : sequence of str, default=None
        Columns to use, in this order; all of them by default.
    filesystem : pyarrow.fs.FileSystem, default=None
        Where the file lies; None is this machine.
    but : sequence of str, default=()
        Columns not to use when ``columns`` names none.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        columns: Sequence[str] | None = None,
        *,
        filesystem: pyarrow.fs.FileSystem | None = None,
        but: Sequence[str] = (),
    ) -> None:
        self.path = Path(path)
        self._filesystem = filesystem
        self._file = _open(self.path, filesystem)
        schema = self._file.schema_arrow
        for name in but:
            if name not in schema.names:
                raise _no_column(self.path, schema, name)
        every = [name for name in schema.names if name not in but]
        self.columns = every if columns is None else list(columns)
        for name in self.columns:
            _check_column(self.path, schema, name)
        groups = [
            self._file.metadata.row_group(i).num_rows for i in range(self._file.num_row_groups)
        ]
        self._group_starts = np.concatenate([[0], np.cumsum(groups, dtype=np.intp)])
        self.n_rows = int(self._group_starts[-1])
        self.n_features = len(self.columns)
        self._rest: NDArray[Any] = np.empty((0, self.n_features))
        self._position = self.n_rows  # of the first row in _rest
        self._batches: Iterator[NDArray[Any]] = iter(())

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self.path, self.columns, self._filesystem)

    def values(self, column: str, start: int, stop: int) -> list[Any]:
        """Return the values of any column, whatever they are, in some rows."""
        if column not in self._file.schema_arrow.names:
            raise _no_column(self.path, self._file.schema_arrow, column)
        first = int(np.searchsorted(self._group_starts, start, side="right")) - 1
        last = int(np.searchsorted(self._group_starts, stop, side="left"))
        table = self._file.read_row_groups(list(range(first, last)), columns=[column])
        found: list[Any] = (
            table.column(column)
            .slice(start - int(self._group_starts[first]), stop - start)
            .to_pylist()
        )
        return found

    def read(self, start: int, stop: int) -> NDArray[Any]:
        if start < self._position or start > self._position + len(self._rest):
            self._seek(start)
        pieces = []
        while stop > self._position:
            first = max(start - self._position, 0)
            last = min(stop - self._position, len(self._rest))
            if first < last:
                pieces.append(self._rest[first:last])
            if last < len(self._rest):
                break
            self._position += len(self._rest)
            self._rest = next(self._batches, self._rest[:0])
            if not len(self._rest):
                break
        return np.concatenate(pieces) if pieces else self._rest[:0]

    def _seek(self, row: int) -> None:
        group = int(np.searchsorted(self._group_starts, row, side="right")) - 1
        self._position = int(self._group_starts[group])
        self._rest = self._rest[:0]
        self._batches = self._decode(range(group, self._file.num_row_groups))

    def _decode(self, groups: range) -> Iterator[NDArray[Any]]:
        for batch in self._file.iter_batches(
            batch_size=BATCH_ROWS, row_groups=list(groups), columns=self.columns
        ):
            table = [batch.column(name).to_numpy(zero_copy_only=False) for name in self.columns]
            yield np.column_stack(table)


def _again(
    path: Path, columns: Sequence[str], filesystem: pyarrow.fs.FileSystem | None
) -> ParquetSource:
    """Open a file in another process."""
    return ParquetSource(path, columns, filesystem=filesystem)


def _open(path: Path, filesystem: pyarrow.fs.FileSystem | None) -> Any:
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        if filesystem is None:
            return parquet.ParquetFile(path)
        return parquet.ParquetFile(filesystem.open_input_file(path.as_posix()))
    except FileNotFoundError:
        raise MissingData(f"there is no file {path}.") from None
    except pyarrow.ArrowInvalid as error:
        raise InvalidInput(f"{path} is not a Parquet file: {error}") from None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from None


def _no_column(path: Path, schema: pyarrow.Schema, name: str) -> InvalidInput:
    return InvalidInput(f"{path} has no column {name!r}. It has: {', '.join(schema.names)}.")


def _check_column(path: Path, schema: pyarrow.Schema, name: str) -> None:
    import pyarrow.types as types

    if name not in schema.names:
        raise _no_column(path, schema, name)
    kind = schema.field(name).type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        raise InvalidInput(
            f"column {name!r} of {path} holds {kind} values, expected real numbers. "
            "columns=[...] of ParquetSource or FileRows reads only the columns you name."
        )
