"""Which classes are in which clusters, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from linkwise.constraints import PartialLabels
from linkwise.errors import InvalidInput
from linkwise.plot.canvas import Names, axes_or_new, name_of
from linkwise.plot.told import LabelsOrModel, labels_in
from linkwise.typing import LabelsLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: More cells than this have no room for numbers.
_MOST_WRITTEN = 400


def confusion(
    truth: LabelsLike | PartialLabels,
    labels: LabelsOrModel,
    *,
    names: Names | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how many rows of each class are in each cluster.

    Clusters stand in the order of the classes they match best, so that agreement is a diagonal.
    Colours are shares of the class.

    Parameters
    ----------
    truth : array-like of shape (n_samples,) or PartialLabels
        The class of each row, of any kind; rows without one are left out.
    labels : array-like of shape (n_samples,) or fitted estimator
        The cluster of each row; rows in none (-1) are left out.
    names : sequence or mapping of cluster numbers to str, or None, default=None
        What clusters are called.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import linkwise as lw
    >>> ax = lw.plot.confusion(["cat", "dog", "dog", None], [1, 0, 0, 1])
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['1', '0']
    """
    known = truth if isinstance(truth, PartialLabels) else PartialLabels(truth)
    found = labels_in(labels, "confusion")
    if len(known) != len(found):
        raise InvalidInput(
            f"plot.confusion: truth is about {len(known)} rows and labels about {len(found)}."
        )
    used = (known.codes >= 0) & (found >= 0)
    numbers, cluster = np.unique(found[used], return_inverse=True)
    table = np.zeros((len(known.classes), len(numbers)), dtype=np.int64)
    np.add.at(table, (known.codes[used], cluster), 1)
    order = _matched(table)
    table, numbers = table[:, order], numbers[order]
    ax = axes_or_new(ax)
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    if table.size <= _MOST_WRITTEN:
        for (row, column), count in np.ndenumerate(table):
            if count:
                dark = "white" if shares[row, column] > 0.5 else "black"
                ax.text(column, row, str(count), ha="center", va="center", color=dark, fontsize=8)
    named = [name_of(int(k), names) for k in numbers]
    turned = 90 if max(map(len, named), default=0) > 4 else 0
    ax.set_xticks(np.arange(len(named)), named, rotation=turned)
    ax.set_yticks(np.arange(len(known.classes)), list(map(str, known.classes.tolist())))
    ax.set(xlabel="cluster", ylabel="class")
    return ax


def _matched(table: NDArray[np.int64]) -> list[int]:
    """Return the clusters in the order of their classes, those of no class last."""
    _, columns = linear_sum_assignment(table, maximize=True)
    rest = set(range(table.shape[1])) - set(columns.tolist())
    return [*columns.tolist(), *sorted(rest, key=lambda k: -table[:, k].sum())]
