"""LCVQE: k-means whose centres are pulled by the links that are broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin
from sklearn.metrics.pairwise import euclidean_distances

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.starts import complete_centers, restart_empty
from linkwise.constraints import Links
from linkwise.constraints.groups import Groups
from linkwise.kernels.kmeans_step import cluster_means
from linkwise.kernels.labelled_lloyd import distances_dense, distances_sparse
from linkwise.kernels.settle import pulls_of_broken, settle_links
from linkwise.typing import Matrix, Seed, is_csr
from linkwise.validation import check_number

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]

#: Steps without a lower objective after which a start is given up.
PATIENCE = 20


class LCVQE(ConstrainedClusterer):
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
        The sum above.
    n_iter_ : int
        Steps done up to the one that was kept.
    report_ : FitReport
        What the links bought.

    See Also
    --------
    PCKMeans : Every broken link costs the same.

    Notes
    -----
    Links are settled in the order of their rows, and a later one may undo an earlier one. With
    many links the objective therefore rises and falls; the lowest step is kept, and a start ends
    after twenty steps that were not lower.

    Not the method for many links, for that reason, nor for wrong ones, which pull as hard as
    right ones.

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

    _sparse: ClassVar[bool] = True
    _counts: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        n_init: int = 1,
        max_iter: int = 300,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_number(self, "n_init", low=1, integer=True)
        check_number(self, "max_iter", low=1, integer=True)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:
        groups = Groups.of(knowledge)
        linked = _LinkedRows(groups.rows, X[groups.rows], groups.links)
        nothing = np.empty((0, X.shape[1]))
        self.objective_ = np.inf
        for _ in range(self.n_init):
            self._descend(X, linked, complete_centers(X, nothing, self.n_clusters_, rng))

    def _descend(self, X: Matrix, linked: _LinkedRows, centers: Floats) -> None:
        """Alternate labels and centres until no label changes; keep the best step of all."""
        labels = np.full(X.shape[0], -1, dtype=np.int32)
        lowest, since_lowest, n_iter = np.inf, 0, 0
        while n_iter < self.max_iter and since_lowest < PATIENCE:
            n_iter += 1
            previous = labels
            labels = pairwise_distances_argmin(X, centers).astype(np.int32)
            self._settle(linked, centers, labels)
            pulls = self._pulls(linked, centers, labels)
            centers = _pulled_means(X, labels, linked, pulls, centers)
            objective = self._objective(X, labels, linked, centers)
            since_lowest = 0 if objective < lowest else since_lowest + 1
            lowest = min(lowest, objective)
            if objective < self.objective_:
                self.labels_, self.cluster_centers_ = labels, centers
                self.objective_, self.n_iter_ = objective, n_iter
            if np.array_equal(labels, previous):
                break

    def _settle(self, linked: _LinkedRows, centers: Floats, labels: Labels) -> None:
        """Settle all links one after the other, in place."""
        own = labels[linked.rows]
        settle_links(*self._case(linked, centers), own)
        labels[linked.rows] = own

    def _pulls(self, linked: _LinkedRows, centers: Floats, labels: Labels) -> NDArray[np.float64]:
        """Return how strongly each linked row pulls at each centre."""
        return np.asarray(pulls_of_broken(*self._case(linked, centers), labels[linked.rows]))

    def _objective(self, X: Matrix, labels: Labels, linked: _LinkedRows, centers: Floats) -> float:
        kernel: Any = distances_sparse if is_csr(X) else distances_dense
        arrays = (X.data, X.indices, X.indptr) if is_csr(X) else (X,)
        own = kernel(*arrays, labels, centers).sum()
        pulls = self._pulls(linked, centers, labels)
        return 0.5 * float(own + (pulls * linked.distances(centers)).sum())

    def _case(self, linked: _LinkedRows, centers: Floats) -> tuple[Any, Any, Any, Any, Any, Any]:
        """Return what the kernels look at."""
        distance, links = linked.distances(centers), linked.links
        nearest, second = self._ways_out(distance)
        return distance, links.must, links.cannot, links.weight, nearest, second

    def _ways_out(self, distance: NDArray[np.float64]) -> tuple[Ints, Ints]:
        """Return the nearest centre of each row, and the second nearest for rows already there."""
        if distance.shape[1] == 1:
            nearest = np.zeros(len(distance), dtype=np.int64)
            return nearest, nearest
        nearest, second = np.argsort(distance, axis=1, kind="stable")[:, :2].T.copy()
        return nearest, second


@dataclass(frozen=True)
class _LinkedRows:
    """The rows that links name: where they are in the table, their values, the links renumbered."""

    rows: Ints
    X: Any
    links: Links

    def distances(self, centers: Floats) -> NDArray[np.float64]:
        if len(self.rows) == 0:
            return np.empty((0, len(centers)))
        return np.asarray(euclidean_distances(self.X, centers, squared=True), dtype=np.float64)


def _pulled_means(
    X: Matrix, labels: Labels, linked: _LinkedRows, pulls: NDArray[np.float64], centers: Floats
) -> Floats:
    """Return the weighted means of each cluster's rows and of the rows that pull at it.

    A centre with neither moves to one of the rows farthest from theirs.
    """
    means, counts = cluster_means(X, labels, centers)
    mass = counts + pulls.sum(axis=0)
    sums = counts[:, None] * means + pulls.T @ linked.X
    filled = mass > 0
    means[filled] = sums[filled] / mass[filled, None]
    restart_empty(X, means, mass)
    return means
