"""The words people have for what a link says, in one table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Verdict = Literal["same", "different", "unsure"]

#: What each word means; case, blanks around it and the kind of dash do not matter.
WORDS: dict[str, Verdict] = {
    "must": "same",
    "must-link": "same",
    "same": "same",
    "together": "same",
    "true": "same",
    "yes": "same",
    "1": "same",
    "cannot": "different",
    "cannot-link": "different",
    "different": "different",
    "apart": "different",
    "false": "different",
    "no": "different",
    "0": "different",
    "-1": "different",
    "unsure": "unsure",
    "unknown": "unsure",
    "?": "unsure",
}


def verdict_of(said: object) -> Verdict | None:
    """Return what a word, a truth value or a number says about a pair; None if nothing.

    Examples
    --------
    >>> [verdict_of(said) for said in ("Same", "must_link", True, 0.0, "?", "maybe")]
    ['same', 'same', 'same', 'different', 'unsure', None]
    """
    return WORDS.get(_plain(said))


def doubtful_zero(column: Iterable[object]) -> int | None:
    """Return where 0 stands in a column that has -1 too: it may mean unsure there."""
    words = [_plain(said) for said in column]
    return words.index("0") if "0" in words and "-1" in words else None


def _plain(said: object) -> str:
    if isinstance(said, float) and said.is_integer():
        said = int(said)
    word = str(said).strip().lower().replace("_", "-")
    return {"1.0": "1", "0.0": "0", "-1.0": "-1", "+1": "1"}.get(word, "-".join(word.split()))
