"""``linkwise check``: do the links agree with each other, and if not, which to withdraw."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from linkwise.cli.link_options import LinkColumns, link_columns_option, skip_unknown_option
from linkwise.cli.notes import noted, print_notes
from linkwise.cli.options import FilePath, array_option, id_option, json_option
from linkwise.files.endings import KNOWLEDGE_READ, KNOWLEDGE_WRITTEN
from linkwise.tables import check_output, read_row_names


@click.command("check")
@click.argument("links", type=FilePath(KNOWLEDGE_READ))
@click.option("--rows", type=click.IntRange(min=0), help="How many rows the links are about.")
@click.option("--data", type=FilePath(), help="The table the links are about; counts its rows.")
@id_option
@array_option
@link_columns_option
@skip_unknown_option
@click.option(
    "--fix",
    type=FilePath(KNOWLEDGE_WRITTEN),
    help="Write the links that remain to this file.",
)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    links: Path,
    rows: int | None,
    data: Path | None,
    id_column: str | None,
    array: str | None,
    link_columns: LinkColumns,
    skip_unknown: bool,
    fix: Path | None,
    as_json: bool,
) -> None:
    """Find contradictions in a file of links and propose a repair.

    LINKS is a CSV, JSON, Parquet or Feather file with columns i, j, kind and, if wanted, weight.
    Kinds are must and cannot, or other words for them: same, must-link, true, yes, 1; different,
    cannot-link, false, no, 0. Links that are unsure are skipped and counted.
    Two rows that a chain of "same" makes equal cannot be different: every such contradiction is
    told with its shortest chain. The repair withdraws the lightest set of links that leaves none.

    With --rows, or --data and --id, links about rows that do not exist are found too.

    The exit code is 0 if the links agree, 1 if they do not, also when --fix has mended them.

    \b
    Examples:
      linkwise check said.csv
      linkwise check said.csv --data people.csv --id name --fix mended.csv
      linkwise check said.csv --link-columns person,other,verdict
    """
    from linkwise.cli.check_finding import Finding  # a second to import: --help need not wait
    from linkwise.cli.named_links import read_named_links

    if rows is not None and data is not None:
        raise click.UsageError("--rows and --data exclude each other: give one of them.")
    if data is None and (id_column or array):
        raise click.UsageError("--id and --array are about the table: give --data too.")
    if fix is not None:
        check_output(fix)
    counted = _rows(rows, data, id_column, array)
    with noted() as notes:
        said = read_named_links(links, *counted, link_columns, skip_unknown=skip_unknown)
    print_notes(notes)
    if fix is not None and fix.suffix.lower() == ".json" and not said.all_rows:
        raise click.UsageError("A .json file says how many rows there are: give --rows or --data.")
    finding = Finding.of(said)
    if fix is not None:
        said.write(fix, finding.kept)
    if as_json:
        click.echo(json.dumps(finding.as_dict(links, fix), indent=2))
    else:
        finding.print(links, fix)
    ctx.exit(1 if finding.conflicts else 0)


def _rows(
    rows: int | None, data: Path | None, id_column: str | None, array: str | None
) -> tuple[int | None, list[Any] | None]:
    """Return the number of rows and their ids, as far as the user told."""
    return (rows, None) if data is None else read_row_names(data, id_column, array)
