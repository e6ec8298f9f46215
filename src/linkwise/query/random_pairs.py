"""Questions drawn at random: the yardstick for every strategy."""

from __future__ import annotations

import numpy as np

from linkwise.query.situation import Pairs, Situation, as_pairs


def random_pairs(situation: Situation, n: int) -> Pairs:
    """Draw pairs of landmarks whose answer is not known; others with every answer given."""
    rng = np.random.default_rng([situation.links.n_links, 0])
    chosen: list[tuple[int, int]] = []
    for _ in range(20 * n):
        if len(chosen) == n or situation.n_landmarks < 2:
            break
        a, b = (int(x) for x in rng.choice(situation.n_landmarks, 2, replace=False))
        if not situation.known(a, b) and (a, b) not in chosen and (b, a) not in chosen:
            chosen.append((a, b))
    return as_pairs(chosen)
