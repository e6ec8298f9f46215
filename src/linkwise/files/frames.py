"""Data frames and their columns, of pandas, polars, pyarrow and others: one door, narwhals."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from linkwise.errors import InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa
    from narwhals.typing import IntoDataFrame


def is_frame(data: object) -> TypeGuard[IntoDataFrame]:
    """Tell whether something is a data frame of any kind."""
    if isinstance(data, np.ndarray | list | tuple):
        return False
    import narwhals as nw

    return isinstance(nw.from_native(data, eager_only=True, pass_through=True), nw.DataFrame)


def frame_columns(frame: IntoDataFrame) -> dict[str, Any]:
    """Return the columns of a data frame by their names, which are text from now on."""
    import narwhals as nw
    from narwhals.exceptions import NarwhalsError

    try:
        opened = nw.from_native(frame, eager_only=True)
        return {str(name): opened.get_column(name).to_native() for name in opened.columns}
    except TypeError:
        kind = type(frame).__name__
        if isinstance(nw.from_native(frame, pass_through=True), nw.LazyFrame):
            raise InvalidInput(
                f"expected a data frame that is all there, got {kind}. Call collect() first."
            ) from None
        raise InvalidInput(
            f"expected a data frame, such as one of pandas, polars or pyarrow, got {kind}."
        ) from None
    except NarwhalsError as error:
        raise InvalidInput(f"the data frame cannot be read: {error}") from None


def arrow_column(name: str, values: object) -> pa.Array | pa.ChunkedArray:
    """Return a native column of a data frame as one of pyarrow."""
    import pyarrow as pa

    if isinstance(values, pa.ChunkedArray):
        return values
    try:
        return values.to_arrow() if hasattr(values, "to_arrow") else pa.array(values)
    except (pa.ArrowException, TypeError, OverflowError) as error:
        raise InvalidInput(f'column "{name}" cannot be stored: {error}') from error


def arrow_table(frame: IntoDataFrame) -> pa.Table:
    """Return a data frame as a table of pyarrow, without its index."""
    import pyarrow as pa

    columns = frame_columns(frame)
    return pa.table({name: arrow_column(name, values) for name, values in columns.items()})


def column_values(values: Any) -> Any:
    """Return a column of a data frame as an array of numbers or a list; None if it is no column.

    Numbers without gaps become an array. In all else a gap is None.
    """
    if isinstance(values, np.ndarray | list | tuple | str | bytes | dict | set):
        return None
    import narwhals as nw

    if hasattr(values, "to_pylist") and not hasattr(values, "chunks"):  # pyarrow's plain array
        return values.to_pylist() if not hasattr(values, "column_names") else None
    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return None
    wide = nw.Decimal, nw.Int128, nw.UInt128  # which NumPy has not
    plain = series.dtype.is_numeric() and not isinstance(series.dtype, wide)
    if plain and not series.null_count():
        return series.to_numpy()
    return [None if gap else value for gap, value in zip(series.is_null(), series, strict=True)]


def refuse_what_is_no_number(frame: IntoDataFrame) -> None:
    """Refuse the first column of a data frame that has gaps or holds more than numbers."""
    for name, values in frame_columns(frame).items():
        try:
            numbers = np.asarray(column_values(values), dtype=np.float64)
            found = "has gaps" if np.isnan(numbers).any() else ""
        except (TypeError, ValueError):
            found = "holds more than numbers"
        if found:
            raise InvalidInput(
                f'the column "{name}" of X {found}. features.TableFeatures().fit_transform(X) '
                "makes rows of numbers of any table."
            )


def make_frame(columns: dict[str, list[Any]], backend: str | None) -> Any:
    """Return columns as a data frame of ``backend``; None is pandas, without it pyarrow."""
    import narwhals as nw

    kind: Any = backend or ("pandas" if find_spec("pandas") else "pyarrow")
    if kind not in ("pandas", "polars", "pyarrow"):
        raise InvalidInput(f"backend is {backend!r}, expected 'pandas', 'polars' or 'pyarrow'.")
    try:
        return nw.from_dict(columns, backend=kind).to_native()
    except ModuleNotFoundError:
        raise InvalidInput(f"{kind} is not installed: pip install {kind}") from None
