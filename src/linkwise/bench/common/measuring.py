"""One cell: a method on a set, told something, with a seed."""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from linkwise.bench.common.methods import Problem, methods
from linkwise.bench.common.peers import Answered, PeerFailed, PeerMissing
from linkwise.bench.common.tasks import TASKS, Oracle
from linkwise.constraints import Links, PartialLabels
from linkwise.datasets import Dataset, load
from linkwise.errors import LinkwiseError
from linkwise.scores import accuracy, ari, nmi

Ints = NDArray[np.int64]
Line = dict[str, Any]
SCORES = {"nmi": nmi, "ari": ari, "accuracy": accuracy}


@dataclass(frozen=True)
class Cell:
    """What is measured."""

    set: str
    method: str
    task: str
    seed: int

    @classmethod
    def of(cls, line: Line) -> Cell:
        """Return the cell that a line is about."""
        return cls(line["set"], line["method"], line["task"], line["seed"])

    def line(self, status: str, **figures: object) -> Line:
        """Return the line that says what became of the cell."""
        return {**asdict(self), "status": status, **figures}


def measure(cell: Cell) -> Line:
    """Run one cell here and now; what it refuses or breaks over becomes its line."""
    try:
        data = _load(cell.set)
    except LinkwiseError as trouble:
        return cell.line("failed", said=str(trouble))
    task = next(task for task in TASKS if task.name == cell.task)
    known = task.draw(data.y, cell.seed)
    oracle = Oracle(data.y, task.amount if task.kind == "asked" else 0)
    problem = Problem(data.X, data.n_classes, known, oracle, cell.seed)
    size = {"n": data.X.shape[0], "d": data.X.shape[1], "k": data.n_classes}
    forget_peak()
    before, start = memory("VmRSS"), time.process_time()
    try:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            answer = methods()[cell.method].run(problem)
    except PeerMissing as trouble:
        return cell.line("not installed", said=str(trouble), **size)
    except PeerFailed as failure:
        return cell.line("failed", said=str(failure), **size)
    except LinkwiseError as refusal:
        return cell.line("refused", said=str(refusal), **size)
    except Exception as error:
        said = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        return cell.line("failed", said=said, **size)
    if not isinstance(answer, Answered):
        seconds, most = time.process_time() - start, (memory("VmHWM") - before) / 1024
        answer = Answered(np.asarray(answer), seconds, most)
    return cell.line(
        "done",
        seconds=round(answer.seconds, 4),
        memory_mb=round(answer.memory_mb, 1),
        **_scores(data.y, answer.labels, _named(known, oracle)),
        **size,
    )


@lru_cache(maxsize=1)
def _load(name: str) -> Dataset:
    return load(name)


def _named(known: Links | PartialLabels | None, oracle: Oracle) -> Ints:
    if isinstance(known, Links):
        return known.linked_rows
    return oracle.named_rows if known is None else known.known_rows


def _scores(y: Ints, labels: NDArray[Any], named: Ints) -> Line:
    """Return all scores on all rows, and on the rows nobody named; None if there are none."""
    free = np.setdiff1d(np.arange(len(y)), named)
    found: Line = {"n_free": len(free)}
    for name, score in SCORES.items():
        found[name] = round(score(y, labels), 5)
        found[f"{name}_free"] = round(score(y[free], labels[free]), 5) if len(free) else None
    return found


def forget_peak() -> None:
    """Let the most memory this process has held be counted anew, where Linux allows it."""
    if sys.platform == "linux":
        try:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        except OSError:
            return


def memory(field: str) -> float:
    """Return a figure about this process's memory in kilobytes; NaN where it cannot be told."""
    path = Path("/proc/self/status")
    if not path.exists():
        return float("nan")
    lines = path.read_text(encoding="ascii").splitlines()
    found = [float(line.split()[1]) for line in lines if line.startswith(f"{field}:")]
    return found[0] if found else float("nan")
