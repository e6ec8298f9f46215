"""Draws of side information, and the scores a method gets over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwise import PartialLabels
from linkwise.bench.papers.partition.methods import Method
from linkwise.bench.report import Settings
from linkwise.datasets import Dataset, load
from linkwise.errors import MissingData
from linkwise.scores import nmi

SETS = ("breast", "ecoli", "glass", "iris", "pendigits", "satimage", "wine")


@dataclass(frozen=True)
class Score:
    """Mean and standard deviation of NMI in percent."""

    mean: float
    std: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.std:.2f}"

    def compared(self, other: Score) -> str:
        """Say whether the means differ by more than the larger standard deviation.

        The paper's are printed with two digits, so half of the last one is not a difference.
        """
        if abs(self.mean - other.mean) <= max(self.std, other.std) + 0.005:
            return "agrees"
        return "higher" if self.mean > other.mean else "lower"

    def beside(self, printed: Score) -> str:
        """Write the figure with its verdict."""
        return f"{self}, {self.compared(printed)}"


def available(settings: Settings) -> dict[str, Dataset]:
    """Load the sets asked for; leave out those that are not on this machine."""
    found = {}
    for name in settings.chosen(SETS):
        try:
            found[name] = _as_in_the_paper(load(name))
        except MissingData as error:
            settings.say(str(error))
    return found


def _as_in_the_paper(data: Dataset) -> Dataset:
    """Divide wine's last attribute by 100, which gives the paper's K-means figure."""
    X = np.asarray(data.X, dtype=np.float64)
    if data.name == "wine":
        X = X * np.where(np.arange(X.shape[1]) == X.shape[1] - 1, 0.01, 1.0)
    return Dataset(data.name, X, data.y)


def score(
    data: Dataset,
    method: Method,
    draws: int,
    settings: Settings,
    draw_labels: Callable[[int], PartialLabels],
    *,
    unlabelled_only: bool = False,
) -> Score:
    """Score one method over draws of side information; draw ``i`` has seed ``seed + i``."""
    values = []
    for seed in range(settings.seed, settings.seed + draws):
        known = draw_labels(seed)
        labels = method(data.X, known, data.n_classes, seed)
        rows = ~known.known if unlabelled_only else slice(None)
        values.append(100 * nmi(data.y[rows], labels[rows]))
    return Score(float(np.mean(values)), float(np.std(values)))


def drawn(data: Dataset, share: float, noise: float = 0.0) -> Callable[[int], PartialLabels]:
    """Return the draw of a share of the labels, ``noise`` of them wrong, for a seed."""
    return lambda seed: PartialLabels.sample(data.y, share, noise=noise, random_state=seed)
