"""Ways of seeing the landmarks anew once answers are known.

A view turns answers into coordinates of the landmarks in which k-means looks for clusters. What it
learns is a sum over the links, so that some of them can be left out by subtraction; how far it goes
is one number, its setting, which links left out choose.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg import eigh

from linkwise.cluster.sequential.landmarks import Basis, Floats, Ints, unit_rows
from linkwise.cluster.sequential.trust import LiftedLinks

#: How strongly the answers may bend the spectrum.
STRENGTHS = (1.0, 3.0, 10.0, 30.0)
#: Weight of the plain metric, in must-links per feature.
RIDGES = (0.1, 0.5)
#: Fewer must-links, or fewer than three for each cluster, teach no metric.
MIN_MUST = 20
#: Directions of the learned metric that are kept: this many, or two for each cluster.
MIN_KEPT = 16


class View(Protocol):
    """Coordinates of the landmarks, learned from links.

    ``settings`` are tried in this order. Its clusters must be better at what links left out tell
    (see :func:`~linkwise.cluster.sequential.trust.by_likelihood`), by ``doubt`` standard errors
    more than usual; unless only that counts (``by_likelihood``), they must keep more links, too.
    """

    settings: tuple[float, ...]
    doubt: float
    by_likelihood: bool

    def learn(self, part: Ints) -> Floats:
        """Return what these links teach; adds up over disjoint parts."""

    def embed(self, setting: float, learned: Floats) -> Floats:
        """Return the landmarks as rows."""


class BentSpectrum:
    """The leading directions of the landmarks' graph, bent towards what the links say.

    A link adds a term of rank one to the spectrum: must-links make a direction in which their two
    ends agree more important, cannot-links one in which they differ.
    """

    doubt = -1.0
    by_likelihood = False

    def __init__(self, basis: Basis, links: LiftedLinks, weight: Floats) -> None:
        self.basis = basis
        r = basis.n_clusters
        self.charge = np.where(links.must, weight * (1 - 1 / r), -weight / r)
        self.left = links.place[links.i] * basis.smoothness
        self.right = links.place[links.j] * basis.smoothness
        most = max(1.0, 6 * len(links) / r**2)
        self.settings: tuple[float, ...] = tuple(
            strength for strength in STRENGTHS if strength <= most
        )

    def learn(self, part: Ints) -> Floats:
        half = (self.left[part] * self.charge[part, None]).T @ self.right[part]
        return np.asarray((half + half.T) / 2)

    def embed(self, setting: float, learned: Floats) -> Floats:
        matrix = np.diag(self.basis.smoothness) + setting * learned
        q, r = len(matrix), min(self.basis.n_clusters, len(matrix))
        _, directions = eigh(matrix, subset_by_index=[q - r, q - 1])
        return np.ascontiguousarray(unit_rows(self.basis.vectors @ directions))


class LearnedMetric:
    """The landmarks' features, divided by how much must-linked rows differ in them.

    The graph cannot show what the features themselves hide, such as a column of large numbers that
    means nothing; a metric learned from must-links can (relevant component analysis). A linked row
    that is no landmark stands where the landmarks like it stand. A metric has more numbers to learn
    than there are links, so it needs a few and must prove itself more clearly than the spectrum.
    """

    doubt = 0.5
    by_likelihood = True

    def __init__(self, basis: Basis, links: LiftedLinks, weight: Floats) -> None:
        self.features = basis.features.astype(np.float64)
        place = links.mixture @ self.features
        gap = (place[links.i] - place[links.j]) / np.sqrt(2.0)
        share = np.where(links.must, _own_share(links), 0.0)
        counted = np.column_stack([gap, np.ones(len(links))])
        self.gaps = counted * np.sqrt(weight * share)[:, None]
        self.n_kept = max(MIN_KEPT, 2 * basis.n_clusters)
        needed = max(MIN_MUST, 3 * basis.n_clusters)
        enough = share.sum() >= needed and gap.any()
        self.settings: tuple[float, ...] = RIDGES if enough else ()

    def learn(self, part: Ints) -> Floats:
        """Return the gaps' scatter, bordered by their sum and, in the corner, their number."""
        return np.asarray(self.gaps[part].T @ self.gaps[part])

    def embed(self, setting: float, learned: Floats) -> Floats:
        scatter, n_links = learned[:-1, :-1], learned[-1, -1]
        d = len(scatter)
        variance = np.trace(scatter) / (d * max(n_links, 1e-12))
        if variance <= 0:
            return self.features
        within = (scatter + setting * d * variance * np.eye(d)) / (n_links + setting * d)
        values, vectors = eigh(within)
        seen = self.features @ (vectors / np.sqrt(values))
        first = max(0, d - self.n_kept)
        _, directions = eigh(seen.T @ seen, subset_by_index=[first, d - 1])
        return np.ascontiguousarray(seen @ directions)


def _own_share(links: LiftedLinks) -> Floats:
    """Return how much of a gap of its own each must-link shows.

    Many links to the same row show over and over how that row differs from the rest; k of them
    count as much as the square root of k.
    """
    ends = np.concatenate([links.i[links.must], links.j[links.must]])
    n_links = np.bincount(ends, minlength=len(links.rows))
    most = np.maximum(1, np.maximum(n_links[links.i], n_links[links.j]))
    return np.asarray(1.0 / np.sqrt(most))
