"""What the constraints bought: the small value every fit leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links


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
    agreement : float or None
        NMI with the same estimator fitted without constraints; None unless ``report="full"``.
    """

    n_must: int
    n_cannot: int
    must_kept: int
    cannot_kept: int
    withdrawn: Links
    agreement: float | None = None

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

    @property
    def n_links(self) -> int:
        """Links given."""
        return self.n_must + self.n_cannot

    @property
    def n_kept(self) -> int:
        """Links that hold in the result."""
        return self.must_kept + self.cannot_kept

    def __str__(self) -> str:
        if self.n_links == 0:
            return "no constraints were given"
        lines = [
            f"{self.n_kept} of {self.n_links} links hold "
            f"({self.must_kept} of {self.n_must} must, "
            f"{self.cannot_kept} of {self.n_cannot} cannot)"
        ]
        if self.withdrawn.n_links:
            lines.append(f"{self.withdrawn.n_links} contradictory links were left out")
        if self.agreement is not None:
            lines.append(f"agreement with no constraints: NMI {self.agreement:.3f}")
        return "\n".join(lines)
