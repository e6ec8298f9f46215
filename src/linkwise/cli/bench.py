"""``linkwise bench``: a paper's experiments, run again, and everything against everybody."""

from __future__ import annotations

import click

from linkwise.bench import PAPERS
from linkwise.cli.bench_commands.common import common
from linkwise.cli.bench_commands.papers import paper_command

_LISTED = "\n".join(f"      {key:<12}{title}" for key, title in PAPERS.items())


@click.command(
    "bench",
    cls=click.Group,
    help=f"""Run a paper's experiments again, or all methods on all sets.

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


for _key, _title in PAPERS.items():
    command.add_command(paper_command(_key, _title))
command.add_command(common)
