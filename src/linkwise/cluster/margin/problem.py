"""What maximum margin methods minimise: a squared norm, plus what the scores of the rows lose."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.margin.centred_rows import CentredRows

Floats = NDArray[np.float64]
#: Where the concave part is touched.
Tangent = TypeVar("Tangent", bound=tuple[NDArray[Any], ...])


class MarginProblem(ABC, Generic[Tangent]):
    """``alpha / 2 |W|^2`` plus losses of the scores ``S = X W``, convex once a tangent is fixed.

    The tangent, a tuple of arrays, says which clusters are best under some W. A subclass gives its
    losses (``_losses``), and its tangent where that is more than the best cluster of every row.
    """

    def __init__(self, rows: CentredRows, alpha: float) -> None:
        self.rows = rows
        self.alpha = alpha

    def tangent(self, W: Floats) -> Tangent:
        """Return the clusters liked best under ``W``."""
        return cast(Tangent, (self.rows.scores(W).argmax(axis=1),))

    def surrogate(self, W: Floats, tangent: Tangent, width: float = 0.0) -> tuple[float, Floats]:
        """Return the convex bound that touches at ``tangent``, and its gradient, at ``W``.

        ``width`` 0 is the bound itself with a subgradient; otherwise hinge and maximum are
        smoothed over that width.
        """
        S = self.rows.scores(W)
        D = np.zeros_like(S)
        value = 0.5 * self.alpha * float(np.square(W).sum())
        for loss in self._losses(S, tangent, width, D):
            value += loss
        return value, self.alpha * W + self.rows.pull(D)

    def objective(self, W: Floats, width: float = 0.0) -> float:
        """Return what is minimised, at ``W``."""
        return self.surrogate(W, self.tangent(W), width)[0]

    @abstractmethod
    def _losses(self, S: Floats, tangent: Tangent, width: float, D: Floats) -> Iterator[float]:
        """Yield the losses under scores ``S``; each adds its slope by the scores to ``D``."""
