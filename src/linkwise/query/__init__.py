"""Which pair to ask about next.

A strategy is a function ``(situation, n) -> pairs``: it looks at the landmarks of a fitted
:class:`~linkwise.SequentialClustering` and at the answers so far, and returns up to ``n`` pairs of
rows, the most useful first. Its cost does not depend on the number of rows.

>>> sorted(STRATEGIES)
['auto', 'disagreement', 'explore-consolidate', 'margin', 'min-max', 'random']
"""

from linkwise.query.choose import STRATEGIES, Strategy, choose_pairs
from linkwise.query.situation import Situation

__all__ = ["STRATEGIES", "Situation", "Strategy", "choose_pairs"]
