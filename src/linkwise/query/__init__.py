"""Which pair to ask about next.

A strategy is a function ``(situation, n) -> pairs``: it looks at the landmarks of a fitted
:class:`~linkwise.SequentialClustering` and at the answers so far, and returns up to ``n`` pairs of
rows, the most useful first. Its cost does not depend on the number of rows.

>>> from linkwise.query import STRATEGIES
>>> sorted(STRATEGIES)
['auto', 'cobras', 'disagreement', 'explore-consolidate', 'margin', 'min-max', 'random']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwise.lazy import loader
from linkwise.query.names import NAMES

if TYPE_CHECKING:
    from linkwise.query.choose import STRATEGIES as STRATEGIES
    from linkwise.query.choose import Strategy as Strategy
    from linkwise.query.choose import choose_pairs as choose_pairs
    from linkwise.query.situation import Situation as Situation

#: Where each name lives. Modules load on first use, so that a service can start at once.
HOME = {
    "STRATEGIES": "linkwise.query.choose",
    "Situation": "linkwise.query.situation",
    "Strategy": "linkwise.query.choose",
    "choose_pairs": "linkwise.query.choose",
}

__all__ = ["NAMES", *HOME]


if not TYPE_CHECKING:  # type checkers would believe that any name is there
    __getattr__ = loader(__name__, HOME)


def __dir__() -> list[str]:
    return sorted(__all__)
