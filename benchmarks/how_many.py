"""How many clusters: "auto" against the number of classes, without answers and after some asked.

    python benchmarks/how_many.py [--half design|held-out] [--asked 0] [--out how_many.json]

Twenty sets, one of each source, with at most 30 classes, as they are in the files; of larger ones
5,000 rows. The first ten were looked at while the rule was made, the others once, at the end.
NMI is that of all rows. Answers are true, asked fifty at a time.
"""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import Any

import click
import numpy as np

import linkwise as lw
from linkwise.errors import ConstraintWarning

#: Looked at while the rule was made.
DESIGN = (
    "breast",
    "ecoli",
    "iris",
    "optdigits",
    "pendigits",
    "satimage",
    "segment",
    "usps",
    "vehicle",
    "wine",
)
#: Looked at once, when it was done.
HELD_OUT = (
    "bci",
    "coil20",
    "covtype",
    "ionosphere",
    "letter",
    "magic",
    "mfeat_fac",
    "mnist",
    "ohscal",
    "pie10_exact",
)
HALVES = {"design": DESIGN, "held-out": HELD_OUT}
MAX_ROWS = 5_000
BATCH = 50
FACTOR = 1.5


def measure(name: str, seed: int, n_asked: int) -> dict[str, Any]:
    """Fit, ask, and compare with the same model at the number of classes."""
    data = lw.datasets.load(name)
    X, y = data.X, data.y
    if X.shape[0] > MAX_ROWS:
        rows = np.random.RandomState(seed).choice(X.shape[0], MAX_ROWS, replace=False)
        X, y = X[rows], y[rows]
    n_classes = len(np.unique(y))
    start = time.process_time()
    model = lw.SequentialClustering("auto", random_state=seed).fit(X)
    seconds = time.process_time() - start
    before = model.n_clusters_
    found = {"n_classes": n_classes, "before": before, "seconds_fit": round(seconds, 1)}
    found["nmi_before"] = lw.scores.nmi(y, model.labels_)
    found["nmi_true_before"] = lw.scores.nmi(y, model.recluster(n_classes).labels_)
    if n_asked == 0:
        return found
    model.recluster("auto")
    asked_so_far = 0
    while asked_so_far < n_asked:
        pairs = model.query(BATCH)
        if len(pairs) == 0:
            break
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        start = time.process_time()
        model.update(lw.Links(len(y), must=pairs[same], cannot=pairs[~same]))
        seconds = time.process_time() - start
        asked_so_far += len(pairs)
    found |= {"after": model.n_clusters_, "seconds_update": round(seconds, 1)}
    found["nmi_after"] = lw.scores.nmi(y, model.labels_)
    start = time.process_time()
    found["nmi_true_after"] = lw.scores.nmi(y, model.recluster(n_classes).labels_)
    found["seconds_recluster"] = round(time.process_time() - start, 2)
    return found


def hits(number: int, n_classes: int) -> bool:
    """Tell whether a number is within a factor of the number of classes."""
    return max(number / n_classes, n_classes / number) <= FACTOR


def show(results: dict[str, dict[str, Any]], n_asked: int) -> None:
    """Print a table of Markdown, and the figures below it."""
    whens = {"before": "auto"} | ({"after": f"after {n_asked} asked"} if n_asked else {})
    names = ["set", "classes", *(cell for w in whens.values() for cell in (w, "NMI (true k)"))]
    click.echo(f"| {' | '.join(names)} |\n|{'---|' * len(names)}")
    for name, one in results.items():
        cells = [name, str(one["n_classes"])]
        for when in whens:
            star = "" if hits(one[when], one["n_classes"]) else " ✗"
            cells.append(f"{one[when]}{star}")
            cells.append(f"{one[f'nmi_{when}']:.3f} ({one[f'nmi_true_{when}']:.3f})")
        click.echo(f"| {' | '.join(cells)} |")
    for when, heading in whens.items():
        n_hits = sum(hits(one[when], one["n_classes"]) for one in results.values())
        lost = np.mean([one[f"nmi_true_{when}"] - one[f"nmi_{when}"] for one in results.values()])
        click.echo(f"{heading}: {n_hits} of {len(results)} within {FACTOR}, NMI lost {lost:.3f}")


@click.command()
@click.option("--half", type=click.Choice([*HALVES, "both"]), default="both")
@click.option("--asked", default=100)
@click.option("--seed", default=0)
@click.option("--out", type=click.Path(path_type=Path))
def main(half: str, asked: int, seed: int, out: Path | None) -> None:
    """Measure the sets that are here."""
    warnings.simplefilter("ignore", ConstraintWarning)
    here = set(lw.datasets.available())
    names = [name for key, some in HALVES.items() if half in (key, "both") for name in some]
    results = {}
    for name in names:
        if name in here:
            results[name] = measure(name, seed, asked)
            click.echo(f"{name}: {results[name]}", err=True)
    show(results, asked)
    if out is not None:
        out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
