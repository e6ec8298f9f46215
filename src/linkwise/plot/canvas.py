"""Where pictures are drawn, and the colours of clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwise.errors import missing_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What clusters are called: by number, or in order.
Names = Mapping[int, str] | Sequence[str]
#: The colours of the first ten clusters, and those beside which they have lighter twins.
_MAPS = (("tab10", 10), ("tab20", 20))
#: Rows that are in no cluster.
_GREY = (0.85, 0.85, 0.85, 1.0)


def axes_or_new(ax: Axes | None) -> Axes:
    """Return ``ax``, or the axes of a new figure."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise missing_extra("The picture", "matplotlib", "plot") from None
    return pyplot.figure(layout="constrained").add_subplot()


def colours(n_clusters: int) -> NDArray[np.float64]:
    """Return a colour for each cluster, (n_clusters, 4); the first ones never change."""
    from matplotlib import colormaps

    few, more = (np.array([colormaps[name](k) for k in range(n)]) for name, n in _MAPS)
    listed = np.concatenate((few, more[1::2]))  # the lighter twins of the first ten
    return np.asarray(listed[np.arange(n_clusters) % len(listed)])


def colours_of(labels: NDArray[Any]) -> NDArray[np.float64]:
    """Return the colour of each row; rows that are in no cluster (-1) are grey."""
    known = colours(int(labels.max(initial=0)) + 1)
    return np.where((labels < 0)[:, None], _GREY, known[labels])


def name_of(cluster: int, names: Names | None) -> str:
    """Return what a cluster is called; its number where it has no name."""
    if isinstance(names, Mapping):
        return names.get(cluster, str(cluster))
    return str(cluster) if names is None or cluster >= len(names) else str(names[cluster])
