"""How alike landmarks and rows are: by their graph, and by their features in a learned metric.

*Graph.* The co-association graph has smooth directions, and those that carry far count most.
*Features.* Must-linked rows tell which directions vary inside a class; the features are scaled so
that all of these vary alike, as relevant component analysis does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh

from linkwise.cluster.sequential.answers import Answers, Floats
from linkwise.cluster.sequential.landmarks import Basis, unit_rows

#: Must-links per feature that plain features, all alike, are worth against what must-links say.
RIDGE = 0.5


@dataclass(frozen=True, eq=False)
class Places:
    """Where the rows spoken about lie among the landmarks.

    ``graph`` and ``features`` are their coordinates, as mixtures of landmarks; ``blocks``
    (n_partitions, n_rows) their block in each partition.
    """

    graph: Floats
    features: Floats
    blocks: NDArray[np.uint8]

    @classmethod
    def of(cls, basis: Basis, mixture: sp.csr_array, blocks: NDArray[np.uint8]) -> Places:
        """Place rows that are given as mixtures of landmarks."""
        return cls(
            graph=np.asarray(mixture @ basis.vectors),
            features=np.asarray(mixture @ basis.features.astype(np.float64)),
            blocks=blocks,
        )


class Likeness(NamedTuple):
    """Unit vectors whose products say how far what is true of one holds for the other."""

    landmarks: Floats
    rows: Floats


def see_likeness(basis: Basis, places: Places, answers: Answers) -> Likeness:
    """Return how alike landmarks and rows are, half by the graph and half by a learned metric."""
    scaling = learn_metric(places, answers)
    seen = basis.features @ scaling
    kept = _leading(seen, max(16, 2 * basis.n_clusters))
    centre = seen.mean(axis=0)
    landmarks = [basis.likeness, unit_rows((seen - centre) @ kept)]
    rows = [
        unit_rows(places.graph * basis.smoothness**1.5),
        unit_rows((places.features @ scaling - centre) @ kept),
    ]
    return Likeness(np.hstack(landmarks) / np.sqrt(2.0), np.hstack(rows) / np.sqrt(2.0))


def learn_metric(places: Places, answers: Answers) -> Floats:
    """Return a linear map after which must-linked rows differ alike in all directions.

    The scatter of must-linked rows is mixed with one that is alike in all directions; without
    must-links the map is the identity.
    """
    d, weight = places.features.shape[1], answers.reach[answers.must]
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
