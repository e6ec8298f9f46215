"""Contradictions: cannot-links whose ends are joined by a chain of must-links."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from linkwise.constraints.chains import Chain, MustGraph
from linkwise.constraints.closure import contradicted
from linkwise.constraints.pairs import Pairs
from linkwise.errors import Contradiction, ContradictionWarning
from linkwise.markup import count, html_table
from linkwise.running import current_options

_COUNTS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LONGEST_SPELLED = 12
#: Things that a notebook lists.
MOST_SHOWN = 10


@dataclass(frozen=True)
class Conflict:
    """A cannot-link and a shortest chain of must-links that contradicts it.

    Attributes
    ----------
    cannot : (int, int)
        The two rows of the cannot-link, the smaller first.
    chain : tuple of (int, int)
        Must-links that lead from the first of the two rows to the second, in walking order.
    position : int or None
        Where the cannot-link stands in ``links.cannot``.

    Examples
    --------
    >>> print(Conflict(cannot=(3, 8), chain=((3, 5), (5, 8)), position=12))
    rows 3 and 8 are must-linked through 3-5, 5-8 and cannot-linked by cannot[12]. \
Drop one of the three.
    """

    cannot: tuple[int, int]
    chain: Chain
    position: int | None = None

    def __str__(self) -> str:
        i, j = self.cannot
        by = "" if self.position is None else f" by cannot[{self.position}]"
        n_links = len(self.chain) + 1
        count = _COUNTS[n_links] if n_links < len(_COUNTS) else f"{n_links} links"
        return (
            f"rows {i} and {j} are must-linked through {_spell(self.chain)} "
            f"and cannot-linked{by}. Drop one of the {count}."
        )


class Conflicts(list[Conflict]):
    """A list of contradictions, which notebooks show as a table."""

    def _repr_html_(self) -> str:
        if not self:
            return html_table("The links agree with each other.", [])
        shown = [
            (f"{conflict.cannot[0]}, {conflict.cannot[1]}", _spell(conflict.chain))
            for conflict in self[:MOST_SHOWN]
        ]
        more = len(self) - len(shown)
        return html_table(
            count(len(self), "contradiction"),
            shown,
            titles=("said to be different", "yet the same, through"),
            note=f"and {more} more" if more else "",
        )


def find_conflicts(must: Pairs, cannot: Pairs) -> Iterator[Conflict]:
    """Yield every contradiction with a shortest chain, in the order of ``cannot``."""
    positions = contradicted(must, cannot)
    if not len(positions):
        return
    graph = MustGraph(must)
    for position in positions.tolist():
        i, j = cannot[position].tolist()
        yield Conflict((i, j), graph.shortest_chain(i, j), position)


def refuse_contradictions(must: Pairs, cannot: Pairs) -> None:
    """Raise Contradiction with the first contradiction in words, if there is one."""
    for conflict in find_conflicts(must, cannot):
        others = len(contradicted(must, cannot)) - 1
        more = f" {others} more: see conflicts()." if others else ""
        raise Contradiction(f"{conflict}{more}")


def warn_of_contradictions(who: str, must: Pairs, cannot: Pairs, *, stacklevel: int = 3) -> None:
    """Warn that not all links can hold, if so; ``who`` hears them all the same."""
    if current_options().quiet:
        return
    conflict = next(find_conflicts(must, cannot), None)
    if conflict is not None:
        warnings.warn(
            f"{who}: the links contradict each other, so not all of them can hold: {conflict} "
            f"links.conflicts() lists all, links.repair() proposes what to withdraw.",
            ContradictionWarning,
            stacklevel=stacklevel,
        )


def _spell(chain: Chain) -> str:
    """Write a chain as 3-5, 5-8; the middle of a very long one is left out."""
    if len(chain) <= _LONGEST_SPELLED:
        return ", ".join(f"{i}-{j}" for i, j in chain)
    head, (i, j) = _spell(chain[: _LONGEST_SPELLED - 2]), chain[-1]
    return f"{head}, ..., {i}-{j} ({len(chain)} links)"
