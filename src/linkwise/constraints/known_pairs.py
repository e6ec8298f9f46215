"""Pairs whose answer is known already: what whoever asks questions has to leave out."""

from __future__ import annotations

from functools import cached_property

from linkwise.constraints.groups import Groups, Ints
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
        self._groups = Groups.of_all_rows(links)

    @property
    def group(self) -> Ints:
        """Group of each row."""
        return self._groups.group

    @cached_property
    def _apart(self) -> set[tuple[int, int]]:
        return {(g, h) for g, h in self._groups.apart.tolist()}

    def __call__(self, a: int, b: int) -> bool:
        g, h = int(self.group[a]), int(self.group[b])
        return g == h or (min(g, h), max(g, h)) in self._apart
