"""Pairwise-constrained k-means."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances

from linkwise.cluster.base import Labels
from linkwise.cluster.kmeans.linked_lloyd import lloyd_with_links
from linkwise.cluster.row_weights import RowWeighingClusterer, total_variance, weighed
from linkwise.cluster.starts import Weights, complete_centers, neighbourhood_means
from linkwise.cluster.visit_order import surest_first
from linkwise.constraints import Links
from linkwise.constraints.groups import Groups
from linkwise.kernels.kmeans_step import move_groups
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_number


class PCKMeans(RowWeighingClusterer):
    r"""K-means that pays ``weight`` for every broken link.

    Minimises over labels :math:`z` and centres :math:`\mu`

    .. math:: \sum_i \|x_i - \mu_{z_i}\|^2
              + w \sum_{(i,j) \in M} a_{ij} [z_i \ne z_j] + w \sum_{(i,j) \in C} a_{ij} [z_i = z_j]

    where :math:`M` are the must-links, :math:`C` the cannot-links and :math:`a_{ij}` the weight of
    the single link. The means of large must-link components that lie far apart are the first
    centres. Each round gives unlinked rows their nearest centre and moves linked rows, alone and
    as whole must-link components, while that lowers the sum.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters; "auto" finds one as :func:`choose_k` does.
    weight : float or "auto", default="auto"
        Price :math:`w` of one broken link, in units of squared distance. "auto" is the mean squared
        distance of the rows to their overall mean, so rescaling ``X`` changes nothing. 0 is
        k-means.
    max_iter : int, default=100
        Most rounds.
    report : {"brief", "full"}, default="brief"
        "full" also fits without constraints and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Draws the centres that no must-link component provides.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters that were looked for.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Mean of each cluster.
    objective_ : float
        The sum above.
    n_iter_ : int
        Rounds done.
    report_ : FitReport
        What the links bought.

    See Also
    --------
    COPKMeans : No link is ever broken.

    Notes
    -----
    Not the method when the clusters are not round blobs: links pull at single rows, the shape of
    the clusters is k-means' own.

    References
    ----------
    .. [1] S. Basu, A. Banerjee, R. J. Mooney. Active semi-supervision for pairwise
       constrained clustering. SDM, 2004.

    Examples
    --------
    >>> from linkwise import Links, PCKMeans
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> links = Links(4, must=[(1, 2)])
    >>> model = PCKMeans(n_clusters=2, weight=100, random_state=0).fit(X, constraints=links)
    >>> bool(model.labels_[1] == model.labels_[2])
    True
    """

    _sparse: ClassVar[bool] = True
    _counts: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        weight: float | str = "auto",
        max_iter: int = 100,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weight = weight
        self.max_iter = max_iter
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_number(self, "weight", low=0, or_in=("auto",))
        check_number(self, "max_iter", low=1, integer=True)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:
        weights = self._row_weights
        auto = self.weight == "auto"
        weight = total_variance(X, weights) if auto else float(self.weight)
        linked = _LinkedRows(knowledge, weight, weights)
        known = neighbourhood_means(X, knowledge, self.n_clusters_, weights)
        centers = complete_centers(X, known, self.n_clusters_, rng, weights)
        end = lloyd_with_links(X, linked, centers, self.max_iter, weights)
        self.labels_, self.cluster_centers_, self.n_iter_ = end
        broken = knowledge.weight[~knowledge.satisfied(end.labels)].sum()
        apart = _distance_to_own(X, end.centers, end.labels, weights)
        self.objective_ = apart + weight * float(broken)


class _LinkedRows:
    """The rows that links name, and how they are moved."""

    def __init__(self, links: Links, weight: float, weights: Weights) -> None:
        self.weights = weights
        self.groups = Groups.of(links)
        self.graph = self.groups.links.signed_graph()
        self.price = self.graph.data * weight

    def assign(self, X: Matrix, centers: NDArray[Any], labels: Labels, previous: Labels) -> None:
        """Give the linked rows in ``labels`` the cheapest clusters that single moves can find."""
        rows = self.groups.rows
        if len(rows) == 0:
            return
        apart = euclidean_distances(X[rows], centers, squared=True).astype(np.float64)
        cost = weighed(apart, rows, self.weights)
        own = previous[rows]
        components = surest_first(cost, self.groups.group)
        singles = surest_first(cost, np.arange(len(rows)))
        for _ in range(20):
            moved = sum(
                move_groups(cost, *groups, self.graph.indptr, self.graph.indices, self.price, own)
                for groups in (components, singles)
            )
            if moved == 0:
                break
        labels[rows] = own


def _distance_to_own(
    X: Matrix, centers: NDArray[Any], labels: NDArray[np.int32], weights: Weights
) -> float:
    """Sum of squared distances to the own centre, one cluster at a time."""
    total = 0.0
    for k in np.unique(labels):
        members = np.flatnonzero(labels == k)
        apart = euclidean_distances(X[members], centers[k : k + 1], squared=True)
        total += float(weighed(apart, members, weights).sum())
    return total
