"""``linkwise bench common``: everything against everybody."""

from __future__ import annotations

import os
from pathlib import Path

import click

from linkwise.cli.options import FilePath, NameList, quiet_option
from linkwise.tables import check_output


@click.command("common")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of .npz files with X and y that take part, instead of LINKWISE_DATA.",
)
@click.option("--sets", type=NameList(), help="Only these data sets.")
@click.option(
    "--methods", type=NameList(), help="Only these methods, as they are called in tables."
)
@click.option(
    "--tasks", type=NameList(), help='Only these, such as none,"500 links, 10% wrong",100 asked.'
)
@click.option(
    "--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="Draws of each cell."
)
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    help="Seconds of computing a cell may take; a method that needs more is shown as too slow.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes at a time."
)
@click.option(
    "--peers",
    is_flag=True,
    help="Let other packages take part: they are downloaded, into an environment in OUT.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("linkwise-benchmark"),
    show_default=True,
    help="Where cells, pages and the environment of other packages are kept.",
)
@click.option(
    "--again",
    is_flag=True,
    help="Measure again what another commit has measured, with --methods only those.",
)
@click.option("--report", is_flag=True, help="Measure nothing; write the pages of what is there.")
@click.option("-o", "--output", type=FilePath((".md",)), help="Write the page to this file, too.")
@quiet_option
def common(
    data: Path | None,
    sets: tuple[str, ...] | None,
    methods: tuple[str, ...] | None,
    tasks: tuple[str, ...] | None,
    seeds: int,
    limit: float,
    jobs: int,
    peers: bool,
    out: Path,
    again: bool,
    report: bool,
    output: Path | None,
    quiet: bool,
) -> None:
    """Run all methods on all data sets, and write who is first, by how much, at what cost.

    The sets are scikit-learn's and every .npz file with X and y in a folder. What
    was measured is kept in OUT, a line of JSON a cell: the command can be stopped, and goes on
    where it was.

    \b
    Examples:
      linkwise bench common --sets iris,wine --seeds 1
      linkwise bench common --data my-folder --sets my-set
      linkwise bench common --peers --jobs 8 --limit 600
      linkwise bench common --methods SequentialClustering --again
      linkwise bench common --report -o page.md
    """
    from linkwise.bench.common import Plan, run_cells, write_report
    from linkwise.bench.common.peers import prepare

    if output is not None:
        check_output(output)
    if data is not None:
        os.environ["LINKWISE_DATA"] = str(data.resolve())  # processes that are started read it too
    plan = Plan(out, sets, methods, seeds, limit, jobs, peers, tasks, again)

    def say(line: str) -> None:
        if not quiet:
            click.echo(line, err=True)

    if not report:
        if peers:
            prepare(plan.peers_folder, say)
        run_cells(plan, say)
    page, pictures = write_report(plan)
    if output is not None:
        output.write_text(page.read_text(encoding="utf-8"), encoding="utf-8")
    click.echo(f"The page is in {output or page}, with pictures in {pictures}.")
