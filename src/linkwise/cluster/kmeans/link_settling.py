"""K-means in which links are settled one after the other: what CVQE and LCVQE share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin
from sklearn.metrics.pairwise import euclidean_distances

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.starts import complete_centers
from linkwise.constraints import Links
from linkwise.constraints.groups import Groups
from linkwise.kernels.labelled_lloyd import distances_dense, distances_sparse
from linkwise.typing import Matrix, Seed, is_csr
from linkwise.validation import check_number

Centers = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]

#: Steps without a lower objective after which a start is given up.
PATIENCE = 20


@dataclass(frozen=True)
class LinkedRows:
    """The rows that links name: where they are in the table, their values, the links renumbered."""

    rows: NDArray[np.int64]
    X: Any
    links: Links

    @classmethod
    def of(cls, X: Matrix, links: Links) -> LinkedRows:
        """Pick the rows that links name."""
        groups = Groups.of(links)
        return cls(groups.rows, X[groups.rows], groups.links)

    def distances(self, centers: Centers) -> Floats:
        """Return the squared distances of the linked rows to the centres."""
        if len(self.rows) == 0:
            return np.empty((0, len(centers)))
        return np.asarray(euclidean_distances(self.X, centers, squared=True), dtype=np.float64)


class LinkSettlingKMeans(ConstrainedClusterer):
    """Base: nearest centres, then links one by one, then centres; the best step is kept.

    A subclass says how links are settled and what that costs. What was broken is kept as it was
    when the turn of each link came, in an array whose meaning is the subclass's own.
    """

    _sparse: ClassVar[bool] = True
    _counts: ClassVar[bool] = True

    objective_: float

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
        linked = LinkedRows.of(X, knowledge)
        nothing = np.empty((0, X.shape[1]))
        self.objective_ = np.inf
        for _ in range(self.n_init):
            self._descend(X, linked, complete_centers(X, nothing, self.n_clusters_, rng))

    def _descend(self, X: Matrix, linked: LinkedRows, centers: Centers) -> None:
        """Alternate labels and centres until no label changes; keep the best step of all."""
        labels = np.full(X.shape[0], -1, dtype=np.int32)
        lowest, since_lowest, n_iter = np.inf, 0, 0
        while n_iter < self.max_iter and since_lowest < PATIENCE:
            n_iter += 1
            previous = labels
            labels = pairwise_distances_argmin(X, centers).astype(np.int32)
            own = labels[linked.rows]
            broken = self._settle(linked, centers, own)
            labels[linked.rows] = own
            centers = self._moved(X, labels, linked, broken, centers)
            objective = 0.5 * (
                squared_error(X, labels, centers) + self._price(linked, broken, centers)
            )
            since_lowest = 0 if objective < lowest else since_lowest + 1
            lowest = min(lowest, objective)
            if objective < self.objective_:
                self.labels_, self.cluster_centers_ = labels, centers
                self.objective_, self.n_iter_ = objective, n_iter
            if np.array_equal(labels, previous):
                break

    def _settle(self, linked: LinkedRows, centers: Centers, own: Labels) -> Floats:
        """Settle all links in turn, changing the labels of the linked rows; return what broke."""
        raise NotImplementedError

    def _moved(
        self, X: Matrix, labels: Labels, linked: LinkedRows, broken: Floats, centers: Centers
    ) -> Centers:
        """Return the centres that are best for the labels and what broke."""
        raise NotImplementedError

    def _price(self, linked: LinkedRows, broken: Floats, centers: Centers) -> float:
        """Return what the broken links cost, in squared distance."""
        raise NotImplementedError


def squared_error(X: Matrix, labels: Labels, centers: Centers) -> float:
    """Return the sum of squared distances of all rows to their centres."""
    kernel: Any = distances_sparse if is_csr(X) else distances_dense
    arrays = (X.data, X.indices, X.indptr) if is_csr(X) else (X,)
    return float(kernel(*arrays, labels, centers).sum())
