"""``linkwise session create``: the ensemble is built once, all else is quick."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from linkwise.cli.on_ray import cluster, ray_option
from linkwise.cli.options import (
    FilePath,
    ParamType,
    array_option,
    by_option,
    count_option,
    drop_option,
    encoding_option,
    id_option,
    json_option,
    quiet_option,
    roles_option,
    seed_option,
)
from linkwise.cli.progress import progress_bar
from linkwise.cli.session_commands.words import about_columns
from linkwise.markup import count


class ImageShape(ParamType[tuple[int, ...]]):
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
@count_option
@click.option("--name", help="What people call the session; the folder's name by default.")
@by_option
@id_option
@drop_option
@roles_option
@encoding_option
@click.option("--text", metavar="COLUMN", help="Column of text to show; the first one by default.")
@click.option(
    "--image",
    metavar="COLUMN",
    help="Column of picture files to show, relative to DATA; the first one by default.",
)
@click.option("--image-shape", type=ImageShape(), help="For arrays: every row is such a picture.")
@array_option
@click.option(
    "--standardise/--no-standardise",
    default=None,
    help="Give every column of numbers mean 0 and spread 1, or leave them as they are. By default, "
    "columns of tables are standardised, NumPy arrays are not.",
)
@click.option(
    "--partitions",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Partitions in the ensemble.",
)
@click.option("--journal", metavar="URL", help="postgresql://...; a SQLite file by default.")
@ray_option
@seed_option
@quiet_option
@json_option
def create(
    folder: Path,
    data: Path,
    n_clusters: int | str,
    name: str | None,
    by: tuple[str, ...],
    id_column: str | None,
    drop: tuple[str, ...],
    roles: dict[str, str],
    encoding: str | None,
    text: str | None,
    image: str | None,
    image_shape: tuple[int, ...] | None,
    array: str | None,
    standardise: bool | None,
    partitions: int,
    journal: str | None,
    ray: str | None,
    seed: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Make a session in FOLDER about the rows of DATA.

    DATA is a CSV, Excel (.xlsx), Parquet, Feather, JSON lines, .npy or .npz file, a .txt file with
    a text on each line, or a folder of pictures or of Parquet files, which are one table whose rows
    are not held in memory. It stays where it is and must not change: the
    session knows its content by its hash. What the columns are is guessed; --by and --as decide
    otherwise.

    \b
    Examples:
      linkwise session create people people.csv -k 5 --id name --by height,notes
      linkwise session create photos pictures/ -k 10
      linkwise session create digits digits.npy -k 10 --image-shape 8x8
    """
    from linkwise.session import Columns, Session  # a second to import: --help need not wait

    if by and drop:
        raise click.UsageError("--by and --drop exclude each other: give one of them.")
    os.umask(0o077)  # a session is for its owner alone
    columns = Columns(id_column, by, text, image, drop, image_shape, array, roles, encoding)
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
            engine=None if ray is None else cluster(ray, folder.parent),
            progress=report,
        ) as session,
    ):
        view = session.view()
        clusters = [cluster for cluster in view.clusters if cluster.number != view.nowhere]
    if as_json:
        made = {
            "folder": str(session.folder),
            "name": session.name,
            "n_rows": session.n_rows,
            "n_clusters": session.n_clusters,
            "grouped_by": session.grouped_by,
            "left_out": session.left_out,
            "notes": session.notes,
            "unusable": [session.ids[row] for row in session.unusable],
            "sizes": [cluster.size for cluster in clusters],
        }
        click.echo(json.dumps(made, indent=2))
    else:
        sizes = ", ".join(str(cluster.size) for cluster in clusters)
        number = count(session.n_clusters, "cluster")
        click.echo(f"{folder}: {count(session.n_rows, 'row')} in {number} of {sizes}.")
        click.echo(about_columns(session))
        ask = (
            f"session ask {folder}" if ray is None else f"serve --root {folder.parent} --ray {ray}"
        )
        click.echo(f"Now answer questions: linkwise {ask}")
