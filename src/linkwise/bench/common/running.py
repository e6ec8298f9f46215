"""Which cells there are, which are still to be measured, and by how many processes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from linkwise.bench import json_lines
from linkwise.bench.common.measuring import Cell, Line
from linkwise.bench.common.methods import Method, methods
from linkwise.bench.common.peers import is_installed
from linkwise.bench.common.tasks import TASKS, Task
from linkwise.bench.common.workers import Worker
from linkwise.bench.environment import commit
from linkwise.datasets import available
from linkwise.datasets.load import size
from linkwise.errors import InvalidInput

Run = Callable[[Cell], Line]
CELLS = "cells.jsonl"
_TASKS = {task.name: task for task in TASKS}


@dataclass(frozen=True)
class Plan:
    """What is to be measured, and what it may cost.

    Attributes
    ----------
    folder : Path
        Where lines, pages and the environment of the peers are kept.
    sets, methods, tasks : tuple of str or None
        Only these; None is all.
    n_seeds : int
        Seeds 0 to ``n_seeds - 1``.
    limit : float
        Seconds of computing a cell may take.
    n_jobs : int
        Processes.
    peers : bool
        Whether other packages take part.
    again : bool
        Whether cells that another commit has measured are measured again.
    """

    folder: Path
    sets: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    n_seeds: int = 3
    limit: float = 600.0
    n_jobs: int = 1
    peers: bool = False
    tasks: tuple[str, ...] | None = None
    again: bool = False

    @property
    def lines(self) -> Path:
        """The file with one line a cell."""
        return self.folder / CELLS

    @property
    def peers_folder(self) -> Path:
        """The folder with the environment of the peers."""
        return self.folder / "peers"

    def chosen_sets(self) -> list[str]:
        """Return the sets, the smallest first."""
        names = _chosen("a set on this machine", self.sets, available())
        return sorted(names, key=lambda name: (size(name), name))

    def chosen_methods(self) -> list[Method]:
        """Return the methods that take part."""
        known = {name: m for name, m in methods().items() if self.peers or not m.peer}
        return [known[name] for name in _chosen("a method", self.methods, known)]

    def chosen_tasks(self) -> list[Task]:
        """Return what methods are told."""
        return [_TASKS[name] for name in _chosen("a task", self.tasks, _TASKS)]

    def cells(self) -> Iterator[Cell]:
        """Yield every cell: all sets with the first seed first, small sets before large ones."""
        names, taking_part, told = self.chosen_sets(), self.chosen_methods(), self.chosen_tasks()
        for seed in range(self.n_seeds):
            for name in names:
                for method in taking_part:
                    for task in told:
                        if task.kind in method.kinds:
                            yield Cell(name, method.name, task.name, seed)


def _chosen(what: str, wanted: tuple[str, ...] | None, known: Iterable[str]) -> list[str]:
    listed = list(known)
    for name in wanted or ():
        if name not in listed:
            raise InvalidInput(f"{name!r} is not {what}. Known: {', '.join(listed)}.")
    return [name for name in listed if wanted is None or name in wanted]


def read_lines(path: Path) -> list[Line]:
    """Return the last line of each cell."""
    return list({Cell.of(line): line for line in json_lines.read_lines(path)}.values())


def _too_slow(line: Line, limit: float) -> bool:
    """Tell whether a cell was ended at this limit or a higher one."""
    return line["status"] == "too slow" and float(line.get("seconds", 0.0)) >= limit


def _is_answered(line: Line, plan: Plan) -> bool:
    """Tell whether a line says what there is to say; a peer may have been installed since."""
    if line["status"] == "not installed":
        return not is_installed(line["method"], plan.peers_folder)
    return bool(line["status"] != "too slow")


def hopeless(cell: Cell, slow: Iterable[Cell]) -> bool:
    """Tell whether the method was too slow on the set when told no more of the same kind."""
    told = _TASKS[cell.task]
    before = [
        _TASKS[other.task] for other in slow if (other.set, other.method) == (cell.set, cell.method)
    ]
    return any(task.kind == told.kind and task.amount <= told.amount for task in before)


def run_cells(
    plan: Plan,
    say: Callable[[str], None] = lambda line: None,  # noqa: ARG005
    worker: Callable[[], Worker] | None = None,
) -> None:
    """Measure what is missing, and append a line for each cell; the last line of a cell counts.

    A method that is too slow for a set when told something is not told more of that kind there:
    those cells are written down as too slow, too. With a higher limit than then it is tried again.
    """
    plan.folder.mkdir(parents=True, exist_ok=True)
    json_lines.mend_end(plan.lines)
    version = commit()
    known = read_lines(plan.lines)
    if plan.again:
        known = [line for line in known if line.get("commit") == version]
    slow = {Cell.of(line) for line in known if _too_slow(line, plan.limit)}
    done = {Cell.of(line) for line in known if _is_answered(line, plan)}
    done |= {cell for cell in map(Cell.of, known) if hopeless(cell, slow)}
    todo: queue.SimpleQueue[Cell] = queue.SimpleQueue()
    for cell in plan.cells():
        if cell not in done:
            todo.put(cell)
    n_cells, lock = todo.qsize(), threading.Lock()

    def keep(line: Line) -> None:
        with lock:
            json_lines.append_line(plan.lines, {**line, "commit": version})
        figure = f", NMI {line['nmi']:.3f}" if "nmi" in line else ""
        left = f"{todo.qsize()} of {n_cells} left"
        about = f"{line['set']}, {line['method']}, {line['task']}, seed {line['seed']}"
        say(f"{about}: {line['status']}{figure} ({left})")

    def work() -> None:
        mine = worker() if worker is not None else Worker(plan.limit)
        try:
            while True:
                cell = todo.get_nowait()
                if hopeless(cell, tuple(slow)):  # other threads add to it
                    keep(cell.line("too slow", said="it was when told no more than this"))
                    continue
                line = mine.run(cell)
                if line["status"] == "too slow":
                    slow.add(cell)
                keep(line)
        except queue.Empty:
            return
        finally:
            mine.close()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(plan.n_jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.5)  # so that Ctrl-C is heard
