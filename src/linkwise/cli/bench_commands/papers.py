"""``linkwise bench PAPER``: a paper's experiments, run again."""

from __future__ import annotations

from pathlib import Path

import click

from linkwise.bench import Settings, run_paper
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
    @quiet_option
    def paper(
        draws: int | None,
        sets: tuple[str, ...] | None,
        seed: int,
        output: Path | None,
        quiet: bool,
    ) -> None:
        if output is not None:
            check_output(output)
        settings = Settings(draws, sets, seed, _silence if quiet else _say)
        page = run_paper(key, settings)
        if output is None:
            click.echo(page)
        else:
            output.write_text(page, encoding="utf-8")
            click.echo(f"The page is in {output}.")

    return paper


def _say(line: str) -> None:
    click.echo(line, err=True)


def _silence(line: str) -> None:
    """Say nothing."""
