"""What an estimator does not offer is refused in a sentence, where people look for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, ParamSpec, TypeVar, cast

from linkwise.errors import InvalidInput, NotOffered

Given = ParamSpec("Given")
Returned = TypeVar("Returned")

#: Estimators that weigh rows.
WEIGHING = (
    "COPKMeans",
    "ConstrainedKMeans",
    "KCC",
    "MPCKMeans",
    "PCKMeans",
    "PartitionKMeans",
    "SeededKMeans",
)


class Lacking:
    """A method that is not there: ``hasattr`` says no, and who asks for it is told why.

    Parameters
    ----------
    why : str
        What follows the name of the class.

    Examples
    --------
    >>> class Stone:
    ...     sing = Lacking("has no voice.")
    >>> hasattr(Stone(), "sing")
    False
    >>> Stone().sing()
    Traceback (most recent call last):
    linkwise.errors.NotOffered: Stone has no voice.
    """

    def __init__(self, why: str) -> None:
        self.why = why

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise NotOffered(f"{owner.__name__} {self.why}")


def without_row_weights(method: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Let a method without ``sample_weight`` refuse it in a sentence; None is let through."""

    @wraps(method)
    def called(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        options = cast("dict[str, Any]", kwargs)
        if "sample_weight" in options and options.pop("sample_weight") is not None:
            raise InvalidInput(
                f"{type(args[0]).__name__}.{method.__name__}(sample_weight=...): rows have no "
                f"weights here. Weights of rows are heard when {', '.join(WEIGHING[:-1])} and "
                f"{WEIGHING[-1]} are fitted; links have weights of their own: Links(..., weight=)."
            )
        return method(*args, **kwargs)

    return called
