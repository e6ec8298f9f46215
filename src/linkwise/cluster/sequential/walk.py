r"""What rows are by the names around them: walks on the graph that meet rows somebody named.

From a landmark one walks along the graph, each step going on with probability :math:`a`. Named rows
are sources of their class, and the landmark is what the sources that such walks meet say,

.. math:: p_i \propto \sum_j \left[(1 - a S)^{-1}\right]_{ij} q_j,

label spreading. So this finds classes that are made of several clusters, or of parts of them. All
landmarks of the clusters that nobody named are sources, too, together worth as much as what was
known before anybody spoke.
"""

from __future__ import annotations

import numpy as np

from linkwise.cluster.sequential.answers import PRIOR_ANSWERS, Answers, Floats, Ints
from linkwise.cluster.sequential.landmarks import SMOOTHING, Basis, one_hot, shares
from linkwise.cluster.sequential.views import Places


def walk(
    basis: Basis, places: Places, answers: Answers, cluster_of: Ints, landmarks: Floats
) -> Floats:
    """Return memberships of the landmarks by the names, and by the clusters that nobody named.

    Parameters
    ----------
    basis : Basis
        The landmarks.
    places : Places
        Where the rows spoken about lie among them.
    answers : Answers
        What was said.
    cluster_of : int64 array of shape (n_classes,)
        The cluster of each named class.
    landmarks : float64 array of shape (n_landmarks, n_clusters)
        What the landmarks look like by the clusters.
    """
    is_named = answers.named >= 0
    met = cluster_of[answers.named[is_named]]
    others = landmarks * ~np.isin(np.arange(basis.n_clusters), met)
    others *= PRIOR_ANSWERS / basis.n_landmarks
    sources = places.graph[is_named].T @ one_hot(met, basis.n_clusters)
    visits = basis.smoothness / (1.0 - SMOOTHING) - 1.0  # of a walk, but for where it starts
    found = others + (basis.vectors * visits) @ (basis.vectors.T @ others + sources)
    return shares(np.maximum(found, 1e-9), axis=1)
