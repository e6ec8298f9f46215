"""The picture of ``linkwise demo``: the map before, the map after, the curve between them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from linkwise import plot
from linkwise.cli.demo_run import Step


def draw(X: NDArray[Any], steps: Sequence[Step], path: Path) -> None:
    """Draw the rows on their first two principal components, and NMI over answers."""
    places = PCA(n_components=2, svd_solver="full").fit_transform(X)
    first, last = steps[0], steps[-1]
    moved = first.labels != last.labels
    figure = Figure(figsize=(12, 4), layout="constrained")
    before, after, curve = figure.subplots(1, 3)
    plot.clusters(places, first.labels, ax=before).set_title("no answers")
    plot.clusters(places, last.labels, moved=moved, ax=after)
    after.set_title(f"{last.n_answers} answers ({moved.sum()} rows moved, outlined)")
    for ax in (before, after):
        ax.set_xlabel("first two principal components")
        ax.get_legend().remove()  # clusters have no names here
    curves: dict[str, list[float | None]] = {
        "all rows": [step.nmi_all for step in steps],
        "rows in no answer": [step.nmi_not_asked for step in steps],
    }
    plot.agreement([step.n_answers for step in steps], curves, ax=curve)
    curve.set_title("agreement with the true digits")
    figure.savefig(path, dpi=80)
