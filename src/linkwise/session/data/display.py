"""Display: rows as people want to see them, with their text or picture."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.errors import InvalidInput, LinkwiseError, MissingData
from linkwise.session.data.file import Columns, DataFile
from linkwise.session.data.in_place import FolderRows
from linkwise.tables import read_row_names
from linkwise.tables.shown_rows import ArrayRows, Shown, ShownRows, open_rows

MAX_FIELDS = 200
MAX_IMAGE_BYTES = 20 << 20
#: What picture files begin with that every browser shows; after "RIFF" comes the length.
_SIGNATURES = {
    rb"\x89PNG\r\n\x1a\n": "image/png",
    rb"\xff\xd8\xff": "image/jpeg",
    rb"GIF8[79]a": "image/gif",
    rb"RIFF.{4}WEBP": "image/webp",
    rb"BM.{4}\x00{4}": "image/bmp",
}


@dataclass(frozen=True)
class Row:
    """One row for showing.

    ``fields`` are the values by column, text and picture left out; ``cluster`` and ``margin`` are
    those of the view it was shown with.
    """

    row: int
    id: str | int
    fields: dict[str, Shown]
    text: str | None
    has_image: bool
    cluster: int
    margin: float


class Display:
    """Reads single rows of the data file when they are asked for."""

    def __init__(
        self,
        data: DataFile,
        columns: Columns,
        n_rows: int,
        image_shape: tuple[int, ...] | None,
        pictures: Path | None = None,
    ) -> None:
        self._data, self._columns, self._n_rows = data, columns, n_rows
        self._shape = image_shape
        self._pictures = pictures or data.path.parent

    @property
    def n_rows(self) -> int:
        return self._n_rows

    @property
    def has_images(self) -> bool:
        return self._shape is not None or self._columns.image is not None

    @property
    def has_text(self) -> bool:
        return self._columns.text is not None

    @cached_property
    def _rows(self) -> ShownRows:
        with self._reading():
            if self._data.path.is_dir():
                return FolderRows(self._data.path)
            return open_rows(self._data.path, self._columns.array, self._columns.encoding)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Refuse a data file that is not the one the session was made of, before and after.

        Its length is looked at first: touching a mapped page that is gone would end the process.
        """
        self._data.check_length()
        try:
            yield
        except LinkwiseError:
            raise
        except Exception:  # what a file that changes under a reader makes it raise is past listing
            self._data.check()
            raise

    @cached_property
    def ids(self) -> list[Any] | None:
        """What the data calls its rows, None where it goes by number."""
        if self._columns.id is None:
            return None
        columns = self._columns
        with self._reading():
            if isinstance(self._rows, FolderRows):
                return self._rows.names(str(columns.id))
            return read_row_names(self._data.path, columns.id, columns.array, columns.encoding)[1]

    @property
    def names(self) -> list[str]:
        """The columns of the file."""
        return self._rows.columns

    def check(self, row: int) -> int:
        """Return the row if there is one."""
        if not 0 <= row < self._n_rows:
            raise InvalidInput(
                f"row {row} is outside the {self._n_rows} rows (0 to {self._n_rows - 1})."
            )
        return row

    def read(
        self, rows: Sequence[int], labels: NDArray[Any], margins: NDArray[np.float32]
    ) -> list[Row]:
        """Return some rows for showing."""
        rows = [self.check(int(row)) for row in rows]
        with self._reading():
            found = self._rows.read(rows)
        return [
            self._row(row, values, labels, margins) for row, values in zip(rows, found, strict=True)
        ]

    def values(self, rows: Sequence[int]) -> list[dict[str, Shown]]:
        """Return rows of the data as they are; those of arrays of pictures have no values."""
        if self._shape is not None:
            return [{} for _ in rows]
        with self._reading():
            return self._rows.read([self.check(int(row)) for row in rows])

    def _row(
        self, row: int, values: dict[str, Shown], labels: NDArray[Any], margins: NDArray[Any]
    ) -> Row:
        columns = self._columns
        text = values.pop(columns.text, None) if columns.text else None
        picture = values.pop(columns.image, None) if columns.image else None
        name: Any = row
        if columns.id is not None:
            name = values.get(columns.id) if columns.id in values else (self.ids or [])[row]
        return Row(
            row=row,
            id=name,
            fields=dict(list(values.items())[:MAX_FIELDS]) if self._shape is None else {},
            text=None if text is None else str(text),
            has_image=bool(picture) or self._shape is not None,
            cluster=int(labels[row]),
            margin=float(margins[row]),
        )

    def image(self, row: int) -> tuple[bytes, str]:
        """Return the picture of a row and its media type."""
        self.check(row)
        if self._shape is not None:
            with self._reading():
                pixels = self._pixels(row)
            return encode_png(pixels), "image/png"
        if self._columns.image is None:
            raise MissingData("the rows of this session have no pictures.")
        with self._reading():
            values = self._rows.read([row])[0]
        return read_image(self._pictures, str(values[self._columns.image] or "").strip())

    def _pixels(self, row: int) -> NDArray[np.uint8]:
        assert isinstance(self._rows, ArrayRows)
        assert self._shape is not None
        low, high = self._range
        values = self._rows.values(row).astype(np.float64).reshape(self._shape)
        scaled = (values - low) * (255.0 / (high - low))
        return np.clip(np.rint(scaled), 0, 255).astype(np.uint8)

    @cached_property
    def _range(self) -> tuple[float, float]:
        """The values drawn black and white: bytes as they are, others from a sample of rows."""
        assert isinstance(self._rows, ArrayRows)
        array: Any = self._rows.array
        if array.dtype == np.uint8:
            return 0.0, 255.0
        some = array[np.linspace(0, self._n_rows - 1, min(self._n_rows, 2_000)).astype(np.int64)]
        some = some.data if sp.issparse(some) else some
        low, high = min(0.0, float(np.min(some, initial=0.0))), float(np.max(some, initial=0.0))
        return (low, high) if high > low else (low, low + 1.0)


def read_image(folder: Path, name: str) -> tuple[bytes, str]:
    """Return a picture file below ``folder``; nothing outside can be reached."""
    home = folder.resolve()
    path = (home / name).resolve() if name and "\x00" not in name else home
    if not path.is_relative_to(home) or path == home:
        raise InvalidInput(f"the picture {name!r} is not inside the folder of the data.")
    if not path.is_file():
        raise MissingData(f"the picture {name!r} is not there.")
    if path.stat().st_size > MAX_IMAGE_BYTES:
        raise InvalidInput(f"the picture {name!r} is larger than {MAX_IMAGE_BYTES >> 20} MB.")
    content = path.read_bytes()
    for signature, media_type in _SIGNATURES.items():
        if re.match(signature, content, re.DOTALL):
            return content, media_type
    raise InvalidInput(f"the picture {name!r} is not a PNG, JPEG, GIF, WebP or BMP file.")


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a grey (h, w) or (h, w, 1) or coloured (h, w, 3) picture as a PNG file."""
    colour = pixels.ndim == 3 and pixels.shape[2] == 3
    height, width = pixels.shape[:2]
    lines = pixels.reshape(height, -1)
    raw = np.column_stack([np.zeros(height, dtype=np.uint8), lines]).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if colour else 0, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(raw, 6)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
