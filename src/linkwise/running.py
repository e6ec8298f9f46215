"""How work is to be run: who is told how far it is, who may stop it, where labels are kept.

None of this changes a result, so none of it is a parameter of an estimator: wishes about one run
are made around it, with :func:`run_options`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields

from linkwise.bars import progress_shown

#: Called as ``progress(done, total, what)``.
Progress = Callable[[int, int, str], object]
#: Asked now and then whether to stop.
Cancel = Callable[[], bool] | threading.Event


@dataclass(frozen=True)
class RunOptions:
    """Wishes about a run; None is no wish."""

    progress: Progress | None = None
    cancel: Cancel | None = None
    folder: str | os.PathLike[str] | None = None
    quiet: bool | None = None

    def over(self, others: RunOptions) -> RunOptions:
        """Return these wishes, and those of ``others`` where there is none here."""
        wishes = {field.name: getattr(self, field.name) for field in fields(self)}
        return RunOptions(
            **{n: getattr(others, n) if wish is None else wish for n, wish in wishes.items()}
        )

    def wants_to_stop(self) -> bool:
        """Ask ``cancel``, if there is one."""
        if isinstance(self.cancel, threading.Event):
            return self.cancel.is_set()
        return self.cancel is not None and self.cancel()


NO_WISHES = RunOptions()
_current: ContextVar[RunOptions] = ContextVar("run_options", default=NO_WISHES)


@contextmanager
def run_options(
    *,
    progress: Progress | bool | None = None,
    cancel: Cancel | None = None,
    folder: str | os.PathLike[str] | None = None,
    quiet: bool | None = None,
) -> Iterator[None]:
    """Say how what happens inside is to be run; no result depends on it.

    ``fit`` and ``extend`` of :class:`~linkwise.SequentialClustering` and :class:`~linkwise.SCSC`
    look here, sessions too while they are made and drawn; other work is over too soon to ask.
    Blocks may lie inside each other: what the inner one leaves out holds as the outer one says.
    They belong to the thread (or asyncio task) that entered them, as all context variables do.

    Parameters
    ----------
    progress : bool, callable or None, default=None
        True shows a bar on stderr, in terminals and notebooks; False shows nothing, also inside a
        block that does. A callable is called as ``progress(done, total, what)`` after every step.
    cancel : callable, threading.Event or None, default=None
        Asked after every step; ends the work with :class:`~linkwise.errors.Cancelled`.
    folder : path or None, default=None
        Where ``fit`` keeps the partitions' labels (one byte per row and partition) instead of
        memory. They live there as long as the model does, so fit one model in each folder.
    quiet : bool or None, default=None
        Whether :class:`~linkwise.SequentialClustering` leaves out its warnings about answers that
        contradict each other or are set aside; ``links_.conflicts()`` and ``suspects_`` tell of
        them. Filters of :mod:`warnings` belong to all threads, this belongs to one.

    Examples
    --------
    >>> import linkwise as lw
    >>> model = lw.SequentialClustering(2, n_partitions=2, random_state=0)
    >>> with lw.run_options(progress=print):
    ...     labels = model.fit_predict([[0.0], [1.0], [8.0], [9.0]])
    1 2 training partitions
    2 2 training partitions
    4 4 labelling rows
    """
    with _listener(progress) as listener:
        wishes = RunOptions(listener, cancel, folder, quiet)
        token = _current.set(wishes.over(_current.get()))
        try:
            yield
        finally:
            _current.reset(token)


@contextmanager
def _listener(progress: Progress | bool | None) -> Iterator[Progress | None]:
    if progress is True:
        with progress_shown() as report:
            yield report
    elif progress is False:
        yield lambda done, total, what: None  # noqa: ARG005
    else:
        yield progress


def current_options() -> RunOptions:
    """Return what :func:`run_options` says here."""
    return _current.get()
