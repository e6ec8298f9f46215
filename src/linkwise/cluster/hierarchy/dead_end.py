"""Where merging ended with too many clusters: some are dissolved so that all links hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances

from linkwise.constraints import Links
from linkwise.constraints.groups import Groups
from linkwise.kernels.colouring import colour_groups
from linkwise.kernels.kmeans_step import cluster_means
from linkwise.typing import Matrix

Ints = NDArray[np.int64]

#: How often the search for labels that keep all links steps back before it gives up.
MAX_RETREATS = 10_000


def dissolved(X: Matrix, labels: Ints, links: Links, n_clusters: int) -> Ints | None:
    """Return labels with ``n_clusters`` clusters that keep all links; None if none was found.

    The largest clusters stay. The rows of the others go, must-linked rows as one, to the cluster
    whose mean is nearest and to which no cannot-link speaks against; where that leaves one without
    a cluster, others give way. Rows move out of clusters that stay only for that reason.
    """
    sizes = np.bincount(labels)
    staying = np.sort(np.argsort(-sizes, kind="stable")[:n_clusters])
    place = np.full(len(sizes), -1)
    place[staying] = np.arange(n_clusters)
    start = np.zeros((len(sizes), X.shape[1]), dtype=X.dtype)
    means = cluster_means(X, labels, start)[0][staying]
    cost = np.asarray(euclidean_distances(X, means, squared=True), dtype=np.float64)
    found = np.where(place[labels] >= 0, place[labels], cost.argmin(axis=1))
    groups = Groups.of(links)
    _, first = np.unique(groups.group, return_index=True)
    home = place[labels[groups.rows[first]]]
    price = groups.sums(cost[groups.rows])
    price[home >= 0, home[home >= 0]] = -1.0  # cheaper than any distance
    apart = groups.separation()
    clusters, stuck, _ = colour_groups(price, apart.indptr, apart.indices, MAX_RETREATS)
    if stuck >= 0:
        return None
    found[groups.rows] = clusters[groups.group]
    return found if len(np.unique(found)) == n_clusters else None
