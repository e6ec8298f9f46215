"""Idle sessions: closed when nobody has used them for a while, so that memory is for the others.

The next request opens a session again and finds everything as it was.
"""

from __future__ import annotations

import asyncio
import logging

from linkwise.server.live.feed import happens
from linkwise.server.live.memory import give_back
from linkwise.server.service import Service

logger = logging.getLogger("linkwise.server")

IDLE_SECONDS = 300.0
LOOK_EVERY = 30.0


async def close_idle_sessions(service: Service, ending: asyncio.Event) -> None:
    """Close idle sessions now and then, until the service ends."""
    while not await happens(ending, LOOK_EVERY):
        try:
            if await service.shelf.close_idle(IDLE_SECONDS, service.jobs.sessions()):
                give_back()
        except Exception as error:  # the service goes on, and the next look may be luckier
            logger.error("an idle session could not be closed", exc_info=error)
