"""``linkwise example``: files to try the other commands on."""

from __future__ import annotations

from pathlib import Path

import click

#: Every example; as in ``linkwise.datasets.examples``, which takes a second to load.
NAMES = ("flowers", "people", "tickets")


@click.command("example")
@click.argument("name", type=click.Choice(NAMES), required=False)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Folder for the files; by default the one you are in.",
)
def command(name: str | None, out: Path) -> None:
    """Write example data, to try the other commands on.

    Without NAME, lists what there is. Nothing is downloaded, and no file is overwritten.

    \b
    Examples:
      linkwise example
      linkwise example flowers
      linkwise cluster flowers.csv -k 3 --links answers.csv -o clusters.csv
    """
    from linkwise.datasets.examples import EXAMPLES, about, write_example

    if name is None:
        width = max(map(len, EXAMPLES))
        for known in EXAMPLES:
            click.echo(f"{known:{width}}  {about(known)}")
        return
    written = write_example(name, out)
    click.echo(f"{about(name)} Wrote {', '.join(map(str, written))}.")
