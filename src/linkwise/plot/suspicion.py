"""The answers that are probably wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from linkwise.errors import InvalidInput
from linkwise.plot.canvas import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Suspect(Protocol):
    """An answer and the probability that it is wrong."""

    @property
    def i(self) -> int: ...

    @property
    def j(self) -> int: ...

    @property
    def kind(self) -> str: ...

    @property
    def suspicion(self) -> float: ...


@runtime_checkable
class Doubting(Protocol):
    """A model that has doubts about answers."""

    @property
    def suspects_(self) -> Sequence[Any]: ...


#: Suspects, or the model that has them.
SuspectsOrModel: TypeAlias = Sequence[Suspect] | Doubting


def suspicion(
    suspects: SuspectsOrModel,
    *,
    most: int = 20,
    ids: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how probable it is that answers are wrong, the most suspicious on top.

    Parameters
    ----------
    suspects : fitted SequentialClustering or its ``suspects_``
        The answers.
    most : int, default=20
        How many to draw.
    ids : sequence or None, default=None
        The id of each row; None to name rows by number.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import linkwise as lw
    >>> X = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]]
    >>> links = lw.Links(6, must=[(0, 1), (3, 4)], cannot=[(1, 3)])
    >>> model = lw.SequentialClustering(2, n_partitions=5, random_state=0).fit(X, constraints=links)
    >>> len(lw.plot.suspicion(model).patches)
    3
    """
    if most < 1:
        raise InvalidInput(f"plot.suspicion(most={most}): most must be a whole number >= 1.")
    listed = _suspects_in(suspects)
    called = None if ids is None else list(ids)
    if called is not None:
        _check_ids(len(called), listed)
    shown = sorted(listed, key=lambda suspect: -suspect.suspicion)[:most]
    ax = axes_or_new(ax)
    words = [f"{_called(s.i, called)} – {_called(s.j, called)}: {_said(s.kind)}" for s in shown]
    shades = ["C3" if s.suspicion >= 0.5 else "C0" for s in shown]
    ax.barh(range(len(shown)), [s.suspicion for s in shown], color=shades)
    ax.set_yticks(range(len(shown)), words, fontsize=8)
    ax.invert_yaxis()
    ax.axvline(0.5, linestyle=":", color="0.5")
    ax.set(xlim=(0, 1), xlabel="probability of being wrong")
    if len(listed) > len(shown):
        ax.set_title(f"{len(shown)} of {len(listed)} answers", fontsize=9)
    return ax


def _suspects_in(told: SuspectsOrModel) -> list[Suspect]:
    given = told.suspects_ if isinstance(told, Doubting) else told
    found = list(given) if isinstance(given, Iterable) else None
    if found is None or not all(hasattr(one, "suspicion") for one in found):
        raise InvalidInput(
            "plot.suspicion: suspects must be a fitted SequentialClustering or its suspects_, "
            f"got {type(told).__name__}."
        )
    return found


def _check_ids(n_ids: int, suspects: Sequence[Suspect]) -> None:
    last = max((max(suspect.i, suspect.j) for suspect in suspects), default=-1)
    if last >= n_ids:
        raise InvalidInput(
            f"plot.suspicion: ids has {n_ids} values, and an answer is about row {last}: give one "
            "id per row."
        )


def _called(row: int, ids: Sequence[Any] | None) -> str:
    return str(row) if ids is None else str(ids[row])


def _said(kind: str) -> str:
    return "same" if kind == "must" else "different"
