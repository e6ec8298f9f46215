"""Matrix products on one thread each, also when several fits run at once.

Work is spread over threads by us, a block of rows each. Letting BLAS use threads inside as well
would oversubscribe the cores, and would let the number of threads decide how a product is cut
up, which changes its last bits.

The number of BLAS threads belongs to the process, so others may change it while we work: another
fit that ends, or scikit-learn, which limits it for a while and then restores what it had found.
Hence holders are counted, and work during which the limit was lifted is done again.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import scipy.linalg.cython_blas  # noqa: F401  (the BLAS of compiled code: load it, then limit it)
from threadpoolctl import ThreadpoolController

P = ParamSpec("P")
T = TypeVar("T")

_lock = threading.Lock()
_holders = 0
_limit: OneThread | None = None
_known: tuple[int, list[Any]] = (
    0,
    [],
)  # libraries, and how many modules there were then


class OneThread:
    """BLAS kept at one thread."""

    def __init__(self) -> None:
        self._found = {library: library.get_num_threads() for library in _libraries()}

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call ``function`` with BLAS at one thread from beginning to end."""
        while True:
            self.hold()
            result = function(*args, **kwargs)
            if not self._lifted():
                return result

    def hold(self) -> None:
        """Set the limit where it is not in force; what others have set is restored later."""
        with _lock:
            for library, count in self._lifted().items():
                self._found[library] = count
                _give_up_control(library)
                library.set_num_threads(1)

    def restore(self) -> None:
        """Give every library the number of threads it had."""
        for library, count in self._found.items():
            if count is not None:
                _give_up_control(library)
                library.set_num_threads(count)
                _give_up_control(library)

    def _lifted(self) -> dict[Any, int]:
        counts = {library: library.get_num_threads() for library in self._found}
        return {library: count for library, count in counts.items() if count not in (1, None)}


@contextmanager
def one_blas_thread() -> Iterator[OneThread]:
    """Keep BLAS at one thread until the last of all concurrent holders leaves."""
    global _holders, _limit
    with _lock:
        _limit = _limit or OneThread()
        _holders += 1
        limit = _limit
    try:
        limit.hold()
        yield limit
    finally:
        with _lock:
            _holders -= 1
            if _holders == 0:
                limit.restore()
                _limit = None


def _libraries() -> list[Any]:
    """Return the libraries of BLAS in this process.

    To look for them takes milliseconds, as much as a small fit, so that is done again only when
    something has been imported since.
    """
    global _known
    if _known[0] != len(sys.modules):
        found = ThreadpoolController().select(user_api="blas").lib_controllers
        _known = len(sys.modules), found
    return _known[1]


def _give_up_control(library: object) -> None:
    """Let any thread set the limit; threadpoolctl 3.8 obeys only the first thread that did."""
    release = getattr(library, "clear_controlling_thread", None)
    if release is not None:
        release(force=True)
