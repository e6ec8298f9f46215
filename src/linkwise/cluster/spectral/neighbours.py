"""The nearest of some points, for every row.

One matrix product in float32 per block of rows ranks the points; a few more candidates than
needed are then measured exactly, so that rounding decides neither the order nor the distances.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.kernels.top_r import keep_nearest, keep_nearest_sparse, smallest
from linkwise.typing import Matrix, is_csr

#: Candidates measured exactly beyond the ones asked for.
SPARE = 2
#: Values in one block of products: 4 MB of float32.
BLOCK = 1 << 20


def length_unit(X: Matrix) -> float:
    """Return the largest range of a feature; 1 when all rows are the same.

    Dividing by it first makes everything that follows independent of the scale of the data, to
    the last bit where rescaling is exact.
    """
    high, low = X.max(axis=0), X.min(axis=0)
    widest = float((high - low).max())
    return widest if widest > 0 else 1.0


def in_units(X: Matrix, unit: float) -> NDArray[Any]:
    """Return the rows divided by ``unit``, dense."""
    rows = X.toarray() if is_csr(X) else np.asarray(X)
    return rows / unit


def nearest(
    X: Matrix, points: NDArray[Any], r: int, unit: float = 1.0
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the ``r`` nearest ``points`` of every row of ``X / unit``, nearest first.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n_samples, n_features)
    points : ndarray of shape (n_points, n_features)
        In multiples of ``unit``.
    r : int
        At most ``n_points``.
    unit : float, default=1.0
        What the rows are divided by, a block at a time.

    Returns
    -------
    index : ndarray of shape (n_samples, r)
        Positions in ``points``.
    squared : ndarray of shape (n_samples, r)
        Squared distances, in multiples of ``unit`` squared.
    """
    n = X.shape[0]
    center = points.mean(axis=0)
    small = (points - center).astype(np.float32)
    half_norms = 0.5 * np.square(small).sum(axis=1)
    index = np.empty((n, r), dtype=np.int32)
    squared = np.empty((n, r))
    step = max(BLOCK // len(points), 64)
    for start in range(0, n, step):
        here = slice(start, start + step)
        block = X[here] / unit
        candidates = np.empty((block.shape[0], min(r + SPARE, len(points))), dtype=np.int32)
        smallest(_products(block, small, center), half_norms, candidates)
        if is_csr(block):
            rows = (block.indptr, block.indices, block.data)
            keep_nearest_sparse(*rows, points, candidates, index[here], squared[here])
        else:
            keep_nearest(block, points, candidates, index[here], squared[here])
    return index, squared


def _products(
    block: Matrix, small: NDArray[np.float32], center: NDArray[Any]
) -> NDArray[np.float32]:
    """Return the products of the centred rows with the centred points."""
    if is_csr(block):  # stays sparse: the centre is taken off the products instead
        wide = small.T.astype(np.float64)
        return np.asarray(block @ wide - center @ wide, dtype=np.float32)
    return np.asarray((block - center).astype(np.float32) @ small.T)
