"""One door to all strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from linkwise.cluster.sequential import SequentialClustering
from linkwise.errors import InvalidInput
from linkwise.query.examples import disagreement, margin
from linkwise.query.neighbourhoods import explore_consolidate, min_max
from linkwise.query.random_pairs import random_pairs
from linkwise.query.situation import Pairs, Situation
from linkwise.validation import require_number


@dataclass(frozen=True)
class Strategy:
    """A way to choose questions, and a sentence that says why such a question is asked."""

    choose: Callable[[Situation, int], Pairs] | None
    why: str


#: Every strategy by name; "auto" is what the model itself would ask.
STRATEGIES = {
    "auto": Strategy(None, "One answer places this row beside a known example of a cluster."),
    "disagreement": Strategy(disagreement, "The ensemble is of two minds about this row."),
    "explore-consolidate": Strategy(
        explore_consolidate, "First one example of every cluster, then others are sorted in."
    ),
    "min-max": Strategy(min_max, "This row is least like anything known so far."),
    "margin": Strategy(margin, "The vote about this row is nearly split."),
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
    choose = STRATEGIES[strategy].choose
    if choose is None:
        pairs = model.query(wanted)
    else:
        situation = Situation.of(model)
        pairs = np.sort(situation.rows[choose(situation, wanted)], axis=1)
    keep = [pair for pair in pairs.tolist() if tuple(pair) not in unwanted]
    return np.array(keep[:n], dtype=np.int64).reshape(-1, 2)
