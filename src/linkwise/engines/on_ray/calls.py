"""Asking workers: what is asked again when one dies, and errors as they were meant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self, TypeAlias

from linkwise.errors import LinkwiseError, missing_extra

#: What Ray hands out has no types.
Handle: TypeAlias = Any

#: So often work is done again when its worker dies.
RETRIES = 4


def import_ray() -> Any:
    """Return Ray, or say how to get it."""
    try:
        import ray
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise missing_extra('engine="ray"', "Ray", "cluster") from None
    return ray


class Call:
    """Work that was given to a worker, and can be given to another one.

    Ray itself tries again when a worker dies while it works. What it had finished may be lost with
    its machine; that is asked for once more here.
    """

    def __init__(self, function: Handle, *args: object) -> None:
        self._function, self._args = function, args
        self.reference: Handle = function.remote(*args)

    @classmethod
    def task(cls, function: Callable[..., object], *args: object) -> Self:
        """Have a function called by any worker."""
        return cls(import_ray().remote(function).options(max_retries=RETRIES), *args)

    def result(self) -> Any:
        """Wait for the result."""
        ray = import_ray()
        lost = ray.exceptions.ObjectLostError
        for _ in range(RETRIES):
            try:
                return ray.get(self.reference)
            except ray.exceptions.RayTaskError as error:
                if isinstance(error.cause, LinkwiseError):
                    raise error.cause from None
                raise
            except lost:
                self.reference = self._function.remote(*self._args)
            except ray.exceptions.RayError as error:
                raise _died(error) from error
        raise _died(lost("its results were lost again and again"))

    def cancel(self) -> None:
        """Have it not begun, if nobody has."""
        import_ray().cancel(self.reference, force=False)


def in_order(calls: Sequence[Call]) -> Iterator[Any]:
    """Yield the results in order; when one cannot be had, or nobody wants more, drop the rest."""
    waiting = list(calls)
    try:
        while waiting:
            result = waiting[0].result()
            waiting.pop(0)
            yield result
    finally:
        for call in waiting:
            call.cancel()


def _died(error: Exception) -> LinkwiseError:
    reason = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return LinkwiseError(
        f"the cluster gave up after {RETRIES} more tries ({type(error).__name__}: {reason[:200]}). "
        "Workers that die again and again have too little memory more often than not: ask for more "
        "shards, or for machines with more of it."
    )
