"""What a session refuses, beyond the errors every part of linkwise knows."""

from __future__ import annotations

from linkwise.errors import InvalidInput, LinkwiseError


class SessionError(LinkwiseError):
    """A session that cannot be opened, read or written."""


class SessionLocked(SessionError):
    """Another process holds the session."""


class DataChanged(SessionError):
    """The data file is not the one the session was made of."""


class JournalDamaged(SessionError):
    """The journal does not hold what was acknowledged; it was left as it is."""


class StorageTrouble(SessionError, OSError):
    """The disk or the database failed; nothing of the call was recorded."""


class InvalidEvent(InvalidInput):
    """An event that cannot be part of the history."""


class KeyReused(InvalidEvent):
    """An idempotency key that already stands for something else."""
