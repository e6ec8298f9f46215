"""Types that many signatures share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import EllipsisType
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

#: Rows as an estimator computes with them: float32 or float64, one row per sample.
Dense: TypeAlias = NDArray[np.floating[Any]]
#: The same, or in CSR form.
Matrix: TypeAlias = Dense | sp.csr_array | sp.csr_matrix
#: Rows as people give them: lists, arrays, data frames, sparse matrices of any format.
MatrixLike: TypeAlias = ArrayLike | sp.sparray | sp.spmatrix

#: One label per row as people give it; a list may hold None where nobody knows.
LabelsLike: TypeAlias = ArrayLike | Sequence[object]
#: Pairs of rows as people give them: by number, or by id where the ids are given too.
PairsLike: TypeAlias = ArrayLike | Iterable[Iterable[int | str]]
#: Some of the rows: a mask, whole numbers, a slice, or ``(rows, ...)`` as scikit-learn slices.
RowsLike: TypeAlias = ArrayLike | slice | EllipsisType | tuple[Any, ...]

#: What scikit-learn makes a RandomState of.
Seed: TypeAlias = int | np.integer[Any] | np.random.RandomState | None
#: The same, and NumPy's newer generators.
AnySeed: TypeAlias = Seed | np.random.Generator


def is_csr(X: object) -> TypeGuard[sp.csr_array]:
    """Tell rows in CSR form from dense ones, for type checkers too."""
    return bool(sp.issparse(X))
