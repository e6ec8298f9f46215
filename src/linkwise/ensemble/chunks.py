"""Rows of Dask arrays and data frames, computed a chunk at a time.

Dask is not needed for that: whatever has its protocol (``__dask_graph__`` and ``compute``) and the
few members that are used here will do.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import InvalidInput

#: What Dask hands out has no types.
Collection: TypeAlias = Any


def is_chunked(X: object) -> bool:
    """Tell whether something is a Dask array or data frame, without loading Dask."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "compute")


class ChunkedRows:
    """Rows of a Dask array or data frame, in order; every column must be numeric.

    It can be sent to another process, which computes the chunks it reads by itself. Chunks should
    fit in memory: the one that was read last is kept.
    """

    def __init__(self, X: Collection) -> None:
        if hasattr(X, "npartitions") and hasattr(X, "columns"):
            self._chunks = [X.partitions[k] for k in range(X.npartitions)]
            counts = [int(n) for n in X.map_partitions(len).compute()]
            self.n_features = len(X.columns)
        elif getattr(X, "ndim", None) == 2 and hasattr(X, "chunks"):
            X = _known(X)
            counts = [int(n) for n in X.chunks[0]]
            bounds = np.concatenate([[0], np.cumsum(counts)]).tolist()
            self._chunks = [X[a:b] for a, b in pairwise(bounds)]
            self.n_features = int(X.shape[1])
        else:
            raise InvalidInput(
                f"a Dask {type(X).__name__} of {getattr(X, 'ndim', '?')} dimensions is no table: "
                "give an array of 2 dimensions, one row per sample, or a data frame."
            )
        self._starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        self.n_rows = int(self._starts[-1])
        self._kept: tuple[int, NDArray[Any]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_kept": None}

    def read(self, start: int, stop: int) -> NDArray[Any]:
        parts = []
        k = int(np.searchsorted(self._starts, start, side="right")) - 1
        while start < stop:
            first, until = int(self._starts[k]), min(stop, int(self._starts[k + 1]))
            if start < until:
                parts.append(self._chunk(k)[start - first : until - first])
            start, k = until, k + 1
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _chunk(self, k: int) -> NDArray[Any]:
        kept = self._kept
        if kept is None or kept[0] != k:
            kept = k, np.asarray(self._chunks[k].compute())
            self._kept = kept
        return kept[1]


def _known(X: Collection) -> Collection:
    """Let an array find out how long its chunks are, where it does not know."""
    return X.compute_chunk_sizes() if np.isnan(X.chunks[0]).any() else X
