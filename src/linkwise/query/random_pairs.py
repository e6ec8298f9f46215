"""Questions drawn at random: the yardstick for every strategy."""

from __future__ import annotations

import numpy as np

from linkwise.query.situation import Pairs, Situation, as_pairs


def random_pairs(situation: Situation, n: int) -> Pairs:
    """Draw pairs of landmarks whose answer is not known; others with every answer given."""
    rng = np.random.default_rng([situation.links.n_links, 0])
    drawn = np.sort(rng.integers(situation.n_landmarks, size=(20 * n, 2)), axis=1)
    chosen: dict[tuple[int, int], None] = {}
    for a, b in drawn.tolist():
        if a != b and not situation.known(a, b):
            chosen[a, b] = None
        if len(chosen) == n:
            break
    return as_pairs(list(chosen))
