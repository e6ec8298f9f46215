"""How far clusterings agree with the truth, as answers come in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwise.errors import InvalidInput
from linkwise.plot.canvas import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLES = ("o-", "s--", "^:", "D-.")


def agreement(
    n_answers: Sequence[int],
    scores: Sequence[float | None] | Mapping[str, Sequence[float | None]],
    *,
    score: str = "NMI",
    ax: Axes | None = None,
) -> Axes:
    """Draw agreement with the truth against the number of answers.

    Parameters
    ----------
    n_answers : sequence of int
        How many answers there were, step by step.
    scores : sequence of float, or mapping of str to sequences
        The agreement at each step; of several, by what they are called. None is a gap. Show the
        rows that no answer names as well: others score themselves.
    score : str, default="NMI"
        What the agreement is measured by.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    See Also
    --------
    linkwise.scores.nmi : What to measure it by.

    Examples
    --------
    >>> import linkwise as lw
    >>> curves = {"all rows": [0.61, 0.82, 0.9], "rows in no answer": [0.61, 0.8, 0.88]}
    >>> ax = lw.plot.agreement([0, 50, 100], curves)
    >>> [line.get_label() for line in ax.lines]
    ['all rows', 'rows in no answer']
    """
    curves = scores if isinstance(scores, Mapping) else {"": scores}
    for name, values in curves.items():
        if len(values) != len(n_answers):
            about = f" of {name}" if name else ""
            raise InvalidInput(
                f"plot.agreement: {len(values)} scores{about} for {len(n_answers)} steps."
            )
    ax = axes_or_new(ax)
    for k, (name, values) in enumerate(curves.items()):
        heights = np.array(values, dtype=float)  # None becomes NaN
        ax.plot(list(n_answers), heights, _STYLES[k % len(_STYLES)], label=name or None)
    ax.set(xlabel="answers", ylabel=score)
    ax.grid(alpha=0.3)
    if any(curves):
        ax.legend()
    return ax
