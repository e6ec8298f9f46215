"""Histograms of oriented gradients (HOG): where in a picture edges run in which direction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Pixels of a cell's side, directions told apart, cells of a block's side.
CELL, N_DIRECTIONS, BLOCK = 8, 9, 2


def n_edge_features(side: int) -> int:
    """Return how many numbers :func:`edges` gives for square pictures."""
    return (side // CELL - BLOCK + 1) ** 2 * BLOCK**2 * N_DIRECTIONS


def edges(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the edges of pictures, (n, side, side, 3) bytes in, (n, n_features) numbers out.

    The gradient of a pixel is that of its strongest colour. Its length is added to one of nine
    directions of its cell of 8 x 8 pixels, and every block of 2 x 2 cells is scaled to length one,
    so that faint edges count as much as strong ones (Dalal and Triggs, 2005).
    """
    colours = pictures.astype(np.float32)
    down, right = np.zeros_like(colours), np.zeros_like(colours)
    down[:, 1:-1] = colours[:, 2:] - colours[:, :-2]
    right[:, :, 1:-1] = colours[:, :, 2:] - colours[:, :, :-2]
    length = np.hypot(down, right)
    strongest = length.argmax(axis=-1)[..., None]
    down, right, length = (
        np.take_along_axis(part, strongest, axis=-1)[..., 0] for part in (down, right, length)
    )
    angle = np.rad2deg(np.arctan2(down, right)) % 180
    direction = np.minimum(angle * (N_DIRECTIONS / 180), N_DIRECTIONS - 1).astype(np.int64)
    return _blocks(_cells(direction, length))


def _cells(direction: NDArray[np.int64], length: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the total length per direction of every cell, (n, rows, columns, directions)."""
    n, side, _ = length.shape
    n_cells = side // CELL
    cut = np.s_[:, : n_cells * CELL, : n_cells * CELL]
    shape = n, n_cells, CELL, n_cells, CELL
    cells = np.empty((n, n_cells, n_cells, N_DIRECTIONS), dtype=np.float32)
    for k in range(N_DIRECTIONS):
        part = np.where(direction[cut] == k, length[cut], np.float32(0))
        cells[..., k] = part.reshape(shape).sum(axis=(2, 4))
    return cells


def _blocks(cells: NDArray[Any]) -> NDArray[np.float32]:
    """Return overlapping blocks of cells, each of length one."""
    n, n_cells = cells.shape[:2]
    n_blocks = n_cells - BLOCK + 1
    blocks = np.stack(
        [
            cells[:, row : row + BLOCK, column : column + BLOCK].reshape(n, -1)
            for row in range(n_blocks)
            for column in range(n_blocks)
        ],
        axis=1,
    )
    size = np.linalg.norm(blocks, axis=2, keepdims=True)
    return np.asarray(blocks / np.maximum(size, 1e-3)).reshape(n, -1)
