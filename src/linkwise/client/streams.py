"""Server-sent events: lines become frames, frames become events and news."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias

from linkwise.client.messages import Event, News, read

Heard: TypeAlias = Event | News
_KINDS = {"journal": Event, "view": News}


@dataclass
class Ear:
    """Reads one stream line by line, and knows where to resume.

    ``heard`` is the number of the last event it heard of, None before the service told any.
    """

    heard: int | None
    _kind: str = ""
    _data: str = ""
    _id: str = ""

    def hear(self, line: str) -> Heard | None:
        """Take one line, without its end; returns what it completes, if anything."""
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "event":
                self._kind = value
            elif name == "data":
                self._data = f"{self._data}\n{value}" if self._data else value
            elif name == "id":
                self._id = value
            return None
        kind, data, number = self._kind, self._data, self._id
        self._kind = self._data = self._id = ""
        if number.isdigit():
            self.heard = int(number)
        return read(_KINDS[kind], json.loads(data)) if kind in _KINDS and data else None

    def begin_again(self) -> None:
        """Forget a frame that was cut off."""
        self._kind = self._data = self._id = ""

    @property
    def headers(self) -> dict[str, str]:
        """What a request sends to resume."""
        return {} if self.heard is None else {"Last-Event-ID": str(self.heard)}
