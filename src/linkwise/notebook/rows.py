"""What people see of the rows of a model: fields, a text, or a picture."""

from __future__ import annotations

from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwise.errors import InvalidInput
from linkwise.files.frames import column_values, frame_columns, is_frame
from linkwise.session.data.display import encode_png

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

    RowData: TypeAlias = ArrayLike | Sequence[str] | IntoDataFrame
else:
    RowData = object

#: Fields of a row beyond these are not shown.
MOST_FIELDS = 200
#: Rows from which the values that are drawn black and white are taken.
_SAMPLE = 2_000

Seen = dict[str, Any]


class RowsSeen(ABC):
    """What is seen of each row."""

    @abstractmethod
    def see(self, row: int) -> Seen:
        """Return ``fields``, ``text`` and ``picture`` of a row, as far as it has them."""


class Numbers(RowsSeen):
    """Rows that are nothing but their number."""

    def see(self, row: int) -> Seen:  # noqa: ARG002
        """Return nothing."""
        return {}


class Fields(RowsSeen):
    """Rows of a table."""

    def __init__(self, columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> None:
        self._columns = dict(list(columns.items())[:MOST_FIELDS])

    def see(self, row: int) -> Seen:
        """Return a value for each column."""
        return {"fields": {name: _plain(values[row]) for name, values in self._columns.items()}}


class Texts(RowsSeen):
    """Rows that are texts."""

    def __init__(self, texts: Sequence[Any] | NDArray[Any]) -> None:
        self._texts = texts

    def see(self, row: int) -> Seen:
        """Return the text."""
        text = self._texts[row]
        return {"text": "" if text is None else str(text)}


class Pictures(RowsSeen):
    """Rows that are grey or coloured pictures."""

    def __init__(self, pixels: NDArray[Any]) -> None:
        self._pixels = pixels
        self._low, self._high = 0.0, 255.0
        if pixels.dtype != np.uint8:
            some = pixels[np.linspace(0, len(pixels) - 1, min(len(pixels), _SAMPLE)).astype(int)]
            self._low = min(0.0, float(np.min(some, initial=0.0)))
            self._high = max(float(np.max(some, initial=0.0)), self._low + 1e-9)

    def see(self, row: int) -> Seen:
        """Return the picture as an address that holds all of it."""
        share = (self._pixels[row].astype(np.float64) - self._low) / (self._high - self._low)
        png = encode_png(np.clip(np.rint(255 * share), 0, 255).astype(np.uint8))
        return {"picture": picture_address(png, "image/png")}


def rows_seen(data: RowData | None, n_rows: int) -> RowsSeen:
    """Return what is seen of ``n_rows`` rows."""
    if data is None:
        return Numbers()
    if is_frame(data):
        columns = {name: _column(values) for name, values in frame_columns(data).items()}
        _check_length(len(next(iter(columns.values()), ())), n_rows)
        return Fields(columns)
    values: Any = column_values(data)
    array = np.asarray(data if values is None else values)
    if array.ndim == 0:
        raise InvalidInput(
            "widget: data must be a data frame, an array, pictures or texts, "
            f"got {type(data).__name__}."
        )
    _check_length(len(array), n_rows)
    if array.ndim == 1 and array.dtype.kind in "OUS":
        return Texts(array)
    if array.ndim == 3 or (array.ndim == 4 and array.shape[3] in (1, 3)):
        return Pictures(array)
    if array.ndim <= 2:
        table = array.reshape(len(array), -1)
        return Fields({str(k): table[:, k] for k in range(min(table.shape[1], MOST_FIELDS))})
    raise InvalidInput(
        f"widget: data has shape {array.shape}. Pictures are (rows, height, width) or "
        "(rows, height, width, 3)."
    )


def picture_address(content: bytes, media_type: str) -> str:
    """Return an address that holds the picture itself."""
    return f"data:{media_type};base64,{b64encode(content).decode('ascii')}"


def _column(values: object) -> Sequence[Any] | NDArray[Any]:
    found = column_values(values)
    return np.asarray(values) if found is None else found


def _check_length(found: int, n_rows: int) -> None:
    if found != n_rows:
        raise InvalidInput(f"widget: data has {found} rows, the model has {n_rows}.")


def _plain(value: object) -> str | int | float | bool | None:
    """Return a value that JSON can hold."""
    found: object = value.item() if isinstance(value, np.generic) else value
    if found is None or isinstance(found, str | bool | int):
        return found
    if isinstance(found, float):
        return found if np.isfinite(found) else None
    return str(found)
