"""Groups of landmarks, cut in two by where they lie."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwise.kernels.lloyd import lloyd

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def cut_in_two(coordinates: Floats, labels: Ints, n_clusters: int) -> NDArray[np.bool_]:
    """Tell for each landmark in which half of its cluster it is: 2-means along the main axis."""
    half = np.zeros(len(labels), dtype=bool)
    for c in range(n_clusters):
        members = np.flatnonzero(labels == c)
        if len(members) < 4:
            continue
        around = np.ascontiguousarray(coordinates[members] - coordinates[members].mean(axis=0))
        axis = around[np.square(around).sum(axis=1).argmax()]
        for _ in range(15):  # power iteration
            axis = around.T @ (around @ axis)
            axis = axis / max(float(np.linalg.norm(axis)), np.finfo(float).tiny)
        side = (around @ axis > 0).astype(np.int64)
        if 0 < side.sum() < len(members):
            side, _ = lloyd(around, side, 2, 20)
        half[members] = side > 0
    return half
