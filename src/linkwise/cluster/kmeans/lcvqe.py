"""LCVQE: k-means whose centres are pulled by the links that are broken."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.base import Labels
from linkwise.cluster.kmeans.link_settling import (
    Centers,
    Floats,
    LinkedRows,
    LinkSettlingKMeans,
)
from linkwise.cluster.starts import restart_empty
from linkwise.kernels.kmeans_step import cluster_means
from linkwise.kernels.settle import settle_links
from linkwise.typing import Matrix

Ints = NDArray[np.int64]


class LCVQE(LinkSettlingKMeans):
    r"""K-means in which every broken link pulls a centre towards the row it wronged.

    With :math:`d_{ik} = \|x_i - \mu_k\|^2`, minimises over labels :math:`z` and centres :math:`\mu`

    .. math:: \frac12 \sum_i d_{i z_i}
              + \frac14 \sum_{(i,j) \in M,\, z_i \ne z_j} a_{ij} (d_{i z_j} + d_{j z_i})
              + \frac12 \sum_{(i,j) \in C,\, z_i = z_j} a_{ij}\, d_{f m}

    where :math:`M` are the must-links, :math:`C` the cannot-links, :math:`a_{ij}` the weight of a
    link, 1 in the original, :math:`f` the one of :math:`i, j` farther from their centre and
    :math:`m` the centre nearest to :math:`f` other than theirs. Each step gives all rows their
    nearest centre, settles the links one after the other, each in its cheapest way, and moves the
    centres to the minimum.

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
        Centres; means only where no broken link pulls.
    objective_ : float
        The sum above, over the links that were broken when their turn came.
    n_iter_ : int
        Steps done up to the one that was kept.
    report_ : FitReport
        What the links bought.

    See Also
    --------
    CVQE : A broken link pulls centres together; slower.
    PCKMeans : Every broken link costs the same.

    Notes
    -----
    Links are settled in the order of their rows, and a later one may undo an earlier one, which
    is not counted as broken again. Breaking a link of weight 1 or more in its turn costs more than
    the better of the two ways to keep it, and as much only where both rows are centres themselves,
    as in the first step: then the link stays broken. So links of full weight move rows, and only
    lighter ones pull at centres. The objective may rise and fall; the lowest step is kept, and a
    start ends after twenty steps that were not lower.

    Not the method where links have to hold, for that reason, nor for wrong links, which are
    settled like right ones.

    References
    ----------
    .. [1] D. Pelleg, D. Baras. K-means with large and noisy constraint sets. ECML, 2007.

    Examples
    --------
    >>> from linkwise import LCVQE, Links
    >>> X = [[0.0], [1.0], [2.0], [9.0], [10.0]]
    >>> model = LCVQE(n_clusters=2, random_state=0)
    >>> model.fit_predict(X, constraints=Links(5, cannot=[(3, 4)])).tolist()
    [0, 0, 0, 0, 1]
    """

    def _settle(self, linked: LinkedRows, centers: Centers, own: Labels) -> Floats:
        """Settle all links in turn; return how strongly each linked row pulls at each centre."""
        distance, links = linked.distances(centers), linked.links
        ways_out = self._ways_out(distance)
        pulls = settle_links(distance, links.must, links.cannot, links.weight, *ways_out, own)
        return np.asarray(pulls)

    def _moved(
        self, X: Matrix, labels: Labels, linked: LinkedRows, broken: Floats, centers: Centers
    ) -> Centers:
        """Return the weighted means of each cluster's rows and of the rows that pull at it.

        A centre with neither moves to one of the rows farthest from theirs.
        """
        means, counts = cluster_means(X, labels, centers)
        mass = counts + broken.sum(axis=0)
        sums = counts[:, None] * means + broken.T @ linked.X
        filled = mass > 0
        means[filled] = sums[filled] / mass[filled, None]
        restart_empty(X, means, mass)
        return means

    def _price(self, linked: LinkedRows, broken: Floats, centers: Centers) -> float:
        return float((broken * linked.distances(centers)).sum())

    def _ways_out(self, distance: Floats) -> tuple[Ints, Ints]:
        """Return the nearest centre of each row, and the second nearest for rows already there."""
        if distance.shape[1] == 1:
            nearest = np.zeros(len(distance), dtype=np.int64)
            return nearest, nearest
        nearest, second = np.argsort(distance, axis=1, kind="stable")[:, :2].T.copy()
        return nearest, second
