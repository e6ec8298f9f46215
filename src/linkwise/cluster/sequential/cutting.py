"""Groups of landmarks, cut in two, and two again, by where they lie."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwise.kernels.lloyd import lloyd

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: A piece of fewer landmarks is not cut any more.
_LEAST_SIZE = 8


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


def cut_in_pieces(coordinates: Floats, labels: Ints, n_pieces: int) -> Ints:
    """Cut the clusters until there are so many pieces, always the one that is spread most.

    Returns the piece of each landmark. Every piece is a part of one cluster.
    """
    _, piece = np.unique(labels, return_inverse=True)
    spread = [_spread(coordinates[piece == k]) for k in range(piece.max() + 1)]
    while len(spread) < n_pieces and max(spread) > 0.0:
        widest = int(np.argmax(spread))
        members = np.flatnonzero(piece == widest)
        half = cut_in_two(coordinates[members], np.zeros(len(members), dtype=np.int64), 1)
        spread[widest] = 0.0
        if half.any() and not half.all():
            piece[members[half]] = len(spread)
            spread[widest] = _spread(coordinates[members[~half]])
            spread.append(_spread(coordinates[members[half]]))
    return np.asarray(piece, dtype=np.int64)


def _spread(part: Floats) -> float:
    """Return the sum of squares around the middle, 0 for what is not to be cut."""
    return float(np.square(part - part.mean(axis=0)).sum()) if len(part) >= _LEAST_SIZE else 0.0
