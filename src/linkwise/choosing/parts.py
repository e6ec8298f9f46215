"""Parts of the rows that people know something about, each with knowledge of its own.

What is known about the rows of one part and what is known about the others have no row in common,
so nothing about a part can be entailed by what is known outside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links, PartialLabels
from linkwise.errors import InvalidInput
from linkwise.markup import count

Ints = NDArray[np.int64]


def parts_of(
    known: Links | PartialLabels, n_parts: int, rng: np.random.RandomState, where: str
) -> list[Ints]:
    """Part the rows that links or labels name, so that each part holds about as much knowledge.

    Linked rows stay together as far as possible: whole sets of rows that links connect, and where
    such a set holds more than its share of the links, stretches of a walk through it that finishes
    a must-link group before it crosses a cannot-link. Links between two parts count in neither.
    """
    if isinstance(known, PartialLabels):
        parts = _deal_labels(known, n_parts, rng)
        lacking = [part for part in parts if len(part) < 2]
        what = f"the {count(known.n_known, 'label')}"
    else:
        parts = _deal_links(known, n_parts, rng)
        lacking = [part for part in parts if known[part].n_links == 0]
        what = f"the {count(known.n_links, 'link')}"
    if lacking:
        raise InvalidInput(
            f"{where}: {what} cannot be parted into {n_parts} with something to judge by in each. "
            "Ask for fewer parts, or know more."
        )
    return parts


def _deal_labels(labels: PartialLabels, n_parts: int, rng: np.random.RandomState) -> list[Ints]:
    """Deal rows out class by class, so that parts differ by one row of a class at most."""
    rows = rng.permutation(labels.known_rows)
    rows = rows[np.argsort(labels.codes[rows], kind="stable")]
    return [np.sort(rows[part::n_parts]) for part in range(n_parts)]


def _deal_links(links: Links, n_parts: int, rng: np.random.RandomState) -> list[Ints]:
    """Give the largest piece that is left to the part that has least."""
    share = links.n_links / n_parts
    pieces = [piece for walk in walks(links, rng) for piece in _cut(walk, links, share)]
    piece_of = np.empty(links.n_samples, dtype=np.int64)
    for number, piece in enumerate(pieces):
        piece_of[piece] = number
    ends = np.concatenate((links.must, links.cannot))
    inside = ends[piece_of[ends[:, 0]] == piece_of[ends[:, 1]], 0]
    n_inside = np.bincount(piece_of[inside], minlength=len(pieces))
    dealt: list[list[Ints]] = [[] for _ in range(n_parts)]
    held = np.zeros((n_parts, 2))
    for number in np.argsort(-n_inside, kind="stable"):
        poorest = np.lexsort((held[:, 1], held[:, 0]))[0]
        dealt[poorest].append(pieces[number])
        held[poorest] += n_inside[number], len(pieces[number])
    nothing = np.empty(0, dtype=np.int64)
    return [np.sort(np.concatenate([nothing, *part])) for part in dealt]


def walks(links: Links, rng: np.random.RandomState) -> Iterator[Ints]:
    """Walk through every set of rows that links connect, from a row drawn at random.

    A walk takes must-links as long as there are any to rows not seen yet, then the cannot-link
    found last: groups come in one piece, and neighbours soon after each other.
    """
    near, far = _neighbours(links.must), _neighbours(links.cannot)
    seen: set[int] = set()
    for start in rng.permutation(links.linked_rows).tolist():
        order, together, apart = [], [start], list[int]()
        while together or apart:
            row = together.pop() if together else apart.pop()
            if row not in seen:
                seen.add(row)
                order.append(row)
                together.extend(near[row])
                apart.extend(far[row])
        if order:
            yield np.array(order, dtype=np.int64)


def _neighbours(pairs: NDArray[np.int64]) -> defaultdict[int, list[int]]:
    found: defaultdict[int, list[int]] = defaultdict(list)
    for i, j in pairs.tolist():
        found[i].append(j)
        found[j].append(i)
    return found


def _cut(walk: Ints, links: Links, share: float) -> list[Ints]:
    """Cut a walk into stretches of about the same number of link ends, none with too many."""
    degree = np.bincount(np.concatenate((links.must, links.cannot)).ravel(), minlength=len(links))
    n_ends = np.cumsum(degree[walk])
    n_pieces = int(np.ceil(n_ends[-1] / (2 * share)))
    borders = np.searchsorted(n_ends, n_ends[-1] * np.arange(1, n_pieces) / n_pieces)
    return [piece for piece in np.split(walk, borders) if len(piece)]
