"""Pairs whose answer is known already: what whoever asks questions has to leave out."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints.links import Links

#: With how many groups a row is compared, the likeliest first, before it is left alone or founds a
#: group of its own.
MAX_TRIES = 3


class KnownPairs:
    """Tells of any two rows whether the links, with all they entail, say how they stand.

    A group is a must-link component: rows that belong together, through whatever chain.

    Examples
    --------
    >>> from linkwise import Links
    >>> known = KnownPairs(Links(5, must=[(0, 1), (1, 2)], cannot=[(2, 3)]))
    >>> known(0, 2), known(0, 3), known(0, 4)
    (True, True, False)
    """

    def __init__(self, links: Links) -> None:
        self.links = links

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """Group of each row."""
        return self.links.components()

    @cached_property
    def _apart(self) -> set[tuple[int, int]]:
        ends = np.sort(self.group[self.links.cannot].reshape(-1, 2), axis=1)
        return {(a, b) for a, b in ends.tolist()}

    def __call__(self, a: int, b: int) -> bool:
        g, h = int(self.group[a]), int(self.group[b])
        return g == h or (min(g, h), max(g, h)) in self._apart
