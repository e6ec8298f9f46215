"""Progress: what the answers so far have done, and whether more of them pay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwise.session.journal.log import NO_GUESS, UNSURE, Log

RECENT = 20


@dataclass(frozen=True)
class Progress:
    """How far the session has come.

    Attributes
    ----------
    answers, unsure : int
        Standing answers, and those among them that say "cannot tell".
    agreed_recent, agreed_all : float or None
        Share of the last 20, and of all, answers that the clustering had expected.
    moved : list of (seq, rows)
        How many rows changed their cluster with each view that was computed.
    hint : str
        One plain sentence.
    """

    answers: int
    unsure: int
    agreed_recent: float | None
    agreed_all: float | None
    moved: list[tuple[int, int]]
    hint: str


def measure_progress(log: Log, n: int, n_rows: int, moved: list[tuple[int, int]]) -> Progress:
    """Look back on the first ``n`` events."""
    standing = log.standing(n)
    answers = np.flatnonzero(log.compares(n) & standing)
    verdict, guess = log.column("verdict", n)[answers], log.column("guess", n)[answers]
    judged = np.flatnonzero((verdict != UNSURE) & (guess != NO_GUESS))
    agreed = verdict[judged] == guess[judged]
    n_unsure = int((verdict == UNSURE).sum())
    recent = float(agreed[-RECENT:].mean()) if len(agreed) else None
    overall = float(agreed.mean()) if len(agreed) else None
    hint = _hint(len(answers) - n_unsure, agreed[-RECENT:], moved, n_rows)
    return Progress(len(answers), n_unsure, recent, overall, moved, hint)


def _hint(n_told: int, recent: object, moved: list[tuple[int, int]], n_rows: int) -> str:
    agreed = np.asarray(recent)
    if n_told < RECENT or len(agreed) < RECENT:
        left = max(RECENT - n_told, 1)
        return f"Too early to tell: give some {left} more answers."
    lately = [rows for _, rows in moved[-5:]]
    share = sum(lately) / max(len(lately), 1) / n_rows
    right = int(agreed.sum())
    if right >= 0.9 * len(agreed) and share < 0.002:
        return (
            f"The clustering expected {right} of your last {len(agreed)} answers and hardly moves: "
            f"more answers will change little."
        )
    if right >= 0.75 * len(agreed):
        return (
            f"The clustering expected {right} of your last {len(agreed)} answers: "
            f"it is mostly right, more answers sharpen the borders."
        )
    return (
        f"The clustering expected only {right} of your last {len(agreed)} answers: "
        f"more answers pay."
    )
