"""CVQE: k-means in which a broken link costs the distance between two centres."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances

from linkwise.cluster.base import Labels
from linkwise.cluster.kmeans.link_settling import (
    Centers,
    Floats,
    LinkedRows,
    LinkSettlingKMeans,
)
from linkwise.cluster.starts import restart_empty
from linkwise.kernels.kmeans_step import cluster_means
from linkwise.kernels.settle import settle_pairs
from linkwise.typing import Matrix


class CVQE(LinkSettlingKMeans):
    r"""K-means with the constrained vector quantization error.

    Minimises over labels :math:`z` and centres :math:`\mu`

    .. math:: \frac12 \sum_i \|x_i - \mu_{z_i}\|^2
              + \frac12 \sum_{(i,j) \in M,\, z_i \ne z_j} a_{ij} \|\mu_{z_i} - \mu_{z_j}\|^2
              + \frac12 \sum_{(i,j) \in C,\, z_i = z_j} a_{ij} \|\mu_{z_i} - \mu_{h(z_i)}\|^2

    where :math:`M` are the must-links, :math:`C` the cannot-links, :math:`a_{ij}` the weight of a
    link, 1 in the original, and :math:`h(k)` the centre nearest to centre :math:`k`. Each step
    gives all rows their nearest centre, gives the rows of every link that is broken, one link after
    the other, the cheapest of all pairs of clusters, and moves the centres to the minimum.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters; "auto" finds one as :func:`choose_k` does.
    n_init : int, default=1
        Number of k-means++ starts; the lowest objective is kept.
    max_iter : int, default=300
        Most steps from one start.
    report : {"brief", "full"}, default="brief"
        "full" also fits without constraints and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Draws the starts.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters that were looked for.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centres; means only where no broken link draws them to another.
    objective_ : float
        The sum above, over the links that were broken when their turn came.
    n_iter_ : int
        Steps done up to the one that was kept.
    report_ : FitReport
        What the links bought.

    See Also
    --------
    LCVQE : Its successor; a link has three ways to be settled instead of n_clusters squared.

    Notes
    -----
    A broken must-link in the paper moves the centre of its first row alone. Which row comes first
    means nothing here, so both centres move, and all of them at once: the centres are the minimum
    of the sum for what was broken. Links are settled in the order of their rows, and a later one
    may undo an earlier one. The objective therefore may rise; the lowest step is kept, and a start
    ends after twenty steps that were not lower.

    Not the method for many links or many clusters: each broken link tries all pairs of clusters in
    every step, and broken links draw centres together whether or not clusters are there.

    References
    ----------
    .. [1] I. Davidson, S. S. Ravi. Clustering with constraints: feasibility issues and the k-means
       algorithm. SDM, 2005.

    Examples
    --------
    >>> from linkwise import CVQE, Links
    >>> X = [[0.0], [1.0], [2.0], [9.0], [10.0]]
    >>> model = CVQE(n_clusters=2, random_state=0)
    >>> model.fit_predict(X, constraints=Links(5, must=[(2, 3)])).tolist()
    [0, 0, 0, 0, 1]
    """

    def _settle(self, linked: LinkedRows, centers: Centers, own: Labels) -> Floats:
        """Settle all links in turn; return the weight of broken links between two clusters."""
        between = _between(centers)
        gap, neighbour = _nearest_other(between)
        links = linked.links
        attraction = settle_pairs(
            linked.distances(centers),
            *(between, gap, neighbour),
            *(links.must, links.cannot, links.weight),
            own,
        )
        return np.asarray(attraction)

    def _moved(
        self,
        X: Matrix,
        labels: Labels,
        linked: LinkedRows,  # noqa: ARG002
        broken: Floats,
        centers: Centers,
    ) -> Centers:
        r"""Return the minimum over all centres, given the labels and the attractions.

        With :math:`n_k` rows in cluster :math:`k` and attractions :math:`A` it solves
        :math:`(n_k + \sum_l A_{kl}) \mu_k - \sum_l A_{kl} \mu_l = \sum_{z_i = k} x_i`. Clusters
        without rows are left out and restart at one of the rows farthest from theirs.
        """
        means, counts = cluster_means(X, labels, centers)
        filled = np.flatnonzero(counts)
        attraction = broken[np.ix_(filled, filled)]
        system = np.diag(counts[filled] + attraction.sum(axis=1)) - attraction
        means[filled] = np.linalg.solve(system, counts[filled, None] * means[filled])
        restart_empty(X, means, counts)
        return means

    def _price(self, linked: LinkedRows, broken: Floats, centers: Centers) -> float:  # noqa: ARG002
        return 0.5 * float((broken * _between(centers)).sum())


def _between(centers: Centers) -> Floats:
    """Return the squared distances between centres."""
    wide = centers.astype(np.float64)
    return np.asarray(euclidean_distances(wide, squared=True))


def _nearest_other(between: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return the squared distance to the nearest other centre, and which it is."""
    if len(between) == 1:
        return np.zeros(1), np.zeros(1, dtype=np.int64)
    others = between.copy()
    np.fill_diagonal(others, np.inf)
    return others.min(axis=1), others.argmin(axis=1)
