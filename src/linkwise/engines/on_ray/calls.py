"""Asking workers: what is asked again when one dies, and errors as they were meant."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self, TypeAlias

from linkwise.errors import LinkwiseError, missing_extra

#: What Ray hands out has no types.
Handle: TypeAlias = Any

#: So often Ray does by itself again what was asked of an actor that died. Each time is asked for
#: again here, so it is one: who has too little memory dies every time, and shall be given up in
#: minutes.
ACTOR_RETRIES = 1
#: Seconds to wait before work whose worker died, or cannot be reached, is asked for again. Until
#: Ray knows that a machine is dead, and starts its workers elsewhere, a minute may pass.
PAUSES = (1.0, 4.0, 16.0, 32.0, 64.0)


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

    Ray itself would try again when a worker dies, but not for long when a machine does not answer,
    and for ever where memory runs out; and what was finished may be lost with its machine. So all
    that is asked for again here.
    """

    def __init__(self, function: Handle, *args: object) -> None:
        self._function, self._args = function, args
        self.reference: Handle = function.remote(*args)

    @classmethod
    def task(cls, function: Callable[..., object], *args: object) -> Self:
        """Have a function called by any worker."""
        return cls(import_ray().remote(function).options(max_retries=0), *args)

    def result(self, others: Sequence[Call] = ()) -> Any:
        """Wait for the result; if it has to be asked for again, so are others that need it."""
        ray = import_ray()
        for pause in (*PAUSES, None):
            try:
                return ray.get(self.reference)
            except ray.exceptions.RayTaskError as error:
                raise _said_there(error.cause) or error from None
            except ray.exceptions.RayError as error:
                if pause is None or not isinstance(error, _passing()):
                    raise _died(error) from error
            time.sleep(pause)
            self._ask_again()
            for other in others:
                if other._has_died():
                    other._ask_again()
        raise AssertionError("the last try returns or raises")

    def _ask_again(self) -> None:
        self.reference = self._function.remote(*self._args)

    def _has_died(self) -> bool:
        """Tell whether the worker is known to have died before it was done."""
        ray = import_ray()
        try:
            ray.get(self.reference, timeout=0)
        except _passing():
            return True
        except ray.exceptions.RayError:
            pass  # not done yet, or something that is told in its turn
        return False

    def cancel(self) -> None:
        """Have it not begun, if nobody has."""
        import_ray().cancel(self.reference, force=False)


def in_order(calls: Sequence[Call]) -> Iterator[Any]:
    """Yield the results in order; when one cannot be had, or nobody wants more, drop the rest."""
    waiting = list(calls)
    try:
        while waiting:
            result = waiting[0].result(waiting[1:])
            waiting.pop(0)
            yield result
    finally:
        for call in waiting:
            call.cancel()


def _passing() -> tuple[type[Exception], ...]:
    """Return what goes wrong when a worker or a machine dies, and may go well elsewhere."""
    errors = import_ray().exceptions
    return (
        errors.ObjectLostError,
        errors.ActorUnavailableError,
        errors.WorkerCrashedError,
        errors.NodeDiedError,
        errors.OutOfMemoryError,
    )


def _said_there(cause: BaseException | None) -> LinkwiseError | None:
    """Return what went wrong on a worker as a sentence, if it is something foreseen."""
    if isinstance(cause, LinkwiseError):
        return cause
    if isinstance(cause, MemoryError):
        return LinkwiseError(
            f"a worker of the cluster has too little memory ({cause}). Ask for more shards, or for "
            "machines with more of it. What was fitted before is as it was."
        )
    if isinstance(cause, OSError):
        return LinkwiseError(
            f"a worker of the cluster could not read or write: {cause}. What was fitted before is "
            "as it was; the same call can be made again."
        )
    return None


def _died(error: Exception) -> LinkwiseError:
    reason = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return LinkwiseError(
        f"a worker of the cluster died again and again ({type(error).__name__}: {reason[:200]}). "
        "More often than not it has too little memory: ask for more shards, or for machines with "
        "more of it."
    )
