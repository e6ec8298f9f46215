"""The name somebody may have meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

#: Beyond so many names only those are found that differ by case, blanks, marks and zeros.
MOST_COMPARED = 5000
_ALIKE = 0.75


class NearNames:
    """Names that are known, ready to be compared with one that is not.

    Examples
    --------
    >>> known = NearNames(["flower-001", "flower-002", "Ann Lee"])
    >>> known.near("ann_lee"), known.near("flower-2"), known.near("flwer-001"), known.near("bob")
    ('Ann Lee', 'flower-002', 'flower-001', None)
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = list(known)
        self._by_letters = {_letters(name): name for name in reversed(self._known)}

    def near(self, name: str) -> str | None:
        """Return the known name that ``name`` resembles most, None if none does."""
        letters = _letters(name)
        if letters and letters in self._by_letters:
            return self._by_letters[letters]
        if len(self._known) > MOST_COMPARED:
            return None
        found = get_close_matches(name, self._known, n=1, cutoff=_ALIKE)
        return found[0] if found else None


def _letters(name: str) -> str:
    """Return the letters and digits of a name, without case and zeros before numbers."""
    parts = re.findall(r"\d+|[^\W\d_]+", name.casefold())
    return "".join(part.lstrip("0") or "0" if part.isdecimal() else part for part in parts)
