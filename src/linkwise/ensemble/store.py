"""The label matrix: one byte per partition and row, in memory or in a file.

Partition ``p`` gives row ``i`` the label ``array[p, i]``. Rows of the matrix (one per partition)
are padded to an odd multiple of 64 bytes and start on a 64-byte boundary: every partition then
starts on a cache line, and the same data row of successive partitions falls into different cache
sets. With a stride that is a large power of two they would all compete for the same few sets.
"""

from __future__ import annotations

import errno
import mmap as mmap_module
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwise.ensemble.holding import HeldFile
from linkwise.errors import InvalidInput, LinkwiseError, MissingData
from linkwise.files.headed import Format, short

T = TypeVar("T")
P = ParamSpec("P")

ALIGNMENT = 64
FORMAT = Format("linkwise label matrix", 1)
FORGET_BYTES = 1 << 25
#: Rows whose labels are read at once where a file cannot be kept from being cut.
PART_ROWS = 1 << 16
ARRAY_FILE = "labels.npy"
HEADER_FILE = "labels.json"


def padded(n_rows: int) -> int:
    """Return the smallest odd multiple of 64 that is at least ``n_rows``."""
    return ALIGNMENT * (-(-n_rows // ALIGNMENT) | 1)


class LabelMatrix:
    """Labels of ``n_rows`` rows in ``n_partitions`` partitions, ``uint8``, partition-major.

    Made by :meth:`empty` or :meth:`load`, filled by :meth:`write`, grown by :meth:`append`.

    Examples
    --------
    >>> matrix = LabelMatrix.empty(2, 3)
    >>> matrix.write(0, [[0, 1, 1], [4, 4, 5]])
    >>> matrix.rows([2, 0]).tolist()
    [[1, 5], [0, 4]]
    """

    def __init__(
        self,
        buffer: NDArray[np.uint8],
        n_rows: int,
        folder: Path | None = None,
        watch: HeldFile | None = None,
    ) -> None:
        self._buffer = buffer
        self._n_rows = n_rows
        self.folder = folder
        self._watch = watch
        self._unforgotten = 0
        self._is_borrowed = False

    def borrowed(self, n_rows: int | None = None) -> LabelMatrix:
        """Return a matrix that reads the same bytes, and moves into memory before it changes.

        With ``n_rows`` it has the first ones only.
        """
        known = self._n_rows if n_rows is None else n_rows
        twin = LabelMatrix(self._buffer, known, watch=self._watch)
        twin._is_borrowed = True
        return twin

    @classmethod
    def empty(
        cls, n_partitions: int, n_rows: int, path: str | os.PathLike[str] | None = None
    ) -> LabelMatrix:
        """Make room for labels, in memory or in the folder ``path``; the contents are undefined."""
        if path is None:
            return cls(_aligned(n_partitions, padded(n_rows)), n_rows)
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        matrix = cls(_create(folder / ARRAY_FILE, n_partitions, padded(n_rows)), n_rows, folder)
        matrix._write_header()
        return matrix

    @property
    def n_partitions(self) -> int:
        return int(self._buffer.shape[0])

    @property
    def n_rows(self) -> int:
        return self._n_rows

    @property
    def array(self) -> NDArray[np.uint8]:
        """The labels, (n_partitions, n_rows), a read-only view whose rows are not adjacent.

        Of a file that was cut short since it was mapped, nothing is returned: whoever touched a
        page that is gone would be killed by the system.
        """
        self._check_file()
        view = self._buffer[:, : self._n_rows].view(np.ndarray)
        view.flags.writeable = False
        return view

    def rows(self, indices: ArrayLike) -> NDArray[np.uint8]:
        """Return the labels of some rows, point-major: (len(indices), n_partitions)."""
        chosen = np.asarray(indices, dtype=np.intp)
        self._check_inside(chosen)
        if self._watch is None:
            return np.ascontiguousarray(self._buffer[:, chosen].T)
        with self._watch.held() as is_held:
            if is_held:
                return np.ascontiguousarray(self._buffer[:, chosen].T)
            found = np.empty((len(chosen), self.n_partitions), dtype=np.uint8)
            partition = np.empty(self._n_rows, dtype=np.uint8)
            for p in range(self.n_partitions):
                self._read(p, 0, partition)
                found[:, p] = partition[chosen]
            return found

    @contextmanager
    def parts(self, n_rows: int | None = None) -> Iterator[Iterable[NDArray[np.uint8]]]:
        """Lend the labels of the first rows, all rows by default, in parts one after the other.

        Each is (n_partitions, some rows) and good until the next one. Nobody can cut a mapped file
        during the block, which should be short: who wants to write to it waits.
        """
        known = self._n_rows if n_rows is None else n_rows
        if self._watch is None:
            yield (self.array[:, :known],)
            return
        with self._watch.held() as is_held:
            yield (self.array[:, :known],) if is_held else self._read_parts(known)

    def _read_parts(self, n_rows: int) -> Iterator[NDArray[np.uint8]]:
        room = _aligned(self.n_partitions, padded(min(n_rows, PART_ROWS)))
        for start in range(0, n_rows, PART_ROWS):
            part = room[:, : min(PART_ROWS, n_rows - start)]
            for p in range(self.n_partitions):
                self._read(p, start, part[p])
            yield part

    def _read(self, partition: int, start: int, into: NDArray[np.uint8]) -> None:
        """Read labels from the file, which may be cut meanwhile: that is told."""
        assert isinstance(self._buffer, np.memmap)
        assert self._watch is not None
        begin = self._buffer.offset + partition * self._buffer.shape[1]
        self._watch.read(begin + start, into)

    def each(
        self,
        n_rows: int,
        work: Callable[Concatenate[NDArray[np.uint8], P], T],
        *args: P.args,
        **options: P.kwargs,
    ) -> list[T]:
        """Return ``work(labels, *args)`` for parts that make up the first rows, in order.

        Each part is (n_partitions, some rows). Labels that lie on many machines are worked on
        there, so ``work`` is a function with a name that any process can import.
        """
        with self.parts(n_rows) as parts:
            return [work(blocks, *args, **options) for blocks in parts]

    def write(self, start: int, labels: ArrayLike) -> None:
        """Set the labels of the rows from ``start`` on; ``labels`` is (n_partitions, any).

        Rows after the last one may be written once there is room for them (:meth:`reserve`); they
        belong to the matrix when they are announced.
        """
        block = np.asarray(labels)
        if block.ndim != 2 or block.shape[0] != self.n_partitions:
            raise InvalidInput(
                f"labels have shape {block.shape}, expected ({self.n_partitions}, number of rows)."
            )
        stop = start + block.shape[1]
        if not 0 <= start <= stop <= self._buffer.shape[1]:
            raise InvalidInput(
                f"there is no room for labels of rows {start} to {stop - 1} in a label matrix of "
                f"{self._n_rows} rows."
            )
        if not self._buffer.flags.writeable or self._is_borrowed:
            self.reserve(self._buffer.shape[1] + 1)  # what belongs to others is not changed
        self._buffer[:, start:stop] = block
        self._unforgotten += block.size
        if self._unforgotten > FORGET_BYTES:
            self._forget_pages()

    def append(self, labels: ArrayLike) -> None:
        """Add rows at the end; ``labels`` is (n_partitions, n_new)."""
        block = np.asarray(labels)
        n_rows = self._n_rows + block.shape[-1]
        self.reserve(n_rows)
        self.write(self._n_rows, block)
        self.announce(n_rows)

    def reserve(self, n_rows: int) -> None:
        """Make room for ``n_rows`` rows in all, keeping what is there.

        Room grows by half at least, so that many small additions cost no more than a few large
        ones.
        """
        if n_rows > self._buffer.shape[1] or (n_rows > self._n_rows and self._is_borrowed):
            self._relayout(padded(max(n_rows, self._buffer.shape[1] * 3 // 2)))

    def announce(self, n_rows: int) -> None:
        """Make the rows written so far part of the matrix."""
        self.reserve(n_rows)
        self._n_rows = n_rows
        self.flush()

    def _relayout(self, capacity: int) -> None:
        if self.folder is None:
            larger = _aligned(self.n_partitions, capacity)
            self._copy_to(larger)
        else:
            draft = self.folder / (ARRAY_FILE + ".new")
            larger = _create(draft, self.n_partitions, capacity)
            self._copy_to(larger)
            _flush(larger)
            os.replace(draft, self.folder / ARRAY_FILE)
        self._buffer, self._watch, self._is_borrowed = larger, None, False

    def _copy_to(self, buffer: NDArray[np.uint8]) -> None:
        """Write all labels into another buffer with room for them."""
        start = 0
        with self.parts() as parts:
            for part in parts:
                buffer[:, start : start + part.shape[1]] = part
                start += part.shape[1]

    def _check_inside(self, rows: NDArray[np.intp]) -> None:
        outside = (rows < 0) | (rows >= self._n_rows)
        if outside.any():
            raise InvalidInput(
                f"row {rows[outside][0]} is outside the {self._n_rows} rows of the label matrix."
            )

    def _check_file(self) -> None:
        if self._watch is not None:
            self._watch.check()

    def flush(self) -> None:
        """Bring a file up to date: first the labels, then the header that announces them."""
        if self.folder is not None:
            _flush(self._buffer)
            self._write_header()

    def _forget_pages(self) -> None:
        """Let a mapped file's pages leave the process; what was written stays in the file."""
        self._unforgotten = 0
        mapped = self._buffer.base
        if isinstance(mapped, mmap_module.mmap) and hasattr(mmap_module, "MADV_DONTNEED"):
            mapped.madvise(mmap_module.MADV_DONTNEED)

    def _write_header(self) -> None:
        assert self.folder is not None
        FORMAT.write(self.folder / HEADER_FILE, self._header())

    def _header(self) -> dict[str, object]:
        return {"n_partitions": self.n_partitions, "n_rows": self._n_rows}

    def save_without(self, folder: str | os.PathLike[str]) -> None:
        """Write down how many labels there are, and not the labels themselves."""
        FORMAT.write(Path(folder) / HEADER_FILE, {**self._header(), "elsewhere": True})

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the labels to ``folder``; where they live there already, only flush them."""
        target = Path(folder)
        if self.folder is not None and target.resolve() == self.folder.resolve():
            self.flush()
            return
        copy = LabelMatrix.empty(self.n_partitions, self._n_rows, target)
        self._copy_to(copy._buffer)
        copy.flush()

    @classmethod
    def load(cls, folder: str | os.PathLike[str], mmap: bool = True) -> LabelMatrix:
        """Open what :meth:`save` wrote: mapped from the file, or read into memory.

        The file is not changed any more: rows that are added are in memory.
        """
        source = Path(folder)
        header = _read_header(source / HEADER_FILE)
        n_partitions, n_rows = header["n_partitions"], header["n_rows"]
        path = source / ARRAY_FILE
        if header.get("elsewhere") is True:
            raise MissingData(
                f"{source} holds no labels: they were not on one machine. Open it with the rows, "
                "which are labelled again: load(path, X=rows, engine=...)."
            )
        buffer, watch = _open(path)
        if buffer.shape[0] != n_partitions or not padded(n_rows) <= buffer.shape[1]:
            raise InvalidInput(
                f"{path} holds {buffer.shape[0]} partitions with room for {buffer.shape[1]} rows, "
                f"but {HEADER_FILE} announces {n_partitions} partitions of {n_rows} rows."
            )
        mapped = cls(buffer, n_rows, watch=watch)
        if mmap:
            return mapped
        matrix = cls.empty(n_partitions, n_rows)
        mapped._copy_to(matrix._buffer)
        return matrix

    @staticmethod
    def is_elsewhere(folder: str | os.PathLike[str]) -> bool:
        """Tell whether a folder says how many labels there are, and holds none of them."""
        return _read_header(Path(folder) / HEADER_FILE).get("elsewhere") is True

    @classmethod
    def resume(cls, folder: str | os.PathLike[str]) -> LabelMatrix:
        """Open what is in a folder to write on in the same file."""
        found = cls.load(folder)
        path = Path(folder) / ARRAY_FILE
        buffer = np.lib.format.open_memmap(path, mode="r+")
        return cls(buffer, found.n_rows, Path(folder))


def _aligned(n_partitions: int, capacity: int) -> NDArray[np.uint8]:
    raw = np.empty(n_partitions * capacity + ALIGNMENT, dtype=np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + n_partitions * capacity].reshape(n_partitions, capacity)


def _create(path: Path, n_partitions: int, capacity: int) -> NDArray[np.uint8]:
    mapped: NDArray[np.uint8] = np.lib.format.open_memmap(
        path, mode="w+", dtype=np.uint8, shape=(n_partitions, capacity)
    )
    try:
        _claim(path)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            return mapped  # a file system that cannot tell
        path.unlink()
        raise LinkwiseError(
            f"there is no room for {mapped.size / 1e9:.3g} GB of labels in {path.parent}. Make "
            "some, or keep them elsewhere."
        ) from None
    return mapped


def _claim(path: Path) -> None:
    """Have the disk set aside all blocks of a file.

    Without them, a page of the mapped file that finds the disk full would end the process.
    """
    if hasattr(os, "posix_fallocate"):
        with open(path, "r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)


def _flush(buffer: NDArray[np.uint8]) -> None:
    if isinstance(buffer, np.memmap):
        buffer.flush()


def _read_header(path: Path) -> dict[str, Any]:
    header = FORMAT.read(path)
    for name in ("n_partitions", "n_rows"):
        if type(header.get(name)) is not int or header[name] < 0:
            raise InvalidInput(f"{path}: {name} is {short(header.get(name))}, not a count.")
    return header


def _open(path: Path) -> tuple[NDArray[np.uint8], HeldFile]:
    if not path.exists():
        raise MissingData(f"the labels are missing: there is no {path}.")
    watch = HeldFile(path)
    shape, by_column, dtype, offset = watch.header
    if dtype != np.uint8 or len(shape) != 2 or by_column or offset % ALIGNMENT:
        raise InvalidInput(f"{path} holds {dtype} of shape {shape}, not labels.")
    return watch.mapped(), watch
