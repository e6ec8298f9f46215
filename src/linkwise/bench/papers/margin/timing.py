"""How long a fit takes, and how many rounds (figures 6 and 7 of the paper)."""

from __future__ import annotations

import time

import numpy as np
from threadpoolctl import threadpool_limits

from linkwise.bench.papers.margin.methods import quiet_fit
from linkwise.bench.papers.margin.trials import SMALL, available
from linkwise.bench.report import Settings, table
from linkwise.cluster.margin.max_margin import MaxMarginClustering
from linkwise.cluster.margin.starts import STARTS
from linkwise.constraints import Links
from linkwise.typing import Matrix


def time_by_rows(settings: Settings) -> str:
    """Processor time of one start against the number of rows, 600 links."""
    data = available(("magic",), settings).get("magic")
    if data is None:
        return ""
    rows, first = [], 0.0
    order = np.random.RandomState(settings.seed).permutation(len(data.y))
    for share in (8, 4, 2, 1):
        n = len(order) // share
        settings.say(f"time: magic, {n} rows")
        links = Links.sample(data.y[order[:n]], 600, random_state=settings.seed)
        took = [_seconds(data.X[order[:n]], links, start) for start in ("links", "kmeans")]
        first = first or sum(took)
        rows.append([n, *took, f"{sum(took) / first:.1f}", f"{8 / share:.0f}"])
    header = ("rows", "start links, s", "start kmeans, s", "both, times the first", "rows, times")
    return table(header, rows)


def _seconds(X: Matrix, links: Links, start: str) -> float:
    """Return the processor time of a fit on one thread, the best of three."""
    best = np.inf
    with threadpool_limits(1):
        for _ in range(3):
            before = time.process_time()
            quiet_fit(MaxMarginClustering(2, starts=start, random_state=0), X, links)
            best = min(best, time.process_time() - before)
    return best


def most_rounds(settings: Settings) -> int:
    """Return the most rounds of the procedure over small sets, three draws and all starts."""
    most = 0
    for name, data in available(SMALL[:6], settings).items():
        settings.say(f"rounds: {name}")
        for seed in range(settings.seed, settings.seed + 3):
            links = Links.sample(data.y, 100, random_state=seed)
            for start in STARTS:
                model = MaxMarginClustering(data.n_classes, starts=start, random_state=seed)
                most = max(most, int(quiet_fit(model, data.X, links).n_iter_))
    return most
