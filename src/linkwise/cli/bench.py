"""``linkwise bench``: a paper's experiments, run again."""

from __future__ import annotations

from pathlib import Path

import click

from linkwise.bench import PAPERS, Settings, run_paper
from linkwise.cli.options import FilePath, NameList, quiet_option, seed_option
from linkwise.tables import check_output

_LISTED = "\n".join(f"      {key:<12}{title}" for key, title in PAPERS.items())


@click.command(
    "bench",
    help=f"""Run the experiments of a paper again and write a page about them.

    The page (Markdown) says what the paper claims, what came out here, and how far apart the two
    are. Data sets that are not bundled are looked for in the folder LINKWISE_DATA.

    \b
    Papers:
{_LISTED}

    \b
    Examples:
      linkwise bench partition --draws 2 --sets iris,wine
      linkwise bench sequential -o page.md
    """,
)
@click.argument("paper", type=click.Choice(list(PAPERS)), metavar="PAPER")
@click.option("--draws", type=click.IntRange(min=1), help="Repetitions; the paper's by default.")
@click.option("--sets", type=NameList(), help="Only these data sets.")
@seed_option
@click.option("-o", "--output", type=FilePath((".md",)), help="Write the page to this .md file.")
@quiet_option
def command(
    paper: str,
    draws: int | None,
    sets: tuple[str, ...] | None,
    seed: int,
    output: Path | None,
    quiet: bool,
) -> None:
    if output is not None:
        check_output(output)
    settings = Settings(draws, sets, seed, _silence if quiet else _say)
    page = run_paper(paper, settings)
    if output is None:
        click.echo(page)
    else:
        output.write_text(page, encoding="utf-8")
        click.echo(f"The page is in {output}.")


def _say(line: str) -> None:
    click.echo(line, err=True)


def _silence(line: str) -> None:
    """Say nothing."""
