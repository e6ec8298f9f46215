"""What spoke for each number of clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from linkwise.errors import InvalidInput
from linkwise.plot.canvas import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Choice(Protocol):
    """A number of clusters and what spoke for it; what :func:`linkwise.choose_k` returns."""

    @property
    def k(self) -> int: ...

    @property
    def scores(self) -> Mapping[int, float]: ...

    @property
    def answers(self) -> Mapping[int, float]: ...


def choice_of_k(choice: Choice, *, ax: Axes | None = None) -> Axes:
    """Draw the scores of all numbers of clusters, and mark the one that was chosen.

    Parameters
    ----------
    choice : KChoice
        What :func:`linkwise.choose_k` returns.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import linkwise as lw
    >>> from sklearn.datasets import make_blobs
    >>> X, _ = make_blobs(120, centers=3, cluster_std=0.5, random_state=4)
    >>> ax = lw.plot.choice_of_k(lw.choose_k(X))
    >>> ax.get_xlabel()
    'number of clusters'
    """
    if not hasattr(choice, "scores"):
        raise InvalidInput(
            f"plot.choice_of_k: choice must be what choose_k returns, got {type(choice).__name__}."
        )
    ax = axes_or_new(ax)
    numbers = sorted(choice.scores)
    ax.plot(numbers, [choice.scores[k] for k in numbers], marker="o")
    ax.axvline(choice.k, linestyle=":", label=f"{choice.k} clusters")
    ax.set_xlabel("number of clusters")
    ax.set_ylabel("left-out answers, nats" if choice.answers else "told alike, nats")
    ax.legend()
    return ax
