"""What a client may have to say."""

from __future__ import annotations

from linkwise.errors import LinkwiseError


class ServiceError(LinkwiseError):
    """The service refused; the sentence is its own, ``status`` the number that HTTP gives it."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


class Unreachable(ServiceError):
    """Nobody answered, or not in time. Whether anything was done is not known."""
