"""How work is done: threads, block size, telling how far it is, stopping when asked.

None of this changes a result.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import TypeVar

from linkwise.ensemble.blas import one_blas_thread
from linkwise.errors import Cancelled
from linkwise.running import Cancel, Progress, RunOptions
from linkwise.threads import count_threads, map_in_order
from linkwise.validation import check_number

T = TypeVar("T")
R = TypeVar("R")


class Execution:
    """How work is done.

    Parameters
    ----------
    n_threads : int, default=None
        Threads to use, all cores by default.
    chunk_rows : int, default=None
        Rows read at once; None lets the reader choose.
    progress : callable, default=None
        Called as ``progress(done, total, what)`` from the thread that started the work.
    cancel : callable or threading.Event, default=None
        Asked after every step, from the same thread.
    """

    def __init__(
        self,
        n_threads: int | None = None,
        chunk_rows: int | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> None:
        self.n_threads = count_threads(n_threads)
        self.chunk_rows = chunk_rows
        check_number(self, "chunk_rows", low=1, integer=True, or_in=(None,))
        self._wishes = RunOptions(progress, cancel)

    def step(self, done: int, total: int, what: str) -> None:
        """Report, then raise :class:`~linkwise.errors.Cancelled` if the caller wants to stop."""
        if self._wishes.progress is not None:
            self._wishes.progress(done, total, what)
        if done < total and self._wishes.wants_to_stop():
            raise Cancelled(f"cancelled while {what}, {done} of {total} done.")

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Generator[R]:
        """Yield ``function(item)`` in order, several at a time, each with BLAS on one thread.

        Items may be large, see :func:`~linkwise.threads.map_in_order`. Whoever may stop early
        closes the generator (``contextlib.closing``), which also lifts the limit on BLAS.
        """
        with one_blas_thread() as blas:
            yield from map_in_order(lambda item: blas.run(function, item), items, self.n_threads)
