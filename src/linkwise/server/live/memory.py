"""Memory: what was freed goes back to the system.

The C library keeps what was freed for later use, in a pool for every few threads. A service whose
labels are computed here and whose questions are answered there would so hold the most that each
thread ever needed. Elsewhere than with the GNU C library nothing is done.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

MOST_POOLS = 2
_M_ARENA_MAX = -8  # the number of mallopt's parameter in malloc.h


def keep_few_pools() -> None:
    """Let all threads share few pools of memory; asked for once, at the start."""
    library = _library()
    if library is not None:
        library.mallopt(_M_ARENA_MAX, MOST_POOLS)


def give_back() -> None:
    """Give free memory back to the system; takes a millisecond or more, so only now and then."""
    library = _library()
    if library is not None:
        library.malloc_trim(0)


@cache
def _library() -> Any:
    """Return the C library if it is one that can be asked."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):  # not a system with one C library for all
        return None
    known = hasattr(library, "mallopt") and hasattr(library, "malloc_trim")
    return library if known else None
