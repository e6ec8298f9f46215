"""Rows of many files: a folder of Parquet files, here or in an object store, or a list of files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwise.ensemble.npy_source import NpySource
from linkwise.ensemble.parquet import ParquetSource
from linkwise.errors import InvalidInput, MissingData
from linkwise.files.parquet_folder import PARQUET, parquet_files
from linkwise.files.places import place_of, reaching

if TYPE_CHECKING:
    import pyarrow.fs


class FileRows:
    """Rows of several files, one file after the other.

    It can be sent to another process, which opens the files it reads by itself.

    Parameters
    ----------
    files : path or sequence of paths
        A folder of Parquet files, taken in the order of their names, or a list of ``.npy`` or
        Parquet files, taken as they are listed. Addresses such as ``s3://bucket/folder`` are
        opened by pyarrow.
    columns : sequence of str, default=None
        Columns of Parquet files to use, in this order; all of them by default.
    ids : str, default=None
        A column of Parquet files that names the rows. It is no feature.

    See Also
    --------
    linkwise.SequentialClustering : Reads such rows block by block.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = [f"{folder}/{k}.npy" for k in range(2)]
    ...     for k, file in enumerate(files):
    ...         np.save(file, np.full((3, 2), k))
    ...     rows = FileRows(files)
    ...     rows.n_rows, rows.n_features, rows.read(2, 4).tolist()
    (6, 2, [[0, 0], [1, 1]])
    """

    def __init__(
        self,
        files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        columns: Sequence[str] | None = None,
        ids: str | None = None,
    ) -> None:
        self._listed = _listed(files)
        self._ids = ids
        self._opened: dict[int, ParquetSource | NpySource] = {}
        first = self._open(0, columns)
        self.columns = getattr(first, "columns", None)
        self.n_features: int = first.n_features
        counts = [self._matching(k).n_rows for k in range(len(self._listed))]
        self._starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        self.n_rows = int(self._starts[-1])
        self._opened.clear()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_opened": {}}

    @property
    def fingerprint(self) -> str:
        """A text that another one differs from as soon as a file was changed."""
        told = [file.told() for file in self._listed] + [repr(self.columns)]
        return hashlib.sha256("\n".join(told).encode()).hexdigest()

    def read(self, start: int, stop: int) -> NDArray[Any]:
        parts = [self._source(k).read(a, b) for k, a, b in self._pieces(start, stop)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def read_ids(self, start: int, stop: int) -> list[Any] | None:
        """Return what the rows are called, None if no column was named."""
        if self._ids is None:
            return None
        names: list[Any] = []
        for k, a, b in self._pieces(start, stop):
            source = self._source(k)
            assert isinstance(source, ParquetSource)
            names += source.values(str(self._ids), a, b)
        return names

    def _pieces(self, start: int, stop: int) -> list[tuple[int, int, int]]:
        """Return the files in which rows lie, and which ones of each."""
        found = []
        k = int(np.searchsorted(self._starts, start, side="right")) - 1
        while start < stop:
            until = min(stop, int(self._starts[k + 1]))
            if start < until:
                found.append((k, start - int(self._starts[k]), until - int(self._starts[k])))
            start, k = until, k + 1
        return found

    def _source(self, k: int) -> ParquetSource | NpySource:
        """Return a file; one at a time is open, for they are read in order."""
        if k not in self._opened:
            source = self._matching(k)
            expected = int(self._starts[k + 1] - self._starts[k])
            if source.n_rows != expected:
                raise InvalidInput(
                    f"{self._listed[k].name} had {expected} rows and has {source.n_rows} now. It "
                    "was changed while it was in use."
                )
            self._opened = {k: source}
        return self._opened[k]

    def _matching(self, k: int) -> ParquetSource | NpySource:
        """Open a file and refuse one that does not fit the first."""
        first = self._listed[0].name
        try:
            source = self._open(k, self.columns)
        except InvalidInput as error:
            if not k:
                raise
            hint = f"The files of a table have the columns of the first, {first}."
            raise InvalidInput(f"{error} {hint}") from None
        if source.n_features != self.n_features:
            raise InvalidInput(
                f"{self._listed[k].name} has {source.n_features} features, but {first} has "
                f"{self.n_features}."
            )
        return source

    def _open(self, k: int, columns: Sequence[str] | None) -> ParquetSource | NpySource:
        file = self._listed[k]
        if file.is_npy:
            if self._ids is not None:
                raise InvalidInput(
                    f"{file.name} has no columns, so none names the rows. Leave ids out."
                )
            if file.filesystem is not None:
                raise InvalidInput(
                    f"{file.name}: .npy files are read on this machine alone. At an address, rows "
                    "are read from Parquet files."
                )
            if not os.path.exists(file.name):
                raise MissingData(f"there is no file {file.name}.")
            return NpySource(file.name)
        ids = () if self._ids is None else (self._ids,)
        return ParquetSource(file.name, columns, filesystem=file.filesystem, but=ids)


@dataclass(frozen=True)
class _File:
    """A file, and the file system it lies in; None is that of this machine."""

    name: str
    filesystem: pyarrow.fs.FileSystem | None

    @property
    def is_npy(self) -> bool:
        return self.name.endswith(".npy")

    def told(self) -> str:
        import pyarrow.fs as fs

        info = (self.filesystem or fs.LocalFileSystem()).get_file_info(self.name)
        return f"{self.name} {info.size} {info.mtime_ns}"


def _listed(files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[_File]:
    if not isinstance(files, str | os.PathLike):
        names = [os.fspath(name) for name in files]
        if not names:
            raise InvalidInput("the list of files is empty.")
        listed = [_File(*_place(name)) for name in names]
        for file in listed:
            if not file.name.endswith((".npy", *PARQUET)):
                raise InvalidInput(
                    f"{file.name}: rows are read from .npy and .parquet files, and from folders of "
                    ".parquet files."
                )
        return listed
    address = os.fspath(files)
    folder, filesystem = _place(address)
    with reaching(address):
        if filesystem is not None and filesystem.get_file_info(folder).is_file:
            return _listed([address])
        shown = parquet_files(folder, filesystem)
    if not shown:
        raise MissingData(f"there is no Parquet file in {files}.")
    return [_File(name, filesystem) for name in shown]


def _place(name: str) -> tuple[str, pyarrow.fs.FileSystem | None]:
    """Return a path and its file system, None where it is this machine's."""
    if "://" not in name:
        return os.path.abspath(name), None  # another process may be elsewhere
    import pyarrow.fs as fs

    filesystem, path = place_of(name)
    return path, None if isinstance(filesystem, fs.LocalFileSystem) else filesystem
