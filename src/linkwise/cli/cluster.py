"""``linkwise cluster``: a table and what is known about it go in, a label per row comes out."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import linkwise as lw
from linkwise.cli.cluster_outcome import Outcome
from linkwise.cli.link_options import LinkColumns, link_columns_option, skip_unknown_option
from linkwise.cli.methods import DEFAULT, MethodName, estimator_class, method_names
from linkwise.cli.notes import noted
from linkwise.cli.options import (
    FilePath,
    array_option,
    by_option,
    count_option,
    drop_option,
    encoding_option,
    id_option,
    json_option,
    quiet_option,
    raw_option,
    roles_option,
    seed_option,
)
from linkwise.cli.progress import Report, progress_bar
from linkwise.cli.streams import DASH, brought
from linkwise.errors import Contradiction, InvalidInput
from linkwise.tables import Choice, Table, check_output, print_labels, read_table, write_labels

if TYPE_CHECKING:
    from linkwise.cluster.base import ConstrainedClusterer
    from linkwise.typing import Matrix


@click.command("cluster")
@click.argument("data", type=FilePath(dash=True))
@count_option
@click.option("--links", type=FilePath(), help="Pairs that are the same or different: i,j,kind.")
@click.option("--labels", type=FilePath(), help="Classes of some rows: id,label.")
@click.option(
    "--method",
    type=MethodName(),
    default=DEFAULT,
    metavar="METHOD",
    help=f"How to cluster: {', '.join(method_names())}. The first is the default.",
)
@click.option(
    "-o",
    "--output",
    type=FilePath((".csv", ".parquet", ".npy"), dash=True),
    help="Where the labels go; .csv, .parquet or .npy, or - for CSV to stdout. Without it, they "
    "are not kept.",
)
@link_columns_option
@skip_unknown_option
@by_option
@id_option
@drop_option
@roles_option
@encoding_option
@array_option
@click.option(
    "--standardise/--no-standardise",
    default=None,
    help="Give every column of numbers mean 0 and spread 1, or leave them as they are. By default, "
    "columns of tables are standardised, because each may have a unit of its own; NumPy arrays are "
    "not. What is made of texts, pictures and mixed tables is balanced already.",
)
@raw_option
@seed_option
@quiet_option
@json_option
def command(
    data: Path,
    n_clusters: int | str,
    links: Path | None,
    labels: Path | None,
    method: str,
    output: Path | None,
    link_columns: LinkColumns,
    skip_unknown: bool,
    by: tuple[str, ...],
    id_column: str | None,
    drop: tuple[str, ...],
    roles: dict[str, str],
    encoding: str | None,
    array: str | None,
    standardise: bool | None,
    raw: bool,
    seed: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Cluster the rows of a table, listening to links and labels.

    DATA is a CSV, Excel (.xlsx), Parquet, Feather, JSON lines, .npy or .npz file, a .txt file with
    a text on each line, a folder of pictures, or - for stdin. What the columns are is guessed:
    numbers, categories, dates, texts and pictures are grouped by, names and counters are left out,
    and the summary says which. Rows go by their number, counted from 0, or by the ids in --id
    COLUMN; the files of links and labels use the same names. Rows with nothing to group by get the
    label -1.

    \b
    Examples:
      linkwise cluster flowers.csv
      linkwise cluster tickets.csv --by message -o clusters.csv
      linkwise cluster flowers.csv -k 3 -o clusters.csv
      linkwise cluster tickets.xlsx -k 8 --by message --id ticket -o clusters.csv
      linkwise cluster photos/ -k 10 -o clusters.csv
      linkwise cluster people.csv -k 5 --id name --drop age --as zip=category -o clusters.csv
      linkwise cluster pixels.npy -k 10 --labels some.csv --method constrained-kmeans -o out.npy
      cat tickets.csv | linkwise cluster - -k 8 -o - > clusters.csv
    """
    if by and drop:
        raise click.UsageError("--by and --drop exclude each other: give one of them.")
    if output is not None and output != DASH:
        check_output(output)
    with brought(data) as path:
        table = read_table(path, Choice(id_column, by, drop, roles), array, encoding)
    with noted() as skipped:
        said, named = _read_knowledge(links, labels, table, link_columns, skip_unknown)
    wanted = _standardise(table, standardise)
    used = np.setdiff1d(np.arange(table.X.shape[0]), table.unusable)
    if len(used) < table.X.shape[0]:
        said = None if said is None else said[used]
        named = None if named is None else named[used]
    started = time.perf_counter()
    with progress_bar("clustering", quiet=quiet) as report:
        X = table.X if len(used) == table.X.shape[0] else table.X[used]
        X = _standardised(X) if wanted else X
        model, notes = _fit(method, n_clusters, seed, X, said, named, report)
    notes = skipped + notes
    seconds = time.perf_counter() - started
    written = _spread(model.labels_, used, table, -1)
    margins = getattr(model, "margins_", None)
    margins = None if margins is None else _spread(margins, used, table, 0)
    knowledge = _joined(said, named)
    outcome = Outcome(
        data, table, method, seed, wanted, model, knowledge, named, notes, seconds, output
    )
    to_stdout = output == DASH
    if to_stdout:
        print_labels(sys.stdout, written, table.ids, margins, raw=raw)
    elif output is not None:
        write_labels(output, written, table.ids, margins, raw=raw)
    if as_json:
        click.echo(json.dumps(outcome.as_dict(), indent=2), err=to_stdout)
    else:
        outcome.print(err=to_stdout)


def _standardise(table: Table, wish: bool | None) -> bool:
    """Return whether to standardise, which only columns of plain numbers can be."""
    if table.made is not None and wish is not None:
        raise InvalidInput(
            "the rows are grouped by more than plain numbers, and their parts are balanced "
            "already. Leave --standardise and --no-standardise out."
        )
    return table.has_units if wish is None else wish


def _spread(values: NDArray[Any], used: NDArray[Any], table: Table, other: int) -> NDArray[Any]:
    """Return a value for every row of the table, ``other`` for those that were not used."""
    n_rows = table.X.shape[0]
    if len(used) == n_rows:
        return values
    spread = np.full(n_rows, other, dtype=values.dtype)
    spread[used] = values
    return spread


def _read_knowledge(
    links: Path | None, labels: Path | None, table: Table, columns: LinkColumns, skip_unknown: bool
) -> tuple[lw.Links | None, lw.PartialLabels | None]:
    n_rows, ids = table.X.shape[0], table.ids
    said = named = None
    if links is not None:
        said = lw.Links.read(links, n_rows, ids=ids, **columns, skip_unknown=skip_unknown)
    if labels is not None:
        named = lw.PartialLabels.read(labels, n_rows, ids=ids, skip_unknown=skip_unknown)
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
    n_clusters: int | str,
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
    with noted() as notes, lw.run_options(progress=report):
        try:
            if said is not None and named is not None and hasattr(model, "update"):
                model.fit(X).update(said, named)  # labels stay labels
            else:
                model.fit(X, constraints=knowledge)
        except Contradiction as error:
            raise InvalidInput(
                f"the method {method} keeps every link, and these contradict each other. linkwise "
                "check shows where, by the names in the file, and what to withdraw."
            ) from error
    return model, notes
