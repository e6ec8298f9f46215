"""Differences of linked rows: all that a metric learned from single pairs looks at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwise.constraints import Links, PartialLabels

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Differences:
    """How the two rows of each link differ.

    Links of weight 0 say nothing and are left out, as are links between copies of one row:
    every metric gives them the distance 0.

    Attributes
    ----------
    must, cannot : ndarray of shape (n_must, n_features) and (n_cannot, n_features)
        One row minus the other.
    must_weight, cannot_weight : ndarray of shape (n_must,) and (n_cannot,)
        Weights of the links.
    """

    must: Floats
    cannot: Floats
    must_weight: Floats
    cannot_weight: Floats

    @classmethod
    def of(cls, X: NDArray[Any], links: Links) -> Differences:
        """Take the differences of the linked rows of ``X``."""
        n_must = len(links.must)
        must, must_weight = _differences(X, links.must, links.weight[:n_must])
        cannot, cannot_weight = _differences(X, links.cannot, links.weight[n_must:])
        return cls(must, cannot, must_weight, cannot_weight)

    @property
    def n_links(self) -> int:
        """Number of links of both kinds."""
        return len(self.must) + len(self.cannot)


def _differences(X: NDArray[Any], pairs: NDArray[Any], weight: Floats) -> tuple[Floats, Floats]:
    apart = X[pairs[:, 0]].astype(np.float64) - X[pairs[:, 1]]
    told = (weight > 0) & apart.any(axis=1)
    return apart[told], weight[told]


def links_across_classes(labels: PartialLabels) -> Links:
    """Return links that say what labels say, with every labelled row in some cannot-link.

    The rows of a class form a chain of must-links. Of two classes each row of the larger one is
    cannot-linked to a row of the smaller one, taken in turn. ``labels.to_links()`` entails the same
    with fewer links, but shows only one row of each class beside the others.

    Examples
    --------
    >>> links_across_classes(PartialLabels(["a", "a", "a", "b", "b"])).cannot.tolist()
    [[0, 3], [1, 4], [2, 3]]
    """
    members = [np.flatnonzero(labels.codes == c) for c in range(len(labels.classes))]
    across = [_in_turn(members[a], members[b]) for a in range(len(members)) for b in range(a)]
    cannot = np.concatenate(across) if across else ()
    return Links(len(labels), must=labels.to_links().must, cannot=cannot)


def _in_turn(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    n_pairs = max(len(a), len(b))
    return np.column_stack((np.resize(a, n_pairs), np.resize(b, n_pairs)))
