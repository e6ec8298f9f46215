"""Progress: what the answers so far have done, and whether more of them pay.

Every tenth question is a pair drawn at random, every second one of them within a cluster. What the
clustering thought of these shows how right it is; what it thought of the others does not, because
they were chosen where it is in doubt.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from linkwise.session.advice.looks import FIRST, SHARE, Weighed
from linkwise.session.journal.log import NO_GUESS, UNSURE, Log

RECENT = 20
#: With how many right of a hundred, at least and by the random pairs, more answers change little.
GOOD = 0.8
#: So many changes that moved nothing are worth a word.
STILL = 10


@dataclass(frozen=True)
class Progress:
    """How far the session has come.

    Attributes
    ----------
    answers, unsure : int
        Standing answers as people count them, a click each, and those among them that say "cannot
        tell".
    agreed_recent, agreed_all : float or None
        Share of the last 20, and of all, answers that the clustering had expected.
    drawn, right : int
        Of the last 20 pairs that were drawn at random: how many were told, and how many of these
        the clustering had right.
    low, high : float or None
        Between which shares the clustering is right, with a probability of 95 %, by these.
    moved : list of (seq, rows)
        How many rows changed their cluster with each view that was computed.
    advice : {"early", "columns", "number", "more", "enough"}
        What the hint says.
    hint : str
        One plain sentence.
    """

    answers: int
    unsure: int
    agreed_recent: float | None
    agreed_all: float | None
    drawn: int
    right: int
    low: float | None
    high: float | None
    moved: list[tuple[int, int]]
    advice: str
    hint: str


def measure_progress(
    log: Log,
    n: int,
    clicks: tuple[int, int],
    moved: list[tuple[int, int]],
    weighed: Weighed | None,
    grouped_by: str,
    n_clusters: int,
) -> Progress:
    """Look back on the first ``n`` events; ``weighed`` may be some answers old, or missing.

    ``clicks`` are all standing answers, and those that tell nothing.
    """
    standing = log.standing(n)
    answers = np.flatnonzero(log.compares(n) & standing)
    verdict, guess = log.column("verdict", n)[answers], log.column("guess", n)[answers]
    judged = np.flatnonzero((verdict != UNSURE) & (guess != NO_GUESS))
    agreed = verdict[judged] == guess[judged]
    checks = agreed[log.drawn(n)[answers[judged]]][-RECENT:]
    n_answers, n_unsure = clicks
    if weighed is not None and weighed.answers < (1 - 2 * SHARE) * n_answers - RECENT:
        weighed = None  # too long ago
    low, high = interval(int(checks.sum()), len(checks)) if len(checks) else (None, None)
    is_still = len(moved) >= STILL and not any(rows for _, rows in moved[-STILL:])
    n_told = n_answers - n_unsure
    advice, hint = _advise(n_told, checks, is_still, weighed, grouped_by, n_clusters)
    return Progress(
        answers=n_answers,
        unsure=n_unsure,
        agreed_recent=float(agreed[-RECENT:].mean()) if len(agreed) else None,
        agreed_all=float(agreed.mean()) if len(agreed) else None,
        drawn=len(checks),
        right=int(checks.sum()),
        low=low,
        high=high,
        moved=moved,
        advice=advice,
        hint=hint,
    )


def interval(right: int, n: int) -> tuple[float, float]:
    """Return between which shares one is right who was so often (Jeffreys, 95 %)."""
    a, b = right + 0.5, n - right + 0.5
    low = 0.0 if right == 0 else float(betaincinv(a, b, 0.025))
    high = 1.0 if right == n else float(betaincinv(a, b, 0.975))
    return low, high


def _advise(
    n_told: int,
    checks: NDArray[np.bool_],
    is_still: bool,
    weighed: Weighed | None,
    grouped_by: str,
    n_clusters: int,
) -> tuple[str, str]:
    """Return what to do, as a word and as a sentence."""
    if n_told < FIRST:
        missing = FIRST - n_told
        more = "one more answer" if missing == 1 else f"some {missing} more answers"
        return "early", f"Too early to tell: give {more}."
    if weighed is not None and not weighed.fits:
        return "columns", (
            f"Your answers do not fit what the rows are grouped by ({grouped_by}): what you said "
            f"of some rows foretells nothing about others. Add a column that tells them apart."
        )
    seen = _seen(checks)
    if weighed is not None and weighed.proposal is not None:
        k = weighed.proposal.k
        return "number", (
            f"{n_clusters} clusters look wrong: {k} foretell your answers better. {seen}"
        )
    is_good = len(checks) > 0 and interval(int(checks.sum()), len(checks))[0] >= GOOD
    if weighed is not None and weighed.settled and is_good:
        return "enough", f"{seen} More answers will change little."
    if is_still and len(checks) and checks.all():
        missing = 10 * (_enough() - len(checks))
        return "more", (
            f"{seen} The last {STILL} changes moved no row; some {missing} more answers will tell "
            "whether that is all."
        )
    return "more", f"{seen} More answers pay."


@cache
def _enough() -> int:
    """Return how many random pairs, all of them right, show that the clustering is good."""
    return next(n for n in count(1) if interval(n, n)[0] >= GOOD)


def _seen(checks: NDArray[np.bool_]) -> str:
    n, right = len(checks), int(checks.sum())
    if n == 0:
        return "No random pair has been told yet; every tenth question is one."
    low, high = interval(right, n)
    pairs = "random pair it got" if n == 1 else f"{n} random pairs it got"
    return f"Of the last {pairs} {right} right ({100 * low:.0f}–{100 * high:.0f} %)."
