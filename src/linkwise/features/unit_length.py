"""Rows of length one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def unit_length(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale every row to length one; rows of zeros stay zeros."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(length, np.finfo(rows.dtype).tiny), dtype=rows.dtype)
