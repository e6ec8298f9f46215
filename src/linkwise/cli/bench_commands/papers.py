"""``linkwise bench PAPER``: a paper's experiments, run again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from linkwise.bench import KEEPING, Kept, Settings, run_paper
from linkwise.cli.options import FilePath, NameList, quiet_option, seed_option
from linkwise.tables import check_output


def paper_command(key: str, title: str) -> click.Command:
    """Return the command that reproduces one paper."""

    @click.command(key, hidden=True, help=f"Run the experiments again: {title}.")
    @click.option(
        "--draws", type=click.IntRange(min=1), help="Repetitions; the paper's by default."
    )
    @click.option("--sets", type=NameList(), help="Only these data sets.")
    @seed_option
    @click.option(
        "-o", "--output", type=FilePath((".md",)), help="Write the page to this .md file."
    )
    @_keep_option(key)
    @quiet_option
    def paper(
        draws: int | None,
        sets: tuple[str, ...] | None,
        seed: int,
        output: Path | None,
        quiet: bool,
        keep: Path | None = None,
    ) -> None:
        for path in (output, keep):
            if path is not None:
                check_output(path)
        settings = Settings(draws, sets, seed, _silence if quiet else _say, Kept(keep))
        page = run_paper(key, settings)
        if output is None:
            click.echo(page)
        else:
            output.write_text(page, encoding="utf-8")
            click.echo(f"The page is in {output}.")

    return paper


def _keep_option(key: str) -> Callable[[Any], Any]:
    """Offer --keep where a run takes so long that somebody may stop it."""
    if key not in KEEPING:
        return lambda command: command
    return click.option(
        "--keep",
        type=FilePath((".jsonl",)),
        help="Write figures to this .jsonl file as they come, and compute none that is there.",
    )


def _say(line: str) -> None:
    click.echo(line, err=True)


def _silence(line: str) -> None:
    """Say nothing."""
