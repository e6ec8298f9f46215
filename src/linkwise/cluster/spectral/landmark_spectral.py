"""Landmark spectral clustering that listens to links: for large tables, shapes of any kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.spectral.embedding import (
    center_distances,
    column_products,
    column_sums,
    embed,
    inverse_roots,
    kmeans_centers,
    landmark_vectors,
    leading_eigenvectors,
    lsc_vectors,
    scale_to_degrees,
    unit_rows,
)
from linkwise.cluster.spectral.injection import inject
from linkwise.cluster.spectral.kept_links import labels_that_keep
from linkwise.cluster.spectral.landmark_graph import LandmarkGraph
from linkwise.cluster.spectral.landmark_model import LandmarkModel
from linkwise.cluster.spectral.landmarks import count_landmarks, kmeans_landmarks
from linkwise.cluster.spectral.learned_edges import weaken_edges
from linkwise.cluster.spectral.linked_rows import MOST_LINKED, LinkedRows
from linkwise.cluster.spectral.neighbours import in_units, length_unit
from linkwise.cluster.spectral.propagation import propagate
from linkwise.constraints import Links
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_choice, check_number

#: How far links spread over the landmark graph. The farther, the more links are heard in one place
#: and the less a wrong one counts: at .7, ten wrong in a hundred undo what the others bring.
ALPHA = 0.9
#: Similarity of all landmarks to all, as a share of the mean. With less, some draws leave whole
#: clusters to a few rows far from all others; with more, thin clusters are cut across.
BRIDGE = 0.03
#: When fewer of the links than this hold without being forced to, no links at all are tried too.
FEW_KEPT = 0.75
#: Free rows near each linked row that "inject" writes to, as in the paper.
N_PROPAGATE = 5


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of rows before links have the last word.

    Attributes
    ----------
    model : LandmarkModel
    labels : ndarray of shape (n_samples,)
    linked_cost : ndarray of shape (n_linked, n_clusters)
        Price of each cluster for each linked row.
    n_iter : int
        Rounds of k-means.
    """

    model: LandmarkModel
    labels: Labels
    linked_cost: NDArray[np.float32]
    n_iter: int


class LandmarkSpectralClustering(ConstrainedClusterer):
    r"""Spectral clustering through landmarks, with links spread between the landmarks.

    The landmarks are the rows that links name and some k-means centres. Every row is a mixture of
    its nearest landmarks: a row-stochastic :math:`Z` with weights :math:`\exp(-d^2 / 2\sigma_i^2)`,
    where :math:`\sigma_i` is the distance to the farthest of them. With the landmark sums
    :math:`D` and :math:`\hat Z = Z D^{-1/2}`, landmarks are as similar as
    :math:`S = \hat Z^T \hat Z`.

    ``method="propagate"`` first multiplies the similarity of two landmarks by the cosine between
    them in the directions, among leading eigenvectors of :math:`S`, in which must-linked rows agree
    best. Then it spreads the links over this small graph,

    .. math:: F = (I - \alpha S)^{-1} Q (I - \alpha S)^{-1},

    where :math:`Q` is 1 within a must-link component and negative between components that must
    differ, raises similarities where :math:`F` is positive, lowers them where it is negative, sets
    what is known, and connects everything a little. Leading eigenvectors of the result place the
    landmarks, :math:`Z` places the rows between them, and k-means groups the rows.
    ``method="inject"`` writes the links into the weights :math:`Z` of linked rows and of free rows
    near them, and takes singular vectors as :class:`LSC` does. Where more than a quarter of the
    links fail in these groups, and fewer in the groups found without links, the latter are taken.
    In the end must-linked rows get one label, and cannot-linked rows different ones if that is
    possible for all of them.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters; "auto" finds one as :func:`choose_k` does.
    method : {"propagate", "inject"}, default="propagate"
        How links enter. "inject" is cheaper for thousands of linked rows and less robust to wrong
        links.
    n_neighbors : int, default=4
        Landmarks a row is connected to.
    n_landmarks : int or "auto", default="auto"
        K-means landmarks beside the linked rows. "auto" is 500, 1000 from 50,000 rows on, twenty
        per cluster if that is more, but no more than 3000 or half of the rows.
    n_init : int, default=10
        Starts of k-means.
    max_iter : int, default=100
        Most rounds of k-means.
    report : {"brief", "full"}, default="brief"
        "full" also fits without constraints and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Draws the landmarks and the starts of k-means.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters that were looked for.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row. On rows no link names, ``predict`` gives the same.
    n_iter_ : int
        Rounds of k-means.
    report_ : FitReport
        What the links bought.

    See Also
    --------
    SCPC : The published method this one grew from.
    LSC : The result without links.

    Notes
    -----
    Not the method when answers keep coming: every fit starts anew, where
    :class:`SequentialClustering` takes one more answer at a cost that does not depend on the
    number of rows. With a handful of links the result is that of LSC, give or take. Nor when one
    answer in five is wrong: 500 such links cost .043 in NMI on segment and .049 on vehicle against
    no links at all (mean of five draws; one wrong in ten costs nothing on nine sets). On breast,
    which is none of the nine, one wrong in ten costs .11 and one in five nearly all (one draw).

    Rescaling ``X`` changes nothing. Memory grows with ``n_neighbors`` × n_samples, and with the
    square of the number of landmarks; of more than 3000 linked rows only 3000 become landmarks,
    the others follow their components. Link weights count relative to the largest. Contradictory
    links are repaired first, with a warning.

    References
    ----------
    .. [1] Large-scale spectral clustering based on pairwise constraints (SC-PC). Expert Systems
       with Applications, 2015.
    .. [2] Z. Lu, H. H. S. Ip. Constrained spectral clustering via exhaustive and efficient
       constraint propagation. ECCV, 2010.

    Examples
    --------
    >>> from linkwise import LandmarkSpectralClustering, Links
    >>> X = [[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]]
    >>> links = Links(6, must=[(0, 2)], cannot=[(2, 3)])
    >>> model = LandmarkSpectralClustering(n_clusters=2, n_neighbors=2, random_state=0)
    >>> model.fit(X, constraints=links).labels_[[0, 2, 3]].tolist() in ([0, 0, 1], [1, 1, 0])
    True
    """

    _sparse: ClassVar[bool] = True
    _counts: ClassVar[bool] = True
    _repairs: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        method: str = "propagate",
        n_neighbors: int = 4,
        n_landmarks: int | str = "auto",
        n_init: int = 10,
        max_iter: int = 100,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.n_init = n_init
        self.max_iter = max_iter
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_choice(self, "method", ("propagate", "inject"))
        check_number(self, "n_neighbors", low=1, integer=True)
        check_number(self, "n_landmarks", low=1, integer=True, or_in=("auto",))
        check_number(self, "n_init", low=1, integer=True)
        check_number(self, "max_iter", low=1, integer=True)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:
        linked = LinkedRows.of(knowledge)
        few = linked.few(MOST_LINKED, rng)
        graph = self._graph(X, few, rng)
        Z = graph.weights(X)
        found = self._group(graph, Z, few, linked.rows, rng)
        if _share_kept(knowledge, found.labels) < FEW_KEPT:
            nothing = LinkedRows.of(Links(X.shape[0]))
            plain = self._group(graph, Z, nothing, linked.rows, rng)
            found = max(found, plain, key=lambda group: _share_kept(knowledge, group.labels))
        self._model, self.labels_, self.n_iter_ = found.model, found.labels, found.n_iter
        if len(linked.rows):
            self.labels_[linked.rows] = labels_that_keep(linked, found.linked_cost)

    def _graph(self, X: Matrix, linked: LinkedRows, rng: np.random.RandomState) -> LandmarkGraph:
        unit = length_unit(X)
        n_extra = count_landmarks(self.n_landmarks, X.shape[0], self.n_clusters_)
        extra = kmeans_landmarks(X, unit, n_extra, rng)
        landmarks = np.vstack([in_units(X[linked.rows], unit), extra])
        return LandmarkGraph(landmarks, unit, self.n_neighbors)

    def _group(
        self,
        graph: LandmarkGraph,
        Z: sp.csr_array,
        linked: LinkedRows,
        priced: NDArray[np.int64],
        rng: np.random.RandomState,
    ) -> Grouping:
        """Place the rows and group them; ``priced`` are those that links will move about."""
        vectors, B = self._embedding(Z, linked)
        centers, n_iter = kmeans_centers(B, self.n_clusters_, rng, self.n_init, self.max_iter)
        cost = center_distances(B[priced], centers)
        model = LandmarkModel(graph, vectors, centers)
        return Grouping(model, model.label(Z), cost, n_iter)

    def _embedding(
        self, Z: sp.csr_array, linked: LinkedRows
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Return coordinates of the landmarks, and of the rows for k-means."""
        if len(linked.rows) and self.method == "inject":
            return _injected(Z, linked, self.n_clusters_)
        if len(linked.rows):
            vectors = _propagated(Z, linked, self.n_clusters_)
        else:
            vectors = lsc_vectors(Z, self.n_clusters_)
        return vectors, embed(Z, vectors)

    def _predict(self, X: Matrix) -> Labels:
        return self._model.predict(X)


def _share_kept(links: Links, labels: Labels) -> float:
    """Return the share of the links that hold, by weight; 1 when there are none of any weight."""
    total = links.weight.sum()
    return float(links.weight @ links.satisfied(labels) / total) if total > 0 else 1.0


def _propagated(Z: sp.csr_array, linked: LinkedRows, n_clusters: int) -> NDArray[np.float64]:
    """Place the landmarks by leading eigenvectors of their similarities after propagation."""
    S = column_products(Z)
    scale = inverse_roots(column_sums(Z))
    S *= scale[:, None]
    S *= scale
    S = weaken_edges(S, Z, linked, n_clusters)
    W = scale_to_degrees(propagate(S, linked, ALPHA), BRIDGE)
    return unit_rows(leading_eigenvectors(W, n_clusters)[1]).astype(np.float64)


def _injected(
    Z: sp.csr_array, linked: LinkedRows, n_vectors: int
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Place landmarks and rows by singular vectors after links are written into the weights."""
    written = inject(Z, linked, N_PROPAGATE).row_stochastic()
    _, vectors = landmark_vectors(
        written.column_products(), written.column_sums(), n_vectors, skip_constant=True
    )
    return vectors, embed(written.wide, written.spread @ vectors)
