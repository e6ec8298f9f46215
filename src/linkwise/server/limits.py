"""How much anybody may ask for: one table, each row of which can be set on the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from linkwise.errors import InvalidInput

MB, GB = 2**20, 2**30
_UNITS = {"": 1, "K": 2**10, "M": MB, "G": GB}


def _limit(default: int, about: str) -> Any:
    return field(default=default, metadata={"about": about})


@dataclass(frozen=True)
class Limits:
    """The limits of a service; sizes are in bytes.

    Examples
    --------
    >>> Limits.of(["columns=50", "unpacked=4G"]).unpacked
    4294967296
    """

    upload: int = _limit(2 * GB, "bytes of an uploaded file")
    unpacked: int = _limit(2 * GB, "bytes of a file once it is unpacked")
    rows: int = _limit(50_000_000, "rows of a file")
    columns: int = _limit(20_000, "columns of a table")
    memory: int = _limit(4 * GB, "bytes of memory for reading one file")
    seconds: int = _limit(120, "seconds for reading one file")
    clusters: int = _limit(500, "clusters that a session ever had, and so names of rows")
    told: int = _limit(500_000, "links, labels or answers that a session takes in from a file")
    body: int = _limit(2 * MB, "bytes of a request other than an upload")
    head_seconds: int = _limit(
        10, "seconds until the head of a request is complete, with HTTPS the handshake too"
    )
    body_seconds: int = _limit(30, "seconds between two parts of a body")
    connections: int = _limit(1000, "connections that showed a token")
    strangers: int = _limit(1024, "connections that have not shown a token")
    strangers_per_address: int = _limit(128, "of these, from one address for longer than a second")
    wrong_tokens: int = _limit(10, "wrong tokens a minute from one address without a wait")

    @classmethod
    def of(cls, settings: Iterable[str]) -> Limits:
        """Return the limits with some of them set, each as ``name=number``."""
        known = [one.name for one in fields(cls)]
        values: dict[str, int] = {}
        for setting in settings:
            found = re.fullmatch(r"([a-z_]+)=([0-9]+)([KMG]?)", setting)
            if found is None or found[1] not in known or int(found[2]) < 1:
                raise InvalidInput(
                    f"{setting!r} is no limit: expected NAME=NUMBER (such as 500 or 4G), where "
                    f"NAME is one of {', '.join(known)}."
                )
            values[found[1]] = int(found[2]) * _UNITS[found[3]]
        return replace(cls(), **values)

    def check_clusters(self, n_clusters: int, added: int) -> None:
        """Refuse to add clusters to those that a session had so far if there would be too many."""
        if n_clusters + added > self.clusters:
            raise InvalidInput(
                f"there were {n_clusters} clusters so far, undone and merged ones counted, and "
                f"this service takes {self.clusters} at most. Start it with --limit clusters=N for "
                f"more."
            )

    @property
    def budget(self) -> dict[str, int]:
        """What a file may hold."""
        return {name: getattr(self, name) for name in ("unpacked", "rows", "columns")}
