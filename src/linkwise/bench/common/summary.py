"""What the lines amount to: scores by task, ranks, costs, and what there is no line for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linkwise.bench.common.measuring import Cell, Line
from linkwise.bench.common.ranks import critical_difference, mean_ranks

Floats = NDArray[np.float64]
STATUSES = ("done", "too slow", "refused", "failed", "not installed")
#: Where fewer rows than these are left unnamed, a set says nothing about a task.
FEWEST = 30


@dataclass(frozen=True, eq=False)
class TaskTable:
    """The scores of one task.

    Attributes
    ----------
    task : str
        Its name.
    methods : list of str
        Those that gave a result somewhere, best mean rank first.
    sets : list of str
        Those on which all of them were tried.
    scores : ndarray of shape (n_sets, n_methods)
        Mean over the seeds; NaN where there was no result.
    ranks : ndarray of shape (n_methods,)
        Mean ranks.
    """

    task: str
    methods: list[str]
    sets: list[str]
    scores: Floats
    ranks: Floats

    @property
    def critical(self) -> float:
        """Difference of mean ranks that is more than chance; NaN if there is nothing to compare."""
        if len(self.methods) < 2 or not self.sets:
            return float("nan")
        return critical_difference(len(self.methods), len(self.sets))


def task_table(lines: Sequence[Line], task: str, measure: str = "nmi") -> TaskTable | None:
    """Return the table of a task by NMI, "ari" or "accuracy"; None where there is no result.

    A method that was tried on less than half as many sets as another is left out.
    """
    here = [line for line in lines if line["task"] == task and line["status"] != "not installed"]
    crowded = {line["set"] for line in here if _all_named(line)}
    here = [line for line in here if line["set"] not in crowded]
    tried: dict[str, set[str]] = defaultdict(set)
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for line in here:
        tried[line["method"]].add(line["set"])
        if line["status"] == "done":
            found[line["method"], line["set"]].append(score(line, measure))
    most = max((len(sets) for sets in tried.values()), default=0)
    working = sorted({method for method, _ in found if 2 * len(tried[method]) > most})
    if not working:
        return None
    sets = sorted(set.intersection(*(tried[method] for method in working)))
    table = np.array(
        [[_mean(found.get((method, name), [])) for method in working] for name in sets]
    ).reshape(len(sets), len(working))
    ranks = mean_ranks(table) if len(sets) else np.zeros(len(working))
    order = np.argsort(ranks, kind="stable")
    return TaskTable(task, [working[i] for i in order], sets, table[:, order], ranks[order])


def score(line: Line, measure: str = "nmi") -> float:
    """Return the NMI on rows nobody named; of those who ask, each about other rows, on all rows."""
    asked = line["task"].endswith(" asked")
    return float(line[measure] if asked else line[f"{measure}_free"])


def _all_named(line: Line) -> bool:
    """Tell whether the same knowledge leaves hardly a row to judge by."""
    asked = line["task"].endswith(" asked")
    return line["status"] == "done" and not asked and line["n_free"] < FEWEST


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def statuses(lines: Iterable[Line]) -> dict[str, Counter[str]]:
    """Return, by method, how many cells ended how."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        found[line["method"]][line["status"]] += 1
    return dict(found)


def makers(lines: Iterable[Line]) -> dict[str, Counter[str]]:
    """Return, by commit, how many cells of each method it measured; most cells first."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        found[line.get("commit", "not known")][line["method"]] += 1
    return dict(sorted(found.items(), key=lambda item: -item[1].total()))


@dataclass(frozen=True)
class Pair:
    """A method of another package, and ours of the same name, on the cells both were done on."""

    theirs: str
    ours: str
    n_cells: int
    their_score: float
    our_score: float
    their_seconds: float
    our_seconds: float


def pairs(lines: Sequence[Line], same: Mapping[str, str]) -> list[Pair]:
    """Return the pairs of methods of ``same``, theirs to ours, for which there are figures.

    Cells in which hardly a row is left unnamed say nothing here, either.
    """
    done = {
        Cell.of(line): line for line in lines if line["status"] == "done" and not _all_named(line)
    }
    found = []
    for theirs, ours in same.items():
        cells = [cell for cell in done if cell.method == theirs]
        both = [(done[c], done[d]) for c in cells if (d := replace(c, method=ours)) in done]
        if both:
            found.append(
                Pair(
                    theirs, ours, len(both),
                    *(_mean([score(line[k]) for line in both]) for k in (0, 1)),
                    *(float(np.median([line[k]["seconds"] for line in both])) for k in (0, 1)),
                )
            )  # fmt: skip
    return found


@dataclass(frozen=True)
class Gap:
    """Methods, and what they were not told on which sets; no tasks are all there are for them."""

    methods: tuple[str, ...]
    tasks: tuple[str, ...]
    sets: tuple[str, ...]
    n_cells: int


@dataclass(frozen=True)
class Missing:
    """What is planned with a seed and has no line.

    Attributes
    ----------
    seed : int
        The seed.
    n_cells, n_planned : int
        How many cells have no line, and how many there are.
    untouched : tuple of str
        Sets without any line.
    gaps : tuple of Gap
        What is missing on the other sets, most cells first.
    """

    seed: int
    n_cells: int
    n_planned: int
    untouched: tuple[str, ...]
    gaps: tuple[Gap, ...]


def missing(cells: Iterable[Cell], lines: Iterable[Line]) -> list[Missing]:
    """Return, for each seed that lacks some, which of the cells there is no line for."""
    there = {Cell.of(line) for line in lines}
    planned: dict[int, list[Cell]] = defaultdict(list)
    for cell in cells:
        planned[cell.seed].append(cell)
    found = []
    for seed, all_cells in planned.items():
        begun = {cell.set for cell in there if cell.seed == seed}
        lacking = [cell for cell in all_cells if cell not in there]
        untouched = tuple(dict.fromkeys(c.set for c in lacking if c.set not in begun))
        if lacking:
            gaps = _gaps([c for c in all_cells if c.set in begun], there)
            found.append(Missing(seed, len(lacking), len(all_cells), untouched, gaps))
    return found


def _gaps(cells: Iterable[Cell], there: Container[Cell]) -> tuple[Gap, ...]:
    """Gather cells without a line: sets, then methods, that lack the same."""
    planned: dict[str, set[str]] = defaultdict(set)
    lacking: dict[tuple[str, str], list[str]] = defaultdict(list)
    for cell in cells:
        planned[cell.method].add(cell.task)
        if cell not in there:
            lacking[cell.method, cell.set].append(cell.task)
    on: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (method, name), tasks in lacking.items():
        on[method, () if set(tasks) == planned[method] else tuple(tasks)].append(name)
    by: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = defaultdict(list)
    for (method, told), names in on.items():
        by[told, tuple(names)].append(method)
    gaps = [
        Gap(tuple(those), told, names, sum(len(lacking[m, n]) for m in those for n in names))
        for (told, names), those in by.items()
    ]
    return tuple(sorted(gaps, key=lambda gap: -gap.n_cells))


def behind(table: TaskTable, method: str, by: float) -> list[tuple[str, float, str, float]]:
    """Return the sets where a method is behind the best by more: set, score, who, its score."""
    if method not in table.methods:
        return []
    mine = table.scores[:, table.methods.index(method)]
    lost = []
    for name, own, others in zip(table.sets, mine, table.scores, strict=True):
        if np.isnan(others).all():
            continue
        best = int(np.nanargmax(others))
        if np.isnan(own) or others[best] - own > by:
            lost.append((name, float(own), table.methods[best], float(others[best])))
    return lost


def costs(lines: Iterable[Line], of: str = "seconds") -> dict[str, list[tuple[float, float]]]:
    """Return, by method, rows and median seconds, or "memory_mb", of each set, smallest first.

    The first cells of a process also compile what they need; a median does not see it.
    """
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    for line in lines:
        if line["status"] == "done":
            found[line["method"], line["n"]].append(line[of])
    by_method: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for (method, n), seconds in sorted(found.items()):
        by_method[method].append((float(n), float(np.median(seconds))))
    return dict(by_method)
