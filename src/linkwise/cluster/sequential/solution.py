"""What the answers amount to, what is shown of it, and which answers are set aside."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.sequential.landmarks import Floats, Ints
from linkwise.constraints import Links

#: Among so few answers none is set aside: there is too little to judge them by.
FIRST_ANSWERS = 30


def is_doubtful(suspicion: Floats) -> NDArray[np.bool_]:
    """Tell which answers are more likely wrong than right; they are set aside, and not silently."""
    return np.asarray(suspicion >= 0.5)


class Suspect(NamedTuple):
    """An answer, and the probability that it is wrong."""

    i: int
    j: int
    kind: str
    suspicion: float


@dataclass(frozen=True, eq=False)
class Solution:
    """What the answers so far amount to; independent of the number of rows.

    ``memberships`` are those of the landmarks, by which all rows are voted on; ``rows`` are spoken
    about and ``settled`` are their clusters; ``suspicion`` is per link, must-links first;
    ``cluster_of`` is per named class.
    """

    memberships: Floats
    rows: Ints
    settled: Ints
    suspicion: Floats
    cluster_of: Ints


@dataclass(frozen=True, eq=False)
class Landmarks:
    """The rows that stand for all others, and what the answers so far make of them; read-only.

    Attributes
    ----------
    rows : int64 array of shape (n_landmarks,)
        Row numbers, increasing.
    features : float32 array of shape (n_landmarks, n_kept)
        At most 64 principal components; none in models that an older version wrote.
    vectors : float64 array of shape (n_landmarks, n_directions)
        Leading eigenvectors of the landmarks' graph, smoothest first.
    smoothness : float64 array of shape (n_directions,)
        How far each of these directions carries an answer.
    memberships : float64 array of shape (n_landmarks, n_clusters)
        Share of each landmark in each cluster; rows sum to 1.
    labels : int64 array of shape (n_landmarks,)
        Cluster of each landmark, before it was itself spoken about.
    """

    rows: Ints
    features: NDArray[np.float32]
    vectors: Floats
    smoothness: Floats
    memberships: Floats
    labels: Ints

    def __post_init__(self) -> None:
        for part in fields(self):
            shown = getattr(self, part.name).view()
            shown.setflags(write=False)
            object.__setattr__(self, part.name, shown)


def suspect_at(links: Links, suspicion: Floats, k: int) -> Suspect:
    """Return the link at position ``k``, must-links first, and how doubtful it is."""
    n_must = len(links.must)
    is_must = k < n_must
    i, j = links.must[k] if is_must else links.cannot[k - n_must]
    return Suspect(int(i), int(j), "must" if is_must else "cannot", float(suspicion[k]))
