"""What the constraints bought: the small value every fit leaves behind."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links
from linkwise.markup import html_table


@dataclass(frozen=True)
class FitReport:
    """Links given and kept, contradictions withdrawn, and how far the knowledge moved the result.

    Attributes
    ----------
    n_must, n_cannot : int
        Links given, before any was withdrawn.
    must_kept, cannot_kept : int
        How many of them hold in the result.
    withdrawn : Links
        The smallest set of contradictory links that was left out; empty when all was consistent.
    n_named : int
        Rows whose class was given.
    named_kept : int
        How many of them are in a cluster of their class: the class that has most of the rows
        there that were given.
    set_aside : int
        Links that probably are wrong and were not made to hold.
    agreement : float or None
        NMI with the same estimator fitted without constraints; None unless ``report="full"``.
    """

    n_must: int
    n_cannot: int
    must_kept: int
    cannot_kept: int
    withdrawn: Links
    agreement: float | None = None
    n_named: int = 0
    named_kept: int = 0
    set_aside: int = 0

    @classmethod
    def compare(
        cls, links: Links, withdrawn: Links, labels: NDArray[Any], agreement: float | None = None
    ) -> FitReport:
        """Count what ``labels`` keep of ``links``."""
        kept = links.satisfied(labels)
        n_must = len(links.must)
        return cls(
            n_must=n_must,
            n_cannot=len(links.cannot),
            must_kept=int(np.count_nonzero(kept[:n_must])),
            cannot_kept=int(np.count_nonzero(kept[n_must:])),
            withdrawn=withdrawn,
            agreement=agreement,
        )

    def with_names(self, codes: NDArray[np.int64], labels: NDArray[Any]) -> FitReport:
        """Count also the rows whose class is given: ``codes`` is one a row, -1 where unknown."""
        given = codes >= 0
        table = np.zeros((int(labels.max(initial=0)) + 1, int(codes.max(initial=-1)) + 1))
        np.add.at(table, (labels[given], codes[given]), 1.0)
        kept = table.argmax(axis=1)[labels[given]] == codes[given] if given.any() else given[:0]
        return replace(self, n_named=int(given.sum()), named_kept=int(kept.sum()))

    @property
    def n_links(self) -> int:
        """Links given."""
        return self.n_must + self.n_cannot

    @property
    def n_kept(self) -> int:
        """Links that hold in the result."""
        return self.must_kept + self.cannot_kept

    def __str__(self) -> str:
        if self.n_links == 0 and self.n_named == 0:
            return "no constraints were given"
        lines = []
        if self.n_named:
            lines.append(f"{self.named_kept} of {self.n_named} labels hold")
        if self.n_links:
            lines.append(
                f"{self.n_kept} of {self.n_links} links hold "
                f"({self.must_kept} of {self.n_must} must, "
                f"{self.cannot_kept} of {self.n_cannot} cannot)"
            )
        if self.set_aside:
            lines.append(_were(self.set_aside, "probably wrong answer", "set aside"))
        if self.withdrawn.n_links:
            lines.append(_were(self.withdrawn.n_links, "contradictory link", "left out"))
        if self.agreement is not None:
            lines.append(f"agreement with no constraints: NMI {self.agreement:.3f}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = []
        if self.n_named:
            rows.append(("labels", f"{self.n_named:,}", f"{self.named_kept:,}"))
        for kind, given, kept in (
            ("must-links", self.n_must, self.must_kept),
            ("cannot-links", self.n_cannot, self.cannot_kept),
        ):
            if given:
                rows.append((kind, f"{given:,}", f"{kept:,}"))
        notes = str(self).splitlines()
        notes = [line for line in notes if not re.match(r"\d+ of \d+ (links|labels) hold", line)]
        heading = "What the constraints bought" if rows else notes.pop(0)
        titles = ("", "given", "hold") if rows else ()
        return html_table(heading, rows, titles=titles, note="; ".join(notes))


def _were(n: int, what: str, how: str) -> str:
    return f"1 {what} was {how}" if n == 1 else f"{n} {what}s were {how}"
