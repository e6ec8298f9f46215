"""The name somebody may have meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

#: Beyond so many names only those are found that differ by case, blanks, marks, zeros, or two
#: letters that changed places.
MOST_COMPARED = 5000
_ALIKE = 0.75
_MOST_NAMED = 10


class NearNames:
    """Names that are known, ready to be compared with one that is not.

    Examples
    --------
    >>> known = NearNames(["flower-001", "flower-002", "Ann Lee"])
    >>> known.near("ann_lee"), known.near("flower-2"), known.near("flwer-001"), known.near("bob")
    ('Ann Lee', 'flower-002', 'flower-001', None)
    >>> NearNames(["ann", "bob"]).near("bbo")
    'bob'
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = list(known)
        self._by_letters = {_letters(name): name for name in reversed(self._known)}

    def near(self, name: str) -> str | None:
        """Return the known name that ``name`` resembles most, None if none does."""
        letters = _letters(name)
        if letters and letters in self._by_letters:
            return self._by_letters[letters]
        if len(self._known) <= MOST_COMPARED:
            found = get_close_matches(name, self._known, n=1, cutoff=_ALIKE)
            if found:
                return found[0]
        swapped = (name[:k] + name[k + 1] + name[k] + name[k + 2 :] for k in range(len(name) - 1))
        like = (self._by_letters.get(_letters(other)) for other in swapped if _letters(other))
        return next((known for known in like if known is not None), None)


def nobody_called(names: Sequence[str], known: Sequence[str]) -> str:
    """Return a sentence about names that no row has, with those of rows that were perhaps meant.

    Examples
    --------
    >>> nobody_called(["Bob"], ["ann", "bob"]), nobody_called(["Bob", "zoe"], ["ann", "bob"])
    ("no row is called 'Bob'. Did you mean 'bob'?", "no row is called 'Bob' (like 'bob') or 'zoe'.")
    """
    near = NearNames(known if len(known) <= MOST_COMPARED else ())
    meant = [near.near(name) for name in names[:_MOST_NAMED]]
    if len(names) == 1:
        question = "" if meant[0] is None else f" Did you mean {meant[0]!r}?"
        return f"no row is called {names[0]!r}.{question}"
    told = [
        repr(name) if like is None else f"{name!r} (like {like!r})"
        for name, like in zip(names, meant, strict=False)
    ]
    more = len(names) - len(told)
    told += [f"{more} more"] if more else []
    return f"no row is called {', '.join(told[:-1])} or {told[-1]}."


def _letters(name: str) -> str:
    """Return the letters and digits of a name, without case and zeros before numbers."""
    parts = re.findall(r"\d+|[^\W\d_]+", name.casefold())
    return "".join(part.lstrip("0") or "0" if part.isdecimal() else part for part in parts)
