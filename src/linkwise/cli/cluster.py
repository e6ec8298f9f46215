"""``linkwise cluster``: a table and what is known about it go in, a label per row comes out."""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import click
import scipy.sparse as sp

import linkwise as lw
from linkwise.cli.cluster_outcome import Outcome
from linkwise.cli.methods import DEFAULT, estimator_class, method_names
from linkwise.cli.options import (
    FilePath,
    NameList,
    array_option,
    drop_option,
    id_option,
    json_option,
    quiet_option,
    raw_option,
    seed_option,
)
from linkwise.cli.progress import Report, progress_bar
from linkwise.errors import InvalidInput
from linkwise.tables import Choice, Table, check_output, read_table, write_labels

if TYPE_CHECKING:
    from linkwise.cluster.base import ConstrainedClusterer
    from linkwise.typing import Matrix


@click.command("cluster")
@click.argument("data", type=FilePath())
@click.option(
    "-k", "n_clusters", type=click.IntRange(min=1), required=True, help="Number of clusters."
)
@click.option("--links", type=FilePath(), help="Pairs that are the same or different: i,j,kind.")
@click.option("--labels", type=FilePath(), help="Classes of some rows: id,label.")
@click.option(
    "--method",
    type=click.Choice(list(method_names())),
    default=DEFAULT,
    metavar="METHOD",
    help=f"How to cluster: {', '.join(method_names())}. The first is the default.",
)
@click.option(
    "-o",
    "--output",
    type=FilePath((".csv", ".parquet", ".npy")),
    required=True,
    help="Where the labels go; .csv, .parquet or .npy.",
)
@id_option
@click.option("--features", type=NameList(), default=(), help="Cluster by these columns only.")
@drop_option
@array_option
@click.option(
    "--standardise/--no-standardise",
    default=None,
    help="Give every feature mean 0 and spread 1, or leave them as they are. By default, columns "
    "of CSV and Parquet files are standardised, because each may have a unit of its own; NumPy "
    "arrays are not.",
)
@raw_option
@seed_option
@quiet_option
@json_option
def command(
    data: Path,
    n_clusters: int,
    links: Path | None,
    labels: Path | None,
    method: str,
    output: Path,
    id_column: str | None,
    features: tuple[str, ...],
    drop: tuple[str, ...],
    array: str | None,
    standardise: bool | None,
    raw: bool,
    seed: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Cluster the rows of a table, listening to links and labels.

    DATA is a CSV, Parquet, Feather, JSON lines, .npy or .npz file. Columns of numbers are features;
    columns of text are left out and named. Rows go by their number, counted from 0, or by the ids
    in --id COLUMN; the files of links and labels use the same names.

    \b
    Examples:
      linkwise cluster flowers.csv -k 3 -o clusters.csv
      linkwise cluster people.csv -k 5 --id name --drop age --links said.csv -o clusters.csv
      linkwise cluster pixels.npy -k 10 --labels some.csv --method constrained-kmeans -o out.npy
    """
    if features and drop:
        raise click.UsageError("--features and --drop exclude each other: give one of them.")
    check_output(output)
    table = read_table(data, Choice(id_column, features, drop), array)
    said, named = _read_knowledge(links, labels, table)
    knowledge = _joined(said, named)
    wanted = table.has_units if standardise is None else standardise
    started = time.perf_counter()
    with progress_bar("clustering", quiet=quiet) as report:
        X = _standardised(table.X) if wanted else table.X
        model, notes = _fit(method, n_clusters, seed, X, said, named, report)
    seconds = time.perf_counter() - started
    write_labels(output, model.labels_, table.ids, getattr(model, "margins_", None), raw=raw)
    outcome = Outcome(data, table, method, seed, wanted, model, knowledge, notes, seconds, output)
    if as_json:
        click.echo(json.dumps(outcome.as_dict(), indent=2))
    else:
        outcome.print()


def _read_knowledge(
    links: Path | None, labels: Path | None, table: Table
) -> tuple[lw.Links | None, lw.PartialLabels | None]:
    n_rows = table.X.shape[0]
    said = None if links is None else lw.Links.read(links, n_rows, ids=table.ids)
    named = None if labels is None else lw.PartialLabels.read(labels, n_rows, ids=table.ids)
    return said, named


def _joined(
    said: lw.Links | None, named: lw.PartialLabels | None
) -> lw.Links | lw.PartialLabels | None:
    """Return Links, PartialLabels or None; labels become links where both are given."""
    if said is not None and named is not None:
        return said | named.to_links()
    return named if said is None else said


def _standardised(X: Matrix) -> Matrix:
    from sklearn.preprocessing import StandardScaler  # a second to import: --help need not wait

    return StandardScaler(with_mean=not sp.issparse(X)).fit_transform(X)


def _fit(
    method: str,
    n_clusters: int,
    seed: int,
    X: Matrix,
    said: lw.Links | None,
    named: lw.PartialLabels | None,
    report: Report,
) -> tuple[ConstrainedClusterer, list[str]]:
    """Return the fitted estimator and the warnings it gave."""
    knowledge = _joined(said, named)
    detail = "brief" if knowledge is None else "full"
    model = estimator_class(method)(n_clusters=n_clusters, random_state=seed, report=detail)
    if sp.issparse(X) and not model.__sklearn_tags__().input_tags.sparse:
        raise InvalidInput(f"the method {method} does not read sparse rows. Choose another one.")
    with warnings.catch_warnings(record=True) as caught, lw.run_options(progress=report):
        warnings.simplefilter("always")
        if said is not None and named is not None and hasattr(model, "update"):
            model.fit(X).update(said, named)  # labels stay labels
        else:
            model.fit(X, constraints=knowledge)
    told = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    return model, list(dict.fromkeys(told))
