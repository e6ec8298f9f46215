"""From raw rows to the float32 tiles that are compared with centres.

A tile is a fixed number of rows, one per column, padded with zeros where rows run out. Matrix
products of different widths may differ in their last bits; products of one width do not, so
every row meets the centres in a tile of the same width, whatever block it was read with.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwise.ensemble.sources import Block
from linkwise.errors import InvalidInput

TILE = 256
PCA_FEATURES = 64
PCA_SIZE = 2000


class NotFinite(InvalidInput):
    """A prepared value is NaN or infinite; the caller finds out which and says so."""


@dataclass(frozen=True, eq=False)
class Preparation:
    """Centring, scaling and perhaps a projection, learned from a sample and applied to all rows.

    Values are centred in double precision before they are rounded to float32, so a large common
    offset costs nothing, and divided by a power of two near the size of the largest one, so that
    squares neither overflow nor vanish.
    """

    mean: NDArray[np.float64]
    scale: float
    components: NDArray[np.float32] | None = None

    @classmethod
    def fit(cls, rows: Block, *, project: bool = False) -> Preparation:
        """Learn from sampled rows; ``project`` keeps the 64 leading principal components."""
        with np.errstate(all="ignore"):  # what is not finite is reported by centred()
            mean = rows.mean(axis=0, dtype=np.float64)
            size = float(np.maximum(rows.max(axis=0) - mean, mean - rows.min(axis=0)).max())
        scale = 2.0 ** int(np.frexp(size)[1]) if 0 < size < np.inf else 1.0
        plain = cls(mean, scale)
        if not project or len(mean) <= PCA_FEATURES:
            return plain
        return cls(mean, scale, _leading_directions(plain.rows(rows)))

    @property
    def n_features(self) -> int:
        """Features after preparation."""
        return len(self.mean) if self.components is None else len(self.components)

    def tile(self, rows: Block) -> NDArray[np.float32]:
        """Return up to ``TILE`` rows as the columns of a (n_features, TILE) array."""
        tile = np.zeros((len(self.mean), TILE), dtype=np.float32)
        tile[:, : len(rows)] = self._centred(rows).T
        return tile if self.components is None else self.components @ tile

    def rows(self, rows: Block) -> NDArray[np.float32]:
        """Return any number of prepared rows, one per row."""
        prepared = np.empty((len(rows), self.n_features), dtype=np.float32)
        for start in range(0, len(rows), TILE):
            part = rows[start : start + TILE]
            if self.components is None:
                prepared[start : start + TILE] = self._centred(part)
            else:
                prepared[start : start + TILE] = self.tile(part)[:, : len(part)].T
        return prepared

    def _centred(self, rows: Block) -> NDArray[np.float32]:
        with np.errstate(over="ignore", invalid="ignore"):
            centred = ((rows - self.mean) / self.scale).astype(np.float32)
        if not np.isfinite(centred).all():
            raise NotFinite
        return centred


def _leading_directions(X: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return up to 64 leading principal directions of centred rows, one per row.

    Very wide tables are decomposed by the products of about 2000 rows instead of those of the
    features.
    """
    if X.shape[1] <= PCA_SIZE:
        _, vectors = np.linalg.eigh((X.T @ X).astype(np.float64))
        directions = vectors.T[: -PCA_FEATURES - 1 : -1]
    else:
        X = X[:: -(-len(X) // PCA_SIZE)]
        values, vectors = np.linalg.eigh((X @ X.T).astype(np.float64))
        kept = np.flatnonzero(values > 1e-6 * values[-1])[: -PCA_FEATURES - 1 : -1]
        directions = vectors.T[kept] @ X
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return np.ascontiguousarray(directions, dtype=np.float32)
