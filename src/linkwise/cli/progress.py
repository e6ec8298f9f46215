"""What is being done and how far it is, on stderr, for people who are watching."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from linkwise.bars import Report, progress_shown
from linkwise.cli.voice import is_verbose

__all__ = ["Report", "progress_bar"]


@contextmanager
def progress_bar(what: str, *, quiet: bool = False) -> Iterator[Report]:
    """Show how far the work is; yields the function that is told ``(done, total, what)``.

    Nothing is shown when stderr is not a terminal. Until the first report, and for work that
    never reports, the bar just moves. With ``--verbose`` there is a line for every step instead.
    """
    if is_verbose():
        with _steps(what) as report:
            yield report
        return
    if quiet or not sys.stderr.isatty():
        yield lambda done, total, what: None  # noqa: ARG005
        return
    with progress_shown(what) as report:
        yield report


@contextmanager
def _steps(whole: str) -> Iterator[Report]:
    """Print how long every step took, and the whole."""
    started = since = time.perf_counter()
    step: str | None = None

    def end() -> None:
        if step is not None:
            click.echo(f"{step}: {time.perf_counter() - since:.1f} s", err=True)

    def report(done: int, total: int, what: str) -> None:  # noqa: ARG001
        nonlocal step, since
        if what != step:
            end()
            step, since = what, since if step is None else time.perf_counter()

    yield report
    end()
    click.echo(f"{whole}: {time.perf_counter() - started:.1f} s in all", err=True)
