"""A map of the rows, coloured by cluster, with links drawn between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from linkwise.constraints import Links
from linkwise.errors import InvalidInput
from linkwise.plot.canvas import Names, axes_or_new, colours, colours_of, name_of
from linkwise.plot.told import LabelsOrModel, labels_in, links_in
from linkwise.typing import MatrixLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: More links than this hide the rows; the broken ones are drawn first.
MOST_LINKS = 400
#: More clusters than this do not fit beside the map.
_MOST_NAMED = 20


def clusters(
    X: MatrixLike,
    labels: LabelsOrModel,
    links: Links | None = None,
    *,
    names: Names | None = None,
    moved: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a map of clusters, and the links between its rows.

    Must-links are solid lines and cannot-links dotted ones; those that the clustering does not
    keep are red. Of more than 400 links the broken ones are drawn first.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows. Two features are where rows lie; of more, the first two principal components.
    labels : array-like of shape (n_samples,) or fitted estimator
        The cluster of each row, -1 for none. A model that keeps its links tells them too.
    links : Links or None, default=None
        What is known; ``Links(len(X))`` to draw none of a model's links.
    names : sequence or mapping of cluster numbers to str, or None, default=None
        What clusters are called.
    moved : array-like of shape (n_samples,) of bool, or None, default=None
        Rows to outline; all others are paler then.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import linkwise as lw
    >>> links = lw.Links(4, must=[(0, 1)], cannot=[(1, 2)])
    >>> ax = lw.plot.clusters([[0, 0], [1, 0], [9, 9], [8, 9]], [0, 0, 1, 1], links)
    >>> ax.get_xticks().tolist(), [text.get_text() for text in ax.get_legend().get_texts()]
    ([], ['0', '1', 'same', 'different'])
    """
    found = labels_in(labels, "clusters")
    places = _places(X, len(found))
    known = links_in(labels) if links is None else links
    if known is not None and len(known) != len(found):
        raise InvalidInput(
            f"plot.clusters: the links describe {len(known)} rows, there are {len(found)}."
        )
    outlined = np.zeros(len(found), dtype=bool) if moved is None else np.asarray(moved, dtype=bool)
    ax = axes_or_new(ax)
    colour = colours_of(found)
    size = float(np.clip(9000 / max(len(found), 1), 4, 36))
    plain, pale = ~outlined, 0.35 if outlined.any() else 1.0
    x, y = places[plain].T
    ax.scatter(x, y, c=colour[plain], s=size, alpha=pale, linewidths=0, zorder=2)
    if outlined.any():
        x, y = places[outlined].T
        ax.scatter(
            x, y, c=colour[outlined], s=2 * size, linewidths=0.5, edgecolors="black", zorder=3
        )
    kinds = [] if known is None else _draw_links(ax, places, known, found)
    _add_legend(ax, found, names, kinds)
    ax.set(xticks=[], yticks=[])
    return ax


def _places(X: MatrixLike, n_rows: int) -> NDArray[np.float64]:
    rows: Any = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] != n_rows:
        raise InvalidInput(
            f"plot.clusters: X has shape {rows.shape} for {n_rows} labels: give one row per label."
        )
    if not sparse.issparse(X) and rows.shape[1] <= 2:
        flat = np.zeros((n_rows, 2))
        flat[:, : rows.shape[1]] = rows
        return flat
    from sklearn.decomposition import PCA  # a second to import

    solver = "arpack" if sparse.issparse(X) else "full"
    return np.asarray(PCA(n_components=2, svd_solver=solver, random_state=0).fit_transform(rows))


class _Kind(NamedTuple):
    """A kind of link, as it is drawn."""

    name: str
    style: Literal["-", ":"]
    colour: str


def _draw_links(
    ax: Axes, places: NDArray[np.float64], links: Links, labels: NDArray[np.int64]
) -> list[_Kind]:
    """Draw some of the links; returns their kinds."""
    from matplotlib.collections import LineCollection

    pairs = np.concatenate((links.must, links.cannot))
    must = np.arange(len(pairs)) < len(links.must)
    kept = links.satisfied(labels)
    drawn = np.argsort(kept, kind="stable")[:MOST_LINKS]
    shown = np.zeros(len(pairs), dtype=bool)
    shown[drawn] = True
    kinds = [
        (_Kind("same", "-", "0.35"), must & kept, 0.6),
        (_Kind("different", ":", "0.35"), ~must & kept, 0.9),
        (_Kind("same, broken", "-", "red"), must & ~kept, 1.4),
        (_Kind("different, broken", ":", "red"), ~must & ~kept, 1.8),
    ]
    for kind, of_kind, width in kinds:
        lines = LineCollection(
            list(places[pairs[shown & of_kind]]),
            colors=kind.colour,
            linestyles=kind.style,
            linewidths=width,
            alpha=1.0 if kind.colour == "red" else 0.5,
            zorder=1,
        )
        ax.add_collection(lines)
    return [kind for kind, of_kind, _ in kinds if (shown & of_kind).any()]


def _add_legend(
    ax: Axes, labels: NDArray[np.int64], names: Names | None, kinds: list[_Kind]
) -> None:
    from matplotlib.lines import Line2D

    present = np.unique(labels[labels >= 0]).tolist()
    listed = present if len(present) <= _MOST_NAMED else []
    shades = colours(max(present, default=0) + 1)
    marks = [
        Line2D([], [], marker="o", linestyle="", color=shades[k], label=name_of(k, names))
        for k in listed
    ]
    marks += [Line2D([], [], color=k.colour, linestyle=k.style, label=k.name) for k in kinds]
    if marks:
        ax.legend(
            handles=marks, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8
        )
