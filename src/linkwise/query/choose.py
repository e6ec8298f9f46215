"""One door to all strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.errors import InvalidInput
from linkwise.query.examples import disagreement, margin
from linkwise.query.neighbourhoods import explore_consolidate, min_max
from linkwise.query.random_pairs import random_pairs
from linkwise.query.situation import Pairs, Situation, as_pairs
from linkwise.query.super_instances import super_instances
from linkwise.validation import require_number

#: Strategies that ask where it is doubtful get one question in so many; the model asks the others.
MIXED = 3


@dataclass(frozen=True)
class Strategy:
    """A way to choose questions, and a sentence that says why such a question is asked.

    Where ``mixed``, the model asks two questions of three: answers about doubtful rows alone do
    not show whether a cluster is wrong as a whole, and buy less than answers drawn at random.

    Examples
    --------
    >>> STRATEGIES["margin"].why
    'The vote about this row is nearly split.'
    """

    choose: Callable[[Situation, int], Pairs] | None
    why: str
    mixed: bool = False


#: Every strategy by name; "auto" is what the model itself would ask.
STRATEGIES = {
    "auto": Strategy(None, "One answer places this row beside a known example of a cluster."),
    "disagreement": Strategy(
        disagreement, "The ensemble is of two minds about this row.", mixed=True
    ),
    "explore-consolidate": Strategy(
        explore_consolidate, "First one example of every cluster, then others are sorted in."
    ),
    "min-max": Strategy(min_max, "This row is least like anything known so far."),
    "margin": Strategy(margin, "The vote about this row is nearly split.", mixed=True),
    "cobras": Strategy(
        super_instances, "These two stand for groups of rows that may be one cluster or two."
    ),
    "random": Strategy(random_pairs, "This pair was drawn at random."),
}


def choose_pairs(
    model: SequentialClustering,
    n: int = 1,
    strategy: str = "auto",
    skip: Iterable[tuple[int, int]] = (),
) -> Pairs:
    """Return up to ``n`` pairs of rows worth asking about, the most useful first.

    Parameters
    ----------
    model : SequentialClustering
        Fitted; its ``links_`` are never asked again.
    n : int, default=1
        How many questions.
    strategy : str, default="auto"
        One of :data:`STRATEGIES`.
    skip : iterable of (int, int), default=()
        Pairs not to ask, such as those nobody could tell.

    Examples
    --------
    >>> import numpy as np, linkwise as lw
    >>> X = np.repeat([[0.0], [5.0], [9.0]], 8, axis=0) + np.linspace(0, 1, 24)[:, None]
    >>> model = lw.SequentialClustering(3, n_partitions=20, random_state=0).fit(X)
    >>> choose_pairs(model, 2, "margin").shape
    (2, 2)
    """
    require_number("choose_pairs", "n", n, low=1, integer=True)
    if strategy not in STRATEGIES:
        raise InvalidInput(f"strategy is {strategy!r}, expected one of {', '.join(STRATEGIES)}.")
    unwanted = {(min(pair), max(pair)) for pair in skip}
    wanted = n + len(unwanted)
    candidates = _candidates(model, wanted, STRATEGIES[strategy])
    return as_pairs([pair for pair in candidates if pair not in unwanted][:n])


def _candidates(model: SequentialClustering, n: int, strategy: Strategy) -> list[tuple[int, int]]:
    """Return pairs of rows, the smaller first, as the strategy or the model would have them."""
    if strategy.choose is None:
        return _listed(model.query(n))
    situation = Situation.of(model)
    if situation.n_landmarks < 2:
        return []
    chosen = _listed(situation.rows[strategy.choose(situation, n)])
    if strategy.mixed:
        return _in_turns(chosen, _listed(model.query(n)), model.links_.n_links)
    return chosen


def _in_turns(
    seldom: list[tuple[int, int]], often: list[tuple[int, int]], n_before: int
) -> list[tuple[int, int]]:
    """Return all pairs once, one of ``seldom`` and the others of ``often`` in turns."""
    both = iter(seldom), iter(often)
    found: dict[tuple[int, int], None] = {}
    for number in range(n_before, n_before + len(seldom) + len(often)):
        first, second = both if number % MIXED == 0 else both[::-1]
        pair = next(first, None) or next(second, None)
        if pair is not None:
            found[pair] = None
    return list(found)


def _listed(pairs: Pairs) -> list[tuple[int, int]]:
    return [(i, j) for i, j in np.sort(pairs, axis=1).tolist()]
