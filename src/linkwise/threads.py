"""How many threads, and the two ways to give them work: parts of one task, items of a stream.

Threads are worth it because kernels, NumPy and BLAS let go of the interpreter while they compute.
No result depends on how many there are. Estimators call the number ``n_jobs``, as scikit-learn
does; everything below them calls it ``n_threads``.

scikit-learn's own loops run in OpenMP's threads, and GNU's OpenMP waits for ever in a process that
was forked from one in which it had threads. :func:`survive_fork` is called before such loops. They
also ask joblib for the number of physical cores, which prints a traceback where nobody can tell it
(no ``lscpu``, an empty ``PATH``): so it is asked for once, quietly, before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from numbers import Integral
from queue import Empty, SimpleQueue
from typing import TypeVar

import joblib
from threadpoolctl import threadpool_limits

from linkwise.errors import InvalidInput

T = TypeVar("T")
R = TypeVar("R")


#: The process in which OpenMP's threads may be used.
_home = os.getpid()


def survive_fork() -> None:
    """In a forked process, let OpenMP do everything in the thread that asks."""
    global _home
    _count_cores_quietly()
    if os.getpid() != _home:
        threadpool_limits(1, user_api="openmp")
        _home = os.getpid()


def count_threads(n_threads: int | None = None) -> int:
    """Return how many threads to use: as many as asked for, or as there are cores to use."""
    if n_threads is None:
        return _usable_cores()
    if not isinstance(n_threads, Integral) or isinstance(n_threads, bool) or n_threads < 1:
        raise InvalidInput(f"n_threads is {n_threads!r}, but must be None or a whole number >= 1.")
    return int(n_threads)


def count_openmp_threads() -> int:
    """Return how many threads scikit-learn's compiled loops take.

    OMP_NUM_THREADS and threadpoolctl rule it. For work that stands beside scikit-learn's own and
    has no ``n_jobs``.
    """
    # half a second to import, and workers of a cluster do without
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    return int(_openmp_effective_n_threads())


class Team:
    """Threads that do a task cut into parts, one task after the other.

    The calling thread is one of them; the others start when there is work and end with the
    ``with`` block.
    """

    def __init__(self, n_threads: int) -> None:
        self._n_others = n_threads - 1

    def __enter__(self) -> Team:
        self._pool = ThreadPoolExecutor(max(self._n_others, 1))
        return self

    def __exit__(self, *failure: object) -> None:
        self._pool.shutdown()

    def each(self, work: Callable[[int], R], n_parts: int) -> list[R]:
        """Return ``work(part)`` for all parts, by part; whoever is free takes the next one."""
        waiting: SimpleQueue[int] = SimpleQueue()
        for part in range(n_parts):
            waiting.put(part)
        results: dict[int, R] = {}

        def take() -> None:
            for part in _drawn(waiting):
                results[part] = work(part)

        others = [self._pool.submit(take) for _ in range(min(self._n_others, n_parts - 1))]
        take()
        for other in others:
            other.result()
        return [results[part] for part in range(n_parts)]


def map_in_order(
    function: Callable[[T], R], items: Iterable[T], n_threads: int
) -> Generator[R, None, None]:
    """Yield ``function(item)`` in order, several at a time.

    Items are drawn by the calling thread, only one more than there are threads to work on them, so
    they may be large. Whoever may stop early closes the generator (``contextlib.closing``): that
    ends the threads.
    """
    with ThreadPoolExecutor(n_threads) as threads:
        pending = []
        try:
            for item in items:
                pending.append(threads.submit(function, item))
                if len(pending) > n_threads:
                    yield pending.pop(0).result()
            while pending:
                yield pending.pop(0).result()
        finally:
            for future in pending:
                future.cancel()


@cache
def _count_cores_quietly() -> None:
    """Have joblib remember the number of physical cores, or that it cannot be told."""
    with suppress(ImportError, AttributeError):  # it then says what it has to say
        from joblib.externals.loky.backend.context import _count_physical_cores

        _count_physical_cores()


@cache
def _usable_cores() -> int:
    """Return the cores this process may use; asked once, for a container's limits are in files."""
    return int(joblib.cpu_count())


def _drawn(waiting: SimpleQueue[int]) -> Iterator[int]:
    """Yield what is waiting until nothing is."""
    while True:
        try:
            yield waiting.get_nowait()
        except Empty:
            return
