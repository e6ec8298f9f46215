"""``linkwise demo``: digits, a simulated user, and what the answers buy."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table as Grid

import linkwise as lw
from linkwise.cli.demo_run import Step, ask_and_tell
from linkwise.cli.options import json_option, quiet_option, seed_option
from linkwise.cli.progress import progress_bar
from linkwise.errors import missing_extra

if TYPE_CHECKING:
    from linkwise.datasets import Dataset
    from linkwise.typing import Dense


@click.command("demo")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out"),
    show_default=True,
    help="Folder for the picture, the data and the answers.",
)
@click.option(
    "--answers", type=click.IntRange(min=1), default=200, show_default=True, help="How many."
)
@click.option(
    "--wrong",
    type=click.FloatRange(0, 0.5),
    default=0.0,
    show_default=True,
    help="Share of the answers that the simulated user gets wrong.",
)
@seed_option
@quiet_option
@json_option
def command(out: Path, answers: int, wrong: float, seed: int, quiet: bool, as_json: bool) -> None:
    """Watch answers improve the clustering of handwritten digits.

    Clusters the 1797 digits that come with scikit-learn, then asks a simulated user, who knows
    the truth, whether two of them show the same digit. Prints how the agreement with the truth
    (NMI) changes, on all rows and on the rows that no answer names, and draws a picture where
    there is matplotlib.

    \b
    Examples:
      linkwise demo
      linkwise demo --answers 400 --wrong 0.1 --seed 7 --out results
    """
    out.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    digits = lw.datasets.load("digits")
    with progress_bar("clustering the digits", quiet=quiet) as report:
        steps, links = ask_and_tell(digits, answers, wrong=wrong, seed=seed, report=report)
    picture = _draw(digits, steps, out / "digits.png")
    links.write(out / "answers.csv")
    _write_digits(digits.X, out / "digits.csv")
    seconds = time.perf_counter() - started
    if as_json:
        told = [step.as_dict() for step in steps]
        drawn = None if picture is None else str(picture)
        click.echo(json.dumps({"steps": told, "picture": drawn, "seconds": seconds}))
    else:
        _tell(digits, steps, wrong, out, picture, seconds)


def _draw(digits: Dataset, steps: Sequence[Step], path: Path) -> Path | None:
    if find_spec("matplotlib") is None:
        return None
    from linkwise.cli.demo_picture import draw  # matplotlib is slow to import

    draw(digits.X, steps, path)
    return path


def _write_digits(X: Dense, path: Path) -> None:
    header = ",".join(f"pixel_{k}" for k in range(X.shape[1]))
    np.savetxt(path, X, fmt="%d", delimiter=",", header=header, comments="")


def _tell(
    digits: Dataset,
    steps: Sequence[Step],
    wrong: float,
    out: Path,
    picture: Path | None,
    seconds: float,
) -> None:
    user = "who is always right" if wrong == 0 else f"who is wrong {100 * wrong:g} % of the time"
    click.echo(
        f"{len(digits.y)} handwritten digits, {digits.n_classes} clusters. "
        f"A simulated user, {user}, was asked\n"
        '"same digit or different?" about the pairs that SequentialClustering chose.\n'
    )
    Console().print(_grid(steps))
    click.echo(
        "\nNMI is the agreement with the true digits: 0 is chance, 1 is perfect. The last column\n"
        "leaves out the digits that were shown to the user."
    )
    if not_kept := steps[-1].n_answers - steps[-1].n_kept:
        click.echo(
            f"{not_kept} {'answer was' if not_kept == 1 else 'answers were'} not followed; "
            "model.suspects_ ranks the doubtful ones."
        )
    missing = missing_extra("The picture", "matplotlib", "plot")
    look = f"{missing}\nTry:" if picture is None else f"Look at {picture}, then try:"
    click.echo(
        f"\nTook {seconds:.0f} s. {look}\n"
        f"  linkwise check {out / 'answers.csv'}\n"
        f"  linkwise cluster {out / 'digits.csv'} -k 10 --no-standardise "
        f"--links {out / 'answers.csv'} -o {out / 'clusters.csv'}\n"
        f"  linkwise demo --wrong 0.1\n"
        f"  linkwise studio    (answer yourself, in the browser; from a checkout: make studio)"
    )


def _grid(steps: Sequence[Step]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False)
    for heading in ("answers", "same", "links kept", "rows moved", "NMI, all", "NMI, not asked"):
        grid.add_column(heading, justify="right")
    for step in steps:
        cells = (step.n_answers, step.n_same, step.n_kept, step.n_moved)
        rest = "" if step.nmi_not_asked is None else f"{step.nmi_not_asked:.3f}"
        grid.add_row(*map(str, cells), f"{step.nmi_all:.3f}", rest)
    return grid
