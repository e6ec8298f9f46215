"""``linkwise bench``: a paper's experiments, run again, and everything against everybody."""

from __future__ import annotations

from pathlib import Path

import click

from linkwise.bench import PAPERS, Settings, run_paper
from linkwise.cli.bench_common import common
from linkwise.cli.options import FilePath, NameList, quiet_option, seed_option
from linkwise.tables import check_output

_LISTED = "\n".join(f"      {key:<12}{title}" for key, title in PAPERS.items())


@click.command(
    "bench",
    cls=click.Group,
    help=f"""Run the experiments of a paper again, or all methods on all data sets.

    The page (Markdown) says what the paper claims, what came out here, and how far apart the two
    are. Data sets that are not bundled are looked for in the folder LINKWISE_DATA.

    \b
    Papers:
{_LISTED}

    \b
    Examples:
      linkwise bench partition --draws 2 --sets iris,wine
      linkwise bench sequential -o page.md
      linkwise bench common --sets iris,wine --seeds 1
    """,
)
def command() -> None: ...


def _paper(key: str, title: str) -> click.Command:
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


for _key, _title in PAPERS.items():
    command.add_command(_paper(_key, _title))
command.add_command(common)


def _say(line: str) -> None:
    click.echo(line, err=True)


def _silence(line: str) -> None:
    """Say nothing."""
