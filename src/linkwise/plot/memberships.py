"""How much of each row is in each cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwise.errors import InvalidInput
from linkwise.plot.canvas import Names, axes_or_new, colours, name_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: More rows than this cannot be told apart; so many are drawn then, evenly spread.
MOST_ROWS = 2000
_MOST_NAMED = 20


@runtime_checkable
class Shared(Protocol):
    """A model that knows the share of each row in each cluster."""

    @property
    def memberships_(self) -> NDArray[Any]: ...


#: Shares, or the model that knows them.
SharesOrModel: TypeAlias = ArrayLike | Shared


def memberships(
    shares: SharesOrModel, *, names: Names | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the share of every row in every cluster, as stacked columns.

    Rows stand by their cluster, the surest first, with the share of that cluster at the bottom:
    where it is low, nobody can be sure.

    Parameters
    ----------
    shares : array-like of shape (n_samples, n_clusters) or fitted SequentialClustering
        Shares that sum to 1 in each row, such as ``model.memberships_`` or ``predict_proba(X)``.
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
    >>> ax = lw.plot.memberships([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]], names=["cats", "dogs"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['cats', 'dogs']
    """
    told = _shares_in(shares)
    best = told.argmax(axis=1)
    order = np.lexsort((-told.max(axis=1), best))
    if len(order) > MOST_ROWS:
        order = order[np.linspace(0, len(order) - 1, MOST_ROWS).round().astype(np.int64)]
    drawn, n_clusters = told[order], told.shape[1]
    ax = axes_or_new(ax)
    shades, floor = colours(n_clusters), np.zeros(len(drawn))
    edges, own = np.arange(len(drawn) + 1), best[order][:, None] == np.arange(n_clusters)
    for part, labelled in ((drawn * own, True), (drawn * ~own, False)):
        for k in range(n_clusters):
            top = floor + part[:, k]
            name = name_of(k, names) if labelled and n_clusters <= _MOST_NAMED else None
            ax.stairs(top, edges, baseline=floor, fill=True, color=shades[k], label=name)
            floor = top
    ax.set(xlim=(0, len(drawn)), ylim=(0, float(floor.max())), xlabel="rows, by cluster")
    ax.set_ylabel("share")
    ax.set_xticks([])
    if n_clusters <= _MOST_NAMED:
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
    return ax


def _shares_in(given: SharesOrModel) -> NDArray[np.float64]:
    wanted = (
        "plot.memberships: shares must be numbers >= 0 of shape (n_samples, n_clusters), or a "
        "model with memberships_, got "
    )
    try:
        told = np.asarray(given.memberships_ if isinstance(given, Shared) else given, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"{wanted}{type(given).__name__}.") from None
    if told.ndim != 2 or not told.size or (told < 0).any() or not np.isfinite(told).all():
        raise InvalidInput(f"{wanted}shape {told.shape}.")
    return told
