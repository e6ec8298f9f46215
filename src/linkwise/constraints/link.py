"""One link."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Link(NamedTuple):
    """A pair of rows and what is said about it; what iterating over :class:`Links` gives.

    Attributes
    ----------
    i, j : int
        The two rows, the smaller first.
    kind : {"must", "cannot"}
        Whether they belong together.
    weight : float
        How much the link counts.

    Examples
    --------
    >>> import linkwise as lw
    >>> for i, j, kind, weight in lw.Links(5, must=[(1, 0)], cannot=[(2, 4)]):
    ...     print(i, j, kind, weight)
    0 1 must 1.0
    2 4 cannot 1.0
    """

    i: int
    j: int
    kind: Literal["must", "cannot"]
    weight: float
