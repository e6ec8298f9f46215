"""How the landmarks are seen: their graph and their features at once, both bent by the answers.

*Graph.* The co-association graph has smooth directions; an answer adds to their Gram matrix a term
that pulls its two rows together or pushes them apart, and the leading directions of the sum are
the coordinates. *Features.* Must-linked rows tell which directions vary inside a class; the
features are scaled so that all of these vary alike, as relevant component analysis does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh

from linkwise.cluster.sequential.answers import Answers, Floats
from linkwise.cluster.sequential.landmarks import Basis, side_by_side, unit_rows

#: How strongly one answer bends the graph, in units of its smoothest direction.
BEND = 10.0
#: Must-links per feature that plain features, all alike, are worth against what must-links say.
RIDGE = 0.5


@dataclass(frozen=True, eq=False)
class Places:
    """Where the rows spoken about lie among the landmarks.

    ``mixture`` (n_rows, n_landmarks) gives each row as a mixture of landmarks, ``graph`` and
    ``features`` its coordinates; ``blocks`` (n_partitions, n_rows) its block in each partition.
    """

    mixture: sp.csr_array
    graph: Floats
    features: Floats
    blocks: NDArray[np.uint8]

    @classmethod
    def of(cls, basis: Basis, mixture: sp.csr_array, blocks: NDArray[np.uint8]) -> Places:
        """Place rows that are given as mixtures of landmarks."""
        return cls(
            mixture=mixture,
            graph=np.asarray(mixture @ basis.vectors),
            features=np.asarray(mixture @ basis.features.astype(np.float64)),
            blocks=blocks,
        )


class Likeness(NamedTuple):
    """Unit vectors whose products say how far what is true of one holds for the other."""

    landmarks: Floats
    rows: Floats


def see_clusters(basis: Basis, places: Places, answers: Answers, believed: Floats) -> Floats:
    """Return the landmarks as they are clustered, by answers as far as they reach and are believed.

    Without answers it is how the clusters without answers were found.
    """
    counted = believed * answers.reach
    graph = bend_graph(basis, places, answers, counted)
    return side_by_side(graph, basis.features @ learn_metric(places, answers, counted))


def see_likeness(basis: Basis, places: Places, answers: Answers, believed: Floats) -> Likeness:
    """Return how alike landmarks and rows are, half by the graph and half by a learned metric."""
    scaling = learn_metric(places, answers, believed * answers.reach)
    seen = basis.features @ scaling
    kept = _leading(seen, max(16, 2 * basis.n_clusters))
    centre = seen.mean(axis=0)
    reach = basis.smoothness**1.5
    landmarks = [unit_rows(basis.vectors * reach), unit_rows((seen - centre) @ kept)]
    rows = [
        unit_rows(places.graph * reach),
        unit_rows((places.features @ scaling - centre) @ kept),
    ]
    return Likeness(np.hstack(landmarks) / np.sqrt(2.0), np.hstack(rows) / np.sqrt(2.0))


def bend_graph(basis: Basis, places: Places, answers: Answers, believed: Floats) -> Floats:
    r"""Return the leading directions of the graph once answers have bent it, as unit rows.

    In the basis of smooth directions :math:`v` with smoothness :math:`g` the Gram matrix is

    .. math:: \mathrm{diag}(g) + \beta \sum_l b_l c_l\, (g v_i)(g v_j)^T

    symmetrised, with :math:`c = 1 - 1/r` for a must-link and :math:`-1/r` for a cannot-link: links
    between random rows add up to nothing.
    """
    r, n = basis.n_clusters, len(basis.smoothness)
    charge = believed * np.where(answers.must, 1.0 - 1.0 / r, -1.0 / r)
    smooth = places.graph * basis.smoothness
    half = (smooth[answers.i] * charge[:, None]).T @ smooth[answers.j]
    bent = np.diag(basis.smoothness) + BEND * (half + half.T) / 2
    _, leading = eigh(bent, subset_by_index=[n - min(r, n), n - 1])
    return np.asarray(unit_rows(basis.vectors @ leading))


def learn_metric(places: Places, answers: Answers, believed: Floats) -> Floats:
    """Return a linear map after which must-linked rows differ alike in all directions.

    The scatter of must-linked rows is mixed with one that is alike in all directions; without
    must-links the map is the identity.
    """
    d, weight = places.features.shape[1], believed[answers.must]
    gap = (places.features[answers.i] - places.features[answers.j])[answers.must]
    scatter = (gap * weight[:, None]).T @ gap
    total = np.trace(scatter)
    if total <= 0.0:
        return np.eye(d)
    mean = total / (d * weight.sum())
    return whitening((scatter + RIDGE * d * mean * np.eye(d)) / (weight.sum() + RIDGE * d))


def whitening(covariance: Floats, least: float = 0.0) -> Floats:
    """Return the linear map after which a covariance is alike in all directions.

    No direction is taken to have less than ``least`` times the mean variance.
    """
    values, vectors = eigh(covariance)
    return np.asarray(vectors / np.sqrt(np.maximum(values, least * values.mean() + 1e-300)))


def _leading(seen: Floats, n_kept: int) -> Floats:
    """Return the leading principal axes."""
    d = seen.shape[1]
    if d == 0:
        return np.empty((0, 0))
    around = seen - seen.mean(axis=0)
    _, axes = eigh(around.T @ around, subset_by_index=[max(d - n_kept, 0), d - 1])
    return np.asarray(axes)
