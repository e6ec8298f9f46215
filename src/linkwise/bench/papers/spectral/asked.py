"""What this project asks of its own method, beside what it got."""

from __future__ import annotations

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from linkwise import LandmarkSpectralClustering
from linkwise.bench.papers.spectral.pools import POOLS
from linkwise.bench.report import Settings, table
from linkwise.datasets import Dataset, load
from linkwise.scores import nmi

#: Draws per figure.
DRAWS = 10


def asked(figures: list[dict[str, Any]], settings: Settings) -> str:
    """Return the table of figures, all options of the method as they come."""
    rows = []
    for name in dict.fromkeys(figure["set"] for figure in figures):
        data = load(name)
        for figure in figures:
            if figure["set"] == name:
                settings.say(f"asked: {name}, {_known(figure)}")
                rows.append(_row(figure, data, settings.seed))
    return table(["set", "known", "asked", "NMI", "standard error", "verdict"], rows)


def _row(figure: dict[str, Any], data: Dataset, seed: int) -> list[object]:
    drawn = [free_nmi(data, figure["pool"], figure["known"], seed + i) for i in range(DRAWS)]
    mean = float(np.mean(drawn))
    error = float(np.std(drawn, ddof=1) / np.sqrt(DRAWS))
    verdict = "reached" if mean >= figure["nmi"] else "missed"
    return [data.name, _known(figure), figure["nmi"], f"{mean:.4f}", f"{error:.4f}", verdict]


def free_nmi(data: Dataset, pool: str, n_known: int, seed: int) -> float:
    """Return the NMI on rows in no link, of one fit with one draw of knowledge."""
    known = POOLS[pool](data.y, n_known, np.random.RandomState(seed))
    model = LandmarkSpectralClustering(data.n_classes, random_state=seed)
    with threadpool_limits(1):
        model.fit(data.X, constraints=known.links)
    return nmi(data.y[known.free], model.labels_[known.free])


def _known(figure: dict[str, Any]) -> str:
    if figure["pool"] == "labels":
        return f"labels of {figure['known']} rows"
    half = figure["known"] // 2
    return f"{half} must-links, {half} cannot-links"
