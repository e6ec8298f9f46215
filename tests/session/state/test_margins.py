"""Margins of splits that are kept are those that would be computed."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linkwise.ensemble import LabelMatrix
from linkwise.session.events.kinds import KINDS
from linkwise.session.state import margins
from linkwise.session.state.margins import SplitMemory
from linkwise.session.state.structure import Change, split_margins

N_ROWS = 300


@pytest.mark.parametrize(("most_bytes", "many"), [(2**20, 1000), (500, 1000), (2**20, 20)])
def test_any_rows_in_any_order_have_their_own_margins(monkeypatch, most_bytes, many):
    monkeypatch.setattr(margins, "MOST_BYTES", most_bytes)
    monkeypatch.setattr(margins, "MANY_ROWS", many)
    rng = np.random.default_rng(0)
    matrix = LabelMatrix.empty(7, N_ROWS)
    matrix.write(0, rng.integers(9, size=(7, N_ROWS)))
    memory, splits = SplitMemory(), []
    for seq in range(1, 5):
        halves = [rng.choice(N_ROWS, 10, replace=False).tolist() for _ in range(2)]
        named = None if seq % 2 else halves[1][:3]
        payload = {"cluster": 0, "new": 3, "halves": halves, "rows": named}
        splits.append(Change(seq, KINDS["split"].effect, payload))
    every = [split_margins(split, matrix) for split in splits]
    for _ in range(60):
        k = int(rng.integers(4))
        rows = np.flatnonzero(rng.random(N_ROWS) < rng.choice([0.0, 0.02, 0.4]))
        assert_array_equal(memory.of(splits[k], matrix, rows), every[k][rows])
        kept = sum(one.n_bytes for one in memory._kept.values())
        assert memory._n_bytes == kept
        assert kept <= most_bytes or len(memory._kept) == 1
