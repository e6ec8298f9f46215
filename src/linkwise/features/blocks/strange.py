"""Values that are not what their column is, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwise.features.columns import shown

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


def strange_values(column: pa.ChunkedArray, strange: NDArray[np.bool_], kind: str) -> str:
    """Say how many values are no number, or no date, and show the first.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column = pa.chunked_array([["3", "on request", "4"]])
    >>> strange_values(column, np.array([False, True, False]), "number")
    '1 of its values, "on request", is no number'
    """
    first, count = shown(column[int(np.argmax(strange))].as_py()), int(strange.sum())
    if count == 1:
        return f"1 of its values, {first}, is no {kind}"
    return f"{count} of its values, such as {first}, are no {kind}s"


def no_such_value(column: pa.ChunkedArray) -> str:
    """Say of a column in which nothing is what it should be what is there instead."""
    there = column.drop_null()
    return f"values such as {shown(there[0].as_py())} are none" if len(there) else "it is empty"
