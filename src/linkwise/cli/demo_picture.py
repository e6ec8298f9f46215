"""The picture of ``linkwise demo``: the map before, the map after, the curve between them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from linkwise.cli.demo_run import Step


def draw(X: NDArray[Any], steps: Sequence[Step], path: Path) -> None:
    """Draw the rows on their first two principal components, and NMI over answers."""
    places = PCA(n_components=2, svd_solver="full").fit_transform(X)
    first, last = steps[0], steps[-1]
    moved = first.labels != last.labels
    figure = Figure(figsize=(12, 4), layout="constrained")
    before, after, curve = figure.subplots(1, 3)
    _draw_map(before, places, first.labels, s=8, linewidths=0)
    before.set_title("no answers")
    _draw_map(after, places[~moved], last.labels[~moved], s=8, linewidths=0, alpha=0.35)
    _draw_map(after, places[moved], last.labels[moved], s=16, linewidths=0.5, edgecolors="black")
    after.set_title(f"{last.n_answers} answers ({moved.sum()} rows moved, outlined)")
    _draw_curve(curve, steps)
    figure.savefig(path, dpi=80)


def _draw_map(axes: Axes, places: NDArray[Any], labels: NDArray[np.int32], **style: Any) -> None:
    axes.scatter(places[:, 0], places[:, 1], c=labels, cmap="tab10", vmin=0, vmax=9, **style)
    axes.set(xticks=[], yticks=[], xlabel="first two principal components")


def _draw_curve(axes: Axes, steps: Sequence[Step]) -> None:
    answers = [step.n_answers for step in steps]
    axes.plot(answers, [step.nmi_all for step in steps], "o-", label="all rows")
    rest = np.array([step.nmi_not_asked for step in steps], dtype=float)  # None becomes NaN
    axes.plot(answers, rest, "s--", label="rows in no answer")
    axes.set(xlabel="answers", ylabel="NMI", title="agreement with the true digits")
    axes.legend()
    axes.grid(alpha=0.3)
