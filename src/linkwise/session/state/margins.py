"""How far rows lean to either half of a split: kept from one view to the next."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise.ensemble import LabelMatrix
from linkwise.session.state.structure import Change, split_margins

Ints = NDArray[np.int64]

#: Memory for what is kept; the splits used longest ago are forgotten first.
MOST_BYTES = 128 * 2**20
#: Of more rows than this it is cheaper to judge all.
MANY_ROWS = 50_000


class _Kept(NamedTuple):
    """Rows, increasing, and their margins; None are all rows."""

    rows: Ints | None
    margins: NDArray[np.float32]

    @property
    def n_bytes(self) -> int:
        return self.margins.nbytes + (0 if self.rows is None else self.rows.nbytes)


_NOTHING = _Kept(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))


class SplitMemory:
    """The margins of splits that were asked for; a row is judged by itself, so any can be kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, int], _Kept] = OrderedDict()
        self._n_bytes = 0

    def of(self, split: Change, matrix: LabelMatrix, rows: Ints) -> NDArray[np.float32]:
        """Return how much more each of ``rows``, increasing, shares with the second half."""
        key = split.seq, matrix.n_rows
        kept = self._kept.pop(key, _NOTHING)
        self._n_bytes -= kept.n_bytes
        if kept.rows is not None:
            kept = _completed(kept, split, matrix, rows)
        self._kept[key] = kept
        self._n_bytes += kept.n_bytes
        while self._n_bytes > MOST_BYTES and len(self._kept) > 1:
            self._n_bytes -= self._kept.popitem(last=False)[1].n_bytes
        at = rows if kept.rows is None else np.searchsorted(kept.rows, rows)
        return kept.margins[at]


def _completed(kept: _Kept, split: Change, matrix: LabelMatrix, rows: Ints) -> _Kept:
    """Return what is kept and the margins of ``rows``."""
    assert kept.rows is not None
    new = np.setdiff1d(rows, kept.rows, assume_unique=True)
    if len(new) == 0:
        return kept
    if len(new) > MANY_ROWS:
        return _Kept(None, split_margins(split, matrix))
    known = np.append(kept.rows, new)
    margins = np.append(kept.margins, split_margins(split, matrix, new))
    order = np.argsort(known, kind="stable")
    return _Kept(known[order], margins[order])
