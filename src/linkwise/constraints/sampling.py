"""Side information drawn from a known truth, with as many wrong answers as wanted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from linkwise.constraints.pairs import Pairs
from linkwise.errors import InvalidInput
from linkwise.typing import AnySeed

Codes = NDArray[np.int64]


def sample_pairs(
    codes: Codes, n_links: int, noise: float, random_state: AnySeed
) -> tuple[Pairs, Pairs]:
    """Draw distinct pairs of labelled rows uniformly; return must-links and cannot-links.

    ``round(noise * n_links)`` of the answers are flipped. Pairs are drawn by number, so the pairs
    there are (n² / 2 of them) are never listed.
    """
    rows = np.flatnonzero(codes >= 0)
    n_pairs = len(rows) * (len(rows) - 1) // 2
    check_share("Links.sample", "noise", noise)
    if not _is_whole(n_links) or n_links < 0:
        raise InvalidInput(
            f"Links.sample(n_links={n_links!r}): n_links must be a whole number >= 0."
        )
    if n_links > n_pairs:
        raise InvalidInput(
            f"Links.sample(n_links={n_links}): {len(rows)} labelled rows have only {n_pairs} pairs."
        )
    rng = generator(random_state)
    numbers = rng.choice(max(n_pairs, 1), size=n_links, replace=False)
    pairs = rows[_pairs_by_number(numbers)]
    same = codes[pairs[:, 0]] == codes[pairs[:, 1]]
    flipped = rng.permutation(n_links)[: round(noise * n_links)]
    same[flipped] = ~same[flipped]
    return pairs[same], pairs[~same]


def sample_codes(codes: Codes, fraction: float, noise: float, random_state: AnySeed) -> Codes:
    """Reveal a share of the labels; ``round(noise * revealed)`` of them name another class."""
    check_share("PartialLabels.sample", "fraction", fraction)
    check_share("PartialLabels.sample", "noise", noise)
    rng = generator(random_state)
    rows = np.flatnonzero(codes >= 0)
    chosen = rng.choice(rows, size=round(fraction * len(rows)), replace=False)
    revealed = np.full_like(codes, -1)
    revealed[chosen] = codes[chosen]
    wrong = chosen[: round(noise * len(chosen))]
    n_classes = int(codes.max(initial=-1)) + 1
    if len(wrong) and n_classes < 2:
        raise InvalidInput(
            f"PartialLabels.sample(noise={noise!r}): a wrong label needs a second class, "
            f"but all labelled rows are of one."
        )
    if len(wrong):
        step = rng.integers(1, n_classes, size=len(wrong))
        revealed[wrong] = (codes[wrong] + step) % n_classes
    return revealed


def check_share(owner: str, name: str, value: object) -> None:
    """Refuse a share that is not a number from 0 to 1."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.integer | np.floating)
        or not 0 <= value <= 1
    ):
        raise InvalidInput(f"{owner}({name}={value!r}): {name} must be a number from 0 to 1.")


def generator(random_state: AnySeed) -> np.random.Generator:
    """Return a NumPy generator from None, a seed, a RandomState or a Generator."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    return np.random.default_rng(seed)


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _pairs_by_number(numbers: NDArray[np.int64]) -> Pairs:
    """Turn numbers 0, 1, 2, ... into the pairs (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    high = ((1 + np.sqrt(1.0 + 8.0 * numbers)) / 2).astype(np.int64)
    high -= high * (high - 1) // 2 > numbers  # the square root may be off by one
    high += high * (high + 1) // 2 <= numbers
    return np.column_stack((numbers - high * (high - 1) // 2, high))
