"""From raw rows to the float32 tiles that are compared with centres.

A tile is a fixed number of rows, one per column, padded with zeros where rows run out. Matrix
products of different widths may differ in their last bits; products of one width do not, so
every row meets the centres in a tile of the same width, whatever block it was read with.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.ensemble.sources import Block, RowSource, SparseSource
from linkwise.errors import InvalidInput

TILE = 256
PCA_FEATURES = 64
PCA_SIZE = 2000
#: Singular directions that stand for the many features of sparse rows.
SPARSE_FEATURES = 100


class NotFinite(InvalidInput):
    """A prepared value is NaN or infinite; the caller finds out which and says so."""


@dataclass(frozen=True, eq=False)
class Preparation:
    """Centring, scaling and perhaps a projection, learned from a sample and applied to all rows.

    Values are centred in double precision before they are rounded to float32, so a large common
    offset costs nothing, and divided by a power of two near the size of the largest one, so that
    squares neither overflow nor vanish.

    Sparse rows of more than 100 features, which are counts of words more often than not, are not
    centred but turned into 100 singular directions and scaled to length one (``unit``): a text
    twice as long is about the same thing, and single words say next to nothing.

    Rows of length one, as texts have then, are directions. Where most of their variance lies beyond
    as many leading ones as there are clusters, it is noise to a partition, and only these are kept.
    """

    mean: NDArray[np.float64]
    scale: float
    components: NDArray[np.float32] | None = None
    unit: bool = False

    @classmethod
    def fit(cls, rows: Block, *, project: bool = False, n_directions: int = 0) -> Preparation:
        """Learn from sampled rows; ``project`` keeps the 64 leading principal components.

        Of rows of length one ``n_directions`` are kept where most of the variance lies beyond them;
        0 keeps all.
        """
        with np.errstate(all="ignore"):  # what is not finite is reported by centred()
            mean = rows.mean(axis=0, dtype=np.float64)
            size = float(np.maximum(rows.max(axis=0) - mean, mean - rows.min(axis=0)).max())
        scale = 2.0 ** int(np.frexp(size)[1]) if 0 < size < np.inf else 1.0
        plain = cls(mean, scale)
        if n_directions and _are_directions(rows):
            directions = _few_directions(rows / scale, n_directions, seed=0)
            if directions is not None:
                return cls(np.zeros(len(mean)), scale, directions, unit=True)
        if not project or len(mean) <= PCA_FEATURES:
            return plain
        return cls(mean, scale, _leading_directions(plain.rows(rows)))

    @classmethod
    def fit_sparse(cls, rows: sp.csr_array, seed: int, *, n_directions: int = 0) -> Preparation:
        """Learn the leading singular directions of sparse rows; see :meth:`fit`."""
        n_features = rows.shape[1]
        size = float(abs(rows).max()) if rows.nnz else 0.0
        if not np.isfinite(size):
            raise NotFinite
        scale = 2.0 ** int(np.frexp(size)[1]) if size > 0 else 1.0
        svd = _singular(rows / scale, SPARSE_FEATURES, seed)
        components = svd.components_.astype(np.float32)
        placed = cls(np.zeros(n_features), scale, components, unit=True)
        directions = _few_directions(placed.rows(rows), n_directions, seed)
        if directions is None:
            return placed
        return cls(np.zeros(n_features), scale, directions @ components, unit=True)

    @property
    def n_features(self) -> int:
        """Features after preparation."""
        return len(self.mean) if self.components is None else len(self.components)

    def tile(self, rows: Block) -> NDArray[np.float32]:
        """Return up to ``TILE`` rows as the columns of a (n_features, TILE) array."""
        if self.unit:
            placed = np.zeros((self.n_features, TILE), dtype=np.float32)
            placed[:, : rows.shape[0]] = self._placed(rows).T
            return placed
        tile = np.zeros((len(self.mean), TILE), dtype=np.float32)
        tile[:, : len(rows)] = self._centred(rows).T
        return tile if self.components is None else self.components @ tile

    def rows(self, rows: Block) -> NDArray[np.float32]:
        """Return any number of prepared rows, one per row."""
        if self.unit:
            return self._placed(rows)
        prepared = np.empty((len(rows), self.n_features), dtype=np.float32)
        for start in range(0, len(rows), TILE):
            part = rows[start : start + TILE]
            if self.components is None:
                prepared[start : start + TILE] = self._centred(part)
            else:
                prepared[start : start + TILE] = self.tile(part)[:, : len(part)].T
        return prepared

    @cached_property
    def _directions(self) -> NDArray[np.float32]:
        assert self.components is not None
        return np.ascontiguousarray(self.components.T)

    def _placed(self, rows: Block | sp.csr_array) -> NDArray[np.float32]:
        """Return rows along the singular directions, of length one."""
        with np.errstate(over="ignore", invalid="ignore"):
            placed = (sp.csr_array(rows) / self.scale).astype(np.float32) @ self._directions
        if not np.isfinite(placed).all():
            raise NotFinite
        length = np.linalg.norm(placed, axis=1, keepdims=True)
        return np.asarray(placed / np.maximum(length, np.finfo(np.float32).tiny))

    def _centred(self, rows: Block) -> NDArray[np.float32]:
        with np.errstate(over="ignore", invalid="ignore"):
            exact = rows - self.mean
            exact /= self.scale
            centred: NDArray[np.float32] = exact.astype(np.float32)
        if not np.isfinite(centred).all():
            raise NotFinite
        return centred


def is_wide_sparse(source: RowSource) -> TypeGuard[SparseSource]:
    """Tell whether rows are sparse and of so many features that directions stand for them."""
    if not isinstance(source, SparseSource):
        return False
    return min(source.n_features, source.n_rows) > SPARSE_FEATURES


def _are_directions(rows: Block) -> bool:
    """Tell whether all rows have one length; rows of zeros, such as empty texts, may be there."""
    some = _lengths(rows[:TILE])
    if len(some) and np.ptp(some) > 2e-3 * some.max():
        return False  # whatever the others are: a few rows are enough to know most tables by
    length = _lengths(rows)
    return len(length) > 1 and bool(np.ptp(length) <= 1e-3 * length.mean())


def _lengths(rows: Block) -> NDArray[np.float64]:
    """Return the lengths of rows that are not all zeros."""
    with np.errstate(all="ignore"):
        length = np.linalg.norm(np.asarray(rows, dtype=np.float64), axis=1)
    return np.asarray(length[length != 0])


def _few_directions(rows: Block, n_directions: int, seed: int) -> NDArray[np.float32] | None:
    """Return so many leading singular directions if they hold less than half of the variance."""
    variance = float(rows.var(axis=0, dtype=np.float64).sum())
    if not 0 < n_directions < min(rows.shape) or variance <= 1e-12:
        return None
    svd = _singular(rows, n_directions, seed)
    if svd.explained_variance_.sum() >= variance / 2:
        return None
    return np.asarray(svd.components_, dtype=np.float32)


def _singular(rows: Block | sp.csr_array, n_directions: int, seed: int) -> Any:
    """Return the leading singular directions of rows, as scikit-learn finds them."""
    from sklearn.decomposition import TruncatedSVD  # workers of a cluster do without

    return TruncatedSVD(n_directions, random_state=seed).fit(rows)


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
