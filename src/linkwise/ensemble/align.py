"""One naming for the clusters of many partitions.

Cluster 3 of one partition has nothing to do with cluster 3 of another until both are matched to
a common reference: names are chosen so that as many rows as possible keep the reference's label
(the assignment problem, solved exactly by the Hungarian method).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwise.kernels.contingency import count_meetings, count_votes

Labels = NDArray[np.uint8]
Names = NDArray[np.intp]


def match_names(labels: Labels, reference: Labels, n_clusters: int) -> Names:
    """Return names (n_partitions, n_clusters): label ``k`` of partition ``p`` is ``names[p, k]``.

    Each row of the result is a permutation. Labels that a partition does not use get the names
    that are left over.

    Examples
    --------
    >>> labels = np.array([[1, 1, 0], [2, 2, 1]], dtype=np.uint8)
    >>> match_names(labels, np.array([0, 0, 2], dtype=np.uint8), 3).tolist()
    [[2, 0, 1], [1, 2, 0]]
    """
    from scipy.optimize import linear_sum_assignment  # workers of a cluster do without

    counts = count_meetings(labels, reference, n_clusters, n_clusters)
    return np.stack([linear_sum_assignment(table, maximize=True)[1] for table in counts])


def rename(labels: Labels, names: Names) -> Labels:
    """Return the labels under their new names."""
    return np.take_along_axis(names.astype(np.uint8), labels.astype(np.intp), axis=1)


def consensus(labels: Labels, n_clusters: int) -> Labels:
    """Return the label most partitions give to each row; the lower label wins a tie."""
    voted: Labels = count_votes(labels, n_clusters).argmax(axis=1).astype(np.uint8)
    return voted


def align_names(labels: Labels, reference: Labels, n_clusters: int) -> Names:
    """Match all partitions to ``reference``, vote, and match them again to what was voted."""
    first = rename(labels, match_names(labels, reference, n_clusters))
    return match_names(labels, consensus(first, n_clusters), n_clusters)


def align_labels(labels: Labels, reference: Labels, n_clusters: int) -> Labels:
    """Return the labels of all partitions under one naming, see :func:`align_names`."""
    return rename(labels, align_names(labels, reference, n_clusters))
