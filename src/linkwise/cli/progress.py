"""A progress bar on stderr, for people who are watching."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

Report = Callable[[int, int, str], None]


@contextmanager
def progress_bar(what: str, *, quiet: bool = False) -> Iterator[Report]:
    """Show how far the work is; yields the function that is told ``(done, total, what)``.

    Nothing is shown when stderr is not a terminal. Until the first report, and for work that
    never reports, the bar just moves.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda done, total, what: None  # noqa: ARG005
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)

        def report(done: int, total: int, what: str) -> None:
            progress.update(task, completed=done, total=total, description=what)

        yield report
