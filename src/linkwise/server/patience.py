"""Wrong tokens: who tries many waits longer and longer, and nobody else does."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict

LONGEST = 4.0
_FORGET_AFTER = 60.0
_MOST_ADDRESSES = 10_000
#: Answers that may wait at the same time; beyond, they come at once and say "later".
_MOST_WAITING = 50


class Patience:
    """Counts wrong tokens by address; one with the right token is never asked to wait.

    Parameters
    ----------
    free : int
        Wrong tokens within a minute that cost nothing: people mistype.
    """

    def __init__(self, free: int) -> None:
        self._free, self._waiting = free, 0
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def seconds(self, address: str) -> float:
        """Note a wrong token; returns how long its answer is to be held back."""
        now = time.monotonic()
        times, last = self._wrong.pop(address, (0, now))
        times = 1 if now - last > _FORGET_AFTER else times + 1
        self._wrong[address] = times, now
        if len(self._wrong) > _MOST_ADDRESSES:
            self._wrong.popitem(last=False)
        beyond = times - self._free
        return 0.0 if beyond <= 0 else min(LONGEST, 0.1 * 2.0 ** min(beyond - 1, 10))

    async def hold(self, address: str) -> bool:
        """Hold the answer to a wrong token back; returns False where too many wait already."""
        seconds = self.seconds(address)
        if seconds and self._waiting >= _MOST_WAITING:
            return False
        self._waiting += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            self._waiting -= 1
        return True
