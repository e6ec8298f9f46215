"""Chunklets: rows that links put into one group, and how widely such groups spread."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links
from linkwise.constraints.groups import Groups

Floats = NDArray[np.float64]


class Chunklets:
    """The must-link components among the linked rows.

    A row that only cannot-links name is a chunklet of its own. Links of weight 0 say nothing;
    other weights are not used.

    Attributes
    ----------
    heard : Links
        The links that say something, all of weight 1.
    groups : Groups
        The rows they name, in must-link components.
    differ : ndarray of shape (n_pairs, 2)
        Pairs of chunklets that some cannot-link separates, each once. A cannot-link inside a
        chunklet contradicts its must-links and is passed over.
    """

    def __init__(self, links: Links) -> None:
        said = links.weight > 0
        n_must = len(links.must)
        self.heard = Links(links.n_samples, links.must[said[:n_must]], links.cannot[said[n_must:]])
        self.groups = Groups.of(self.heard)
        self.differ = self.groups.apart

    @property
    def n_deviations(self) -> int:
        """Independent deviations from the chunklets' means: rows less chunklets."""
        return len(self.groups.rows) - self.groups.n_groups

    def means(self, X: NDArray[Any]) -> Floats:
        """Return the mean row of each chunklet."""
        return self.groups.means(X[self.groups.rows])

    def within_covariance(self, X: NDArray[Any]) -> Floats:
        """Return the pooled covariance of the rows around their chunklet's mean."""
        rows, group = self.groups.rows, self.groups.group
        deviation = X[rows].astype(np.float64) - self.means(X)[group]
        return deviation.T @ deviation / max(self.n_deviations, 1)


def shrink(covariance: Floats, n_seen: int, ridge: float) -> tuple[Floats, float]:
    """Mix ``covariance`` with an isotropic one of the same trace; also return its variance.

    The isotropic part weighs as much as ``ridge`` observations per feature, the covariance as
    much as the ``n_seen`` observations it was made of: it fades as knowledge arrives, and it is
    the same on every scale.
    """
    n_features = len(covariance)
    variance = float(np.trace(covariance)) / n_features
    if variance <= 0:  # nothing seen, or only copies of one row: every direction is alike
        return np.eye(n_features), 1.0
    prior = ridge * n_features
    mixed = n_seen * covariance + prior * variance * np.eye(n_features)
    return mixed / (n_seen + prior), variance
