"""Run every method on every draw and write the page."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from linkwise.bench.papers.spectral.asked import asked
from linkwise.bench.papers.spectral.methods import METHODS, Labels, Method, Task, near_rows
from linkwise.bench.papers.spectral.pools import POOLS, Pool
from linkwise.bench.papers.spectral.verdicts import verdicts
from linkwise.bench.report import Settings, expected, table
from linkwise.datasets import Dataset, load
from linkwise.scores import accuracy, nmi

#: The sets of the paper; the digits are only for what this project asks of itself.
SETS = ("coil100", "pie", "mnist")
#: Draws per cell unless asked otherwise. The paper has 10.
DRAWS = 3
#: The method in whose time the others' are counted.
UNIT = "LSC-R"


@dataclass(frozen=True)
class Score:
    """NMI and accuracy on the rows in no link and on all rows, CPU seconds, and their multiple.

    ``relative`` is the time as a multiple of that of LSC-R with the same draw, in the same process.
    """

    nmi_free: float
    nmi_all: float
    acc_free: float
    acc_all: float
    seconds: float
    relative: float


#: Scores by (set, number of linked rows, pool, method), one per draw.
Scores = dict[tuple[str, int, str, str], list[Score]]


def run(settings: Settings) -> str:
    """Return the page: scores, times, which claims hold, and what this project asks of itself."""
    paper = expected("spectral")
    chosen = settings.chosen((*SETS, "digits"))
    scores: Scores = defaultdict(list)
    with threadpool_limits(1):
        sets = {name: load(name) for name in SETS if name in chosen}
        for draw in range(settings.draws or DRAWS):
            for data in sets.values():
                _run_draw(data, draw, paper, settings, scores)
    parts = [_introduction(settings), *_comparison(scores, paper)]
    figures = [figure for figure in paper["asked"] if figure["set"] in chosen]
    if figures:
        parts += [ASKED, asked(figures, settings)]
    return "\n\n".join(parts)


def _comparison(scores: Scores, paper: dict[str, Any]) -> list[str]:
    """Return the tables of each set that was run, and the claims."""
    parts = []
    for name in dict.fromkeys(key[0] for key in scores):
        parts += [f"## {name}", _score_tables(name, scores), _time_table(name, scores)]
    if parts:
        parts += ["## Which claims hold", verdicts(means(scores), paper)]
    return parts


def means(scores: Scores) -> dict[tuple[str, int, str, str], Score]:
    """Average over the draws."""
    return {
        key: Score(*np.mean([list(vars(score).values()) for score in drawn], axis=0).tolist())
        for key, drawn in scores.items()
    }


def _run_draw(
    data: Dataset, draw: int, paper: dict[str, Any], settings: Settings, scores: Scores
) -> None:
    """Add what one draw gives on a set, for each number of known rows."""
    name, seed = data.name, settings.seed + draw
    counts = paper["counts"].get(name) or [int(s * len(data.y)) for s in paper["shares"][name]]
    for n_known in counts:
        task = Task(data, n_known, paper["n_neighbors"][name])
        wanted = [m for m in METHODS if _is_run(m, METHODS[m], task, draw, counts)]
        found = settings.kept.figure(
            (name, n_known, seed), partial(_one_draw, task, wanted, seed, settings)
        )
        for pool, by_method in found.items():
            for method, figures in by_method.items():
                scores[name, n_known, pool, method].append(Score(*figures))


def _one_draw(
    task: Task, wanted: Sequence[str], seed: int, settings: Settings
) -> dict[str, dict[str, list[float]]]:
    """Return the scores of methods by pool and name; all of them are timed in this process."""
    near_rows(task.data)  # made once; the time of label spreading is that of spreading alone
    rng = np.random.RandomState(seed)
    pools = {pool: POOLS[pool](task.data.y, task.n_known, rng) for pool in POOLS}
    found: dict[str, dict[str, list[float]]] = {pool: {} for pool in POOLS}
    for name in wanted:
        settings.say(f"{task.data.name}, p = {task.n_known}, seed {seed}: {name}")
        for pool, figures in _scored(METHODS[name], task, pools, seed):
            found[pool][name] = figures
    for by_method in found.values():
        unit = by_method[UNIT][-1]
        for figures in by_method.values():
            figures.append(figures[-1] / unit)
    return found


def _is_run(name: str, method: Method, task: Task, draw: int, counts: list[int]) -> bool:
    """Leave out what would take hours: all pairs of MNIST, and E2CP but for the smallest p."""
    if method.all_pairs and (task.data.name == "mnist" or draw > 0):
        return False
    return name != "E2CP" or task.n_known == counts[0]


def _scored(
    method: Method, task: Task, pools: dict[str, Pool], seed: int
) -> list[tuple[str, list[float]]]:
    """Return (pool, scores and seconds) for every pool the method can read."""
    if not method.listens:
        labels, seconds = _timed(method, task, pools["labels"], seed)
        return [(name, _score(task, pool, labels, seconds)) for name, pool in pools.items()]
    readable = {k: p for k, p in pools.items() if p.labels is not None or not method.needs_labels}
    return [
        (name, _score(task, pool, *_timed(method, task, pool, seed)))
        for name, pool in readable.items()
    ]


def _timed(method: Method, task: Task, pool: Pool, seed: int) -> tuple[Labels, float]:
    start = time.process_time()
    labels = method.run(task, pool, seed)
    return labels, time.process_time() - start


def _score(task: Task, pool: Pool, labels: Labels, seconds: float) -> list[float]:
    y, free = task.data.y, pool.free
    return [
        nmi(y[free], labels[free]),
        nmi(y, labels),
        accuracy(y[free], labels[free]),
        accuracy(y, labels),
        seconds,
    ]


def _score_tables(name: str, scores: Scores) -> str:
    """Return a table per pool and measure: rows in no link, then all rows in brackets."""
    mean = means(scores)
    counts = sorted({key[1] for key in mean if key[0] == name})
    parts = []
    for pool, known in KNOWN.items():
        for measure in ("nmi", "acc"):
            rows = []
            for method in METHODS:
                cells = [mean.get((name, n, pool, method)) for n in counts]
                if any(cells):
                    rows.append([method, *(_both(cell, measure) for cell in cells)])
            title = f"{known}: {measure.upper()} on rows in no link (on all rows)"
            parts += [title, table(["method", *(f"p = {n}" for n in counts)], rows)]
    return "\n\n".join(parts)


def _both(score: Score | None, measure: str) -> str:
    if score is None:
        return ""
    return f"{getattr(score, measure + '_free'):.3f} ({getattr(score, measure + '_all'):.3f})"


def _time_table(name: str, scores: Scores) -> str:
    """Return CPU time as multiples of LSC-R with the same draw."""
    mean = means(scores)
    counts = sorted({key[1] for key in mean if key[0] == name})
    base = [mean[name, n, "labels", UNIT].seconds for n in counts]
    rows: list[list[object]] = [[f"{UNIT}, seconds", *(f"{seconds:.2f}" for seconds in base)]]
    for pool in POOLS:
        for name_, method in METHODS.items():
            if pool == "pairs" and not method.listens:
                continue
            cells = [mean.get((name, n, pool, name_)) for n in counts]
            if any(cells):
                ratios = [f"{cell.relative:.1f}" if cell else "" for cell in cells]
                rows.append([f"{name_}, {pool}" if method.listens else name_, *ratios])
    title = f"CPU time on one thread, as a multiple of {UNIT} with the same draw, in one process"
    return f"{title}\n\n{table(['method', *(f'p = {n}' for n in counts)], rows)}"


def _introduction(settings: Settings) -> str:
    draws = settings.draws or DRAWS
    return INTRODUCTION.format(
        draws="1 draw" if draws == 1 else f"{draws} draws", seed=settings.seed
    )


KNOWN = {
    "labels": "The labels of p rows known",
    "pairs": "Only p/2 must-links and p/2 cannot-links known",
}

INTRODUCTION = """\
SC-PC makes landmarks of the p constrained points and writes the constraints into their affinities.
The paper sets all pairs among the p points, for which the class of each must be known; the second
pool here is what people have who answer "same or different?": p pairs, which name up to 2p rows,
all of them landmarks of SC-PC. LSC and Nyström use p landmarks and no knowledge; NCut is
scikit-learn's SpectralClustering on the graph of ten near rows. LSC and SC-PC have the paper's
number of near landmarks for each set; ours and E2CP have their defaults. Every method has three
k-means starts. Methods that compare all rows with all rows are run on the first draw alone and not
on MNIST, E2CP only for the smallest p. Label spreading has the graph of ten near rows of the whole
set, MNIST too, made once per set and not counted in its time.

{draws} per figure (the paper has 10), first seed {seed}. COIL100 and PIE are not bit-identical to
the paper's files: COIL100 was turned to grey by us, PIE decoded from JPEG. The paper's tables were
not to be had: claims are those of its text. NMI is divided by the mean of the two entropies."""

ASKED = """\
## What we ask of ourselves

`LandmarkSpectralClustering(n_clusters)` as it comes (1000 extra landmarks on MNIST, 500 on the
digits), NMI on rows in no link, mean of ten draws."""
