"""How far work is, for people who are watching a terminal or a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[int, int, str], None]

_WIDTH = 30


@contextmanager
def progress_shown(what: str = "") -> Iterator[Report]:
    """Show how far work is on stderr; yields the function that is told ``(done, total, what)``.

    A terminal has a bar that vanishes at the end, a notebook a line that is written over, and
    anything else a line for every step that is over.
    """
    if sys.stderr.isatty():
        with _rich_bar(what) as report:
            yield report
    else:
        with _lines(over_again=_in_notebook()) as report:
            yield report


@contextmanager
def _rich_bar(what: str) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None) if what else None

        def report(done: int, total: int, what: str) -> None:
            nonlocal task
            if task is None:
                task = progress.add_task(what, total=total)
            progress.update(task, completed=done, total=total, description=what)

        yield report


@contextmanager
def _lines(*, over_again: bool) -> Iterator[Report]:
    last: tuple[str, int] | None = None

    def report(done: int, total: int, what: str) -> None:
        nonlocal last
        tenth = 10 * done // max(total, 1)
        if over_again and (what, tenth) != last:
            filled = _WIDTH * done // max(total, 1)
            bar = "█" * filled + "░" * (_WIDTH - filled)
            sys.stderr.write(f"\r{what}: {bar} {done}/{total} ")
            sys.stderr.flush()
        elif not over_again and done >= total and last != (what, tenth):
            sys.stderr.write(f"{what}: {done} of {total}\n")
        last = (what, tenth)

    yield report
    if over_again and last is not None:
        sys.stderr.write("\n")


def _in_notebook() -> bool:
    """Tell whether a kernel of Jupyter runs this."""
    shell = sys.modules.get("IPython")
    kernel = None if shell is None else shell.get_ipython()
    return kernel is not None and type(kernel).__name__ == "ZMQInteractiveShell"
