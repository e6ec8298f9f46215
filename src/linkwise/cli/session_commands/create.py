"""``linkwise session create``: the ensemble is built once, all else is quick."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from linkwise.cli.options import (
    FilePath,
    NameList,
    array_option,
    drop_option,
    id_option,
    json_option,
    quiet_option,
    seed_option,
)
from linkwise.cli.progress import progress_bar


class ImageShape(click.ParamType[tuple[int, ...]]):
    """Height and width, and channels if there are any: 28x28 or 32x32x3."""

    name = "HxW"

    def convert(
        self, value: str | tuple[int, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the sides."""
        if isinstance(value, tuple):
            return value
        sides = value.lower().split("x")
        if len(sides) not in (2, 3) or not all(side.isdigit() for side in sides):
            self.fail(f"{value!r} is not a shape such as 28x28 or 32x32x3.", param, ctx)
        return tuple(int(side) for side in sides)


@click.command("create")
@click.argument("folder", type=FilePath())
@click.argument("data", type=FilePath())
@click.option(
    "-k", "n_clusters", type=click.IntRange(min=1), required=True, help="Number of clusters."
)
@click.option("--name", help="What people call the session; the folder's name by default.")
@id_option
@click.option("--features", type=NameList(), default=(), help="Cluster by these columns only.")
@drop_option
@click.option("--text", metavar="COLUMN", help="Column of text to show.")
@click.option("--image", metavar="COLUMN", help="Column of picture files, relative to DATA.")
@click.option("--image-shape", type=ImageShape(), help="For arrays: every row is such a picture.")
@array_option
@click.option(
    "--standardise/--no-standardise",
    default=None,
    help="Give every feature mean 0 and spread 1, or leave them as they are. By default, columns "
    "of CSV and Parquet files are standardised, NumPy arrays are not.",
)
@click.option(
    "--partitions",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Partitions in the ensemble.",
)
@click.option("--journal", metavar="URL", help="postgresql://...; a SQLite file by default.")
@seed_option
@quiet_option
@json_option
def create(
    folder: Path,
    data: Path,
    n_clusters: int,
    name: str | None,
    id_column: str | None,
    features: tuple[str, ...],
    drop: tuple[str, ...],
    text: str | None,
    image: str | None,
    image_shape: tuple[int, ...] | None,
    array: str | None,
    standardise: bool | None,
    partitions: int,
    journal: str | None,
    seed: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Make a session in FOLDER about the rows of DATA.

    DATA is a CSV, Parquet, Feather, JSON lines, .npy or .npz file. It stays where it is and must
    not change: the session knows its content by its hash.

    \b
    Examples:
      linkwise session create people people.csv -k 5 --id name --text notes
      linkwise session create digits digits.npy -k 10 --image-shape 8x8
    """
    from linkwise.session import Columns, Session  # a second to import: --help need not wait

    if features and drop:
        raise click.UsageError("--features and --drop exclude each other: give one of them.")
    os.umask(0o077)  # a session is for its owner alone
    columns = Columns(id_column, features, text, image, drop, image_shape, array)
    with (
        progress_bar("building the ensemble", quiet=quiet) as report,
        Session.create(
            folder,
            data,
            n_clusters,
            name=name,
            columns=columns,
            standardise=standardise,
            n_partitions=partitions,
            journal=journal,
            random_state=seed,
            progress=report,
        ) as session,
    ):
        clusters = session.view().clusters
    if as_json:
        made = {
            "folder": str(session.folder),
            "name": session.name,
            "n_rows": session.n_rows,
            "n_clusters": session.n_clusters,
            "sizes": [cluster.size for cluster in clusters],
        }
        click.echo(json.dumps(made, indent=2))
    else:
        sizes = ", ".join(str(cluster.size) for cluster in clusters)
        click.echo(f"{folder}: {session.n_rows} rows in {session.n_clusters} clusters of {sizes}.")
        click.echo(f"Now answer questions: linkwise session ask {folder}")
