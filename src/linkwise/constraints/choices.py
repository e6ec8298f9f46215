"""Which of these does it belong with? One answer, as pairs of rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linkwise.constraints.pairs import Pairs, describe_rows
from linkwise.errors import InvalidLinks
from linkwise.validation import require_number


def pairs_of_choice(
    row: int, chosen: int | None, among: Iterable[int], n_samples: int
) -> tuple[Pairs, Pairs]:
    """Return the must-links and cannot-links that a choice says, or say what is wrong with it."""
    examples = _read_examples(among, n_samples)
    _check_row("row", row, n_samples)
    if row in examples:
        raise InvalidLinks(
            f"from_choice: row {row} is among its own examples. Compare it with other rows."
        )
    if chosen is not None and chosen not in examples:
        raise InvalidLinks(
            f"from_choice: row {chosen} was chosen among {', '.join(map(str, examples))}. "
            f"Choose one of these, or None for none of them."
        )
    others = [(int(row), example) for example in examples if example != chosen]
    must = [] if chosen is None else [(int(row), int(chosen))]
    return _as_pairs(must), _as_pairs(others)


def _read_examples(among: Iterable[int], n_samples: int) -> list[int]:
    if isinstance(among, str | bytes) or not isinstance(among, Iterable):
        raise InvalidLinks(f"from_choice: among must be rows such as [3, 7, 8], got {among!r}.")
    examples = list(among)
    if not examples:
        raise InvalidLinks("from_choice: among is empty. A choice needs one example or more.")
    for position, example in enumerate(examples):
        _check_row(f"among[{position}]", example, n_samples)
    return [int(example) for example in examples]


def _check_row(name: str, row: int, n_samples: int) -> None:
    require_number("from_choice", name, row, integer=True)
    if not 0 <= row < n_samples:
        raise InvalidLinks(
            f"from_choice: {name} = {row} points outside {describe_rows(n_samples)}."
        )


def _as_pairs(pairs: list[tuple[int, int]]) -> Pairs:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
