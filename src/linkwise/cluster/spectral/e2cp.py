"""E2CP: links propagated to all pairs of rows, then spectral clustering."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.spectral.embedding import kmeans_centers, nearest_center
from linkwise.cluster.spectral.linked_rows import LinkedRows
from linkwise.cluster.spectral.neighbour_graph import (
    cut_embedding,
    nearest_row,
    neighbour_graph,
    normalised,
)
from linkwise.constraints import Links
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_number


class E2CP(ConstrainedClusterer):
    r"""Spectral clustering after exhaustive and efficient constraint propagation.

    On the graph of near rows with normalised similarities :math:`\bar W`, a must-link is +1 and a
    cannot-link -1 in a matrix :math:`Q` of pairs (everything the links entail included), and

    .. math:: F = (1 - \alpha)^2 (I - \alpha \bar W)^{-1} Q\, (I - \alpha \bar W)^{-1}

    says of *every* pair how much it belongs together (divided by its largest absolute value).
    Similarities become :math:`1 - (1 - F_{ij})(1 - W_{ij})` where :math:`F_{ij} \ge 0` and
    :math:`(1 + F_{ij}) W_{ij}` elsewhere; then k-means runs on the unit rows of the leading
    eigenvectors of the normalised similarities.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    n_neighbors : int, default=10
        Near rows a row is connected to.
    alpha : float, default=0.8
        How far links spread over the graph; 0 is not at all, and it must stay below 1.
    n_init : int, default=10
        Starts of k-means.
    report : {"brief", "full"}, default="brief"
        "full" also fits without constraints and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Draws the starts of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    n_iter_ : int
        Rounds of k-means.
    report_ : FitReport
        What the links bought.

    See Also
    --------
    LandmarkSpectralClustering : The same idea between landmarks, for large tables.

    Notes
    -----
    Not the method for large tables: the propagated pairs fill a matrix of n_samples × n_samples
    (float32), and finding near rows compares all with all. ``predict`` gives a new row the cluster
    of the nearest row seen in ``fit``. Link weights scale the entries of :math:`Q`, relative to
    the largest. Contradictory links are repaired first, with a warning.

    References
    ----------
    .. [1] Z. Lu, H. H. S. Ip. Constrained spectral clustering via exhaustive and efficient
       constraint propagation. ECCV, 2010.

    Examples
    --------
    >>> from linkwise import E2CP, Links
    >>> X = [[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]]
    >>> links = Links(6, must=[(0, 2)], cannot=[(2, 3)])
    >>> model = E2CP(n_clusters=2, n_neighbors=2, random_state=0).fit(X, constraints=links)
    >>> bool(model.labels_[2] != model.labels_[3])
    True
    """

    _sparse: ClassVar[bool] = True
    _repairs: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 10,
        alpha: float = 0.8,
        n_init: int = 10,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.n_init = n_init
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_number(self, "n_neighbors", low=1, integer=True)
        check_number(self, "alpha", low=0, high=0.999)
        check_number(self, "n_init", low=1, integer=True)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:
        W = neighbour_graph(X, self.n_neighbors)
        linked = LinkedRows.of(knowledge)
        if len(linked.rows):
            W = _adjusted(W, _propagated(normalised(W), linked, self.alpha))
        B = cut_embedding(W, self.n_clusters_)
        centers, self.n_iter_ = kmeans_centers(B, self.n_clusters_, rng, self.n_init)
        self._rows = X
        self.labels_ = nearest_center(B, centers)

    def _predict(self, X: Matrix) -> Labels:
        return np.asarray(self.labels_[nearest_row(X, self._rows)])


def signed_pairs(linked: LinkedRows) -> NDArray[np.float64]:
    """Return Q among the linked rows: what is entailed of each pair, 0 on the diagonal."""
    signs = -linked.apart.toarray()
    np.fill_diagonal(signs, 1.0)
    Q: NDArray[np.float64] = signs[np.ix_(linked.component, linked.component)]
    Q *= np.outer(linked.firmness, linked.firmness)
    np.fill_diagonal(Q, 0.0)
    return Q


def _propagated(graph: sp.csr_array, linked: LinkedRows, alpha: float) -> NDArray[np.float32]:
    """Return F, scaled to a largest absolute value of 1.

    Spreading is repeated until it settles: a column per linked row, since Q is zero elsewhere.
    """
    n_linked = len(linked.rows)
    source = np.zeros((graph.shape[0], n_linked), dtype=np.float32)
    source[linked.rows, np.arange(n_linked)] = 1.0 - alpha
    reach, graph = source.copy(), graph.astype(np.float32)
    n_rounds = int(np.ceil(np.log(1e-6) / np.log(alpha))) if alpha > 0 else 0
    for _ in range(n_rounds):  # the error shrinks by alpha each time
        reach = source + np.float32(alpha) * (graph @ reach)
    F: NDArray[np.float32] = (reach @ signed_pairs(linked).astype(np.float32)) @ reach.T
    F /= max(F.max(), -F.min(), np.finfo(np.float32).tiny)
    return F


def _adjusted(W: sp.csr_array, F: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the similarities raised where F is positive and lowered where it is negative.

    Both cases are max(F, 0) + W - abs(F) W, and the last two terms are zero off the graph; F is
    overwritten.
    """
    i, j = W.nonzero()
    near = W.data.astype(np.float32) * (1.0 - np.abs(F[i, j]))
    np.maximum(F, 0.0, out=F)
    F[i, j] += near
    return F
