"""The questions of COBRAS: whether two groups of landmarks that were split belong together.

COBRAS asks while it fits. Here it is run again from its beginning for every call, on the landmarks;
what is known answers its questions, and the first that nobody has answered are the ones to ask.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from linkwise.cluster.hierarchy.cobras import COBRAS
from linkwise.query.situation import Pairs, Situation, as_pairs

#: More landmarks than these are not looked at: so many show where clusters are.
MOST = 1000


class _Enough(Exception):
    """As many questions as were wished for have come up."""


def super_instances(situation: Situation, n: int) -> Pairs:
    """Ask what COBRAS would ask next, if nobody could tell what is not known yet."""
    chosen = np.sort(situation.order[:MOST])
    asked: list[tuple[int, int]] = []

    def answer(i: int, j: int) -> bool | None:
        a, b = int(chosen[i]), int(chosen[j])
        if situation.known(a, b):
            return bool(situation.group[a] == situation.group[b])
        asked.append((a, b))
        if len(asked) == n:
            raise _Enough
        return None

    with suppress(_Enough):
        n_pairs = len(chosen) * (len(chosen) - 1) // 2
        COBRAS(n_questions=n_pairs, random_state=0).fit(situation.places(chosen), ask=answer)
    return as_pairs(asked)
