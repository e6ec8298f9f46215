"""What a method is told: nothing, random links, labels of some rows, or answers it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links, PartialLabels

Ints = NDArray[np.int64]
Kind = Literal["none", "links", "labels", "asked"]


@dataclass(frozen=True)
class Task:
    """An amount of knowledge.

    Attributes
    ----------
    kind : str
        "none", "links" (about pairs drawn at random), "labels" (so many a class) or "asked"
        (answers to the method's own questions).
    amount : int
        How many.
    noise : float
        Share of wrong answers.
    """

    kind: Kind
    amount: int = 0
    noise: float = 0.0

    @property
    def name(self) -> str:
        """What the task is called in tables."""
        if self.kind == "none":
            return "none"
        wrong = f", {self.noise:.0%} wrong" if self.noise else ""
        return f"{self.amount} {self.kind}{wrong}"

    def draw(self, y: Ints, seed: int) -> Links | PartialLabels | None:
        """Return what is told before a method starts; None for nothing, and for questions."""
        if self.kind == "links":
            n_pairs = len(y) * (len(y) - 1) // 2
            return Links.sample(y, min(self.amount, n_pairs), noise=self.noise, random_state=seed)
        if self.kind == "labels":
            rng = np.random.default_rng(seed)
            of_classes = (rng.permutation(np.flatnonzero(y == c)) for c in np.unique(y))
            rows = np.concatenate([members[: self.amount] for members in of_classes])
            return PartialLabels.of_rows({int(row): int(y[row]) for row in rows}, len(y))
        return None


TASKS = (
    Task("none"),
    Task("links", 30),
    Task("links", 100),
    Task("links", 500),
    Task("links", 500, 0.1),
    Task("links", 500, 0.2),
    Task("labels", 3),
    Task("labels", 10),
    Task("labels", 20),
    Task("asked", 100),
    Task("asked", 200),
    Task("asked", 500),
)


class Oracle:
    """Answers questions about pairs from the truth, up to a number, and remembers them."""

    def __init__(self, y: Ints, budget: int) -> None:
        self.truth, self.budget = y, budget
        self._pairs: list[tuple[int, int]] = []

    @property
    def n_left(self) -> int:
        """How many questions may still be asked."""
        return self.budget - len(self._pairs)

    def __call__(self, i: int, j: int) -> bool:
        """Tell whether two rows belong together."""
        self._pairs.append((int(i), int(j)))
        return bool(self.truth[i] == self.truth[j])

    def answer(self, pairs: Ints) -> Links:
        """Answer several questions at once."""
        asked = pairs[: self.n_left]
        same = np.array([self(i, j) for i, j in asked.tolist()], dtype=bool)
        return Links(len(self.truth), must=asked[same], cannot=asked[~same])

    @property
    def named_rows(self) -> Ints:
        """The rows that were asked about."""
        return np.unique(np.array(self._pairs, dtype=np.int64))
