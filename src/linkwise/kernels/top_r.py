"""The r nearest of many points: a quick scan that may be off by rounding, then an exact look."""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit


@njit()
def smallest(products, half_norms, found):  # type: ignore[no-untyped-def]
    """Write to row ``i`` of ``found`` where ``half_norms - products[i]`` is smallest.

    ``products`` is (n_rows, n_points), ``half_norms`` (n_points,); ``found`` (n_rows, r), int32,
    receives r positions, smallest value first. The lower position wins a tie.
    """
    n_rows, n_points = products.shape
    r = found.shape[1]
    values = np.empty(r, dtype=products.dtype)
    for i in range(n_rows):
        values[:] = np.inf
        found[i] = np.arange(r)  # valid positions even where nothing compares
        for j in range(n_points):
            value = half_norms[j] - products[i, j]
            if value < values[r - 1]:
                place = r - 1
                while place > 0 and value < values[place - 1]:
                    values[place] = values[place - 1]
                    found[i, place] = found[i, place - 1]
                    place -= 1
                values[place] = value
                found[i, place] = j


@njit(fastmath={"reassoc", "contract"})
def keep_nearest(X, points, candidates, index, squared):  # type: ignore[no-untyped-def]
    """Of the ``candidates`` of each row of ``X`` keep the nearest, by exact distance.

    ``candidates`` (n_rows, c) are positions in ``points``; they are sorted in place. The r nearest
    go to ``index`` (n_rows, r) and their squared distances to ``squared``, nearest first. The lower
    position wins a tie.
    """
    distance = np.empty(candidates.shape[1])
    for i in range(len(X)):
        for c in range(candidates.shape[1]):
            distance[c] = _squared_distance(X[i], points[candidates[i, c]])
        _keep(candidates[i], distance, index[i], squared[i])


@njit(fastmath={"reassoc", "contract"})
def keep_nearest_sparse(  # type: ignore[no-untyped-def]
    indptr, indices, data, points, candidates, index, squared
):
    """Do as :func:`keep_nearest`, for rows given in CSR form."""
    distance = np.empty(candidates.shape[1])
    row = np.zeros(points.shape[1], dtype=data.dtype)
    for i in range(len(candidates)):
        for e in range(indptr[i], indptr[i + 1]):
            row[indices[e]] = data[e]
        for c in range(candidates.shape[1]):
            distance[c] = _squared_distance(row, points[candidates[i, c]])
        for e in range(indptr[i], indptr[i + 1]):
            row[indices[e]] = 0
        _keep(candidates[i], distance, index[i], squared[i])


@njit(fastmath={"reassoc", "contract"})
def _squared_distance(x, point):  # type: ignore[no-untyped-def]
    total = 0.0
    for f in range(len(x)):
        step = np.float64(x[f]) - np.float64(point[f])
        total += step * step
    return total


@njit()
def _keep(candidates, distance, index, squared):  # type: ignore[no-untyped-def]
    """Sort the candidates by distance, then position, and write the first ones."""
    for c in range(1, len(distance)):
        value, position = distance[c], candidates[c]
        place = c
        while place > 0 and (
            value < distance[place - 1]
            or (value == distance[place - 1] and position < candidates[place - 1])
        ):
            distance[place] = distance[place - 1]
            candidates[place] = candidates[place - 1]
            place -= 1
        distance[place] = value
        candidates[place] = position
    for c in range(len(index)):
        index[c] = candidates[c]
        squared[c] = distance[c]
