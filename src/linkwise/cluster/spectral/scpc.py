"""SC-PC: spectral clustering whose landmarks are the linked rows, as published but corrected."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.spectral.embedding import (
    column_sums,
    embed,
    inverse_roots,
    kmeans_centers,
    landmark_vectors,
    lsc_vectors,
    nearest_center,
)
from linkwise.cluster.spectral.injection import inject
from linkwise.cluster.spectral.landmark_graph import LandmarkGraph
from linkwise.cluster.spectral.landmark_model import LandmarkModel
from linkwise.cluster.spectral.landmarks import count_landmarks, kmeans_landmarks
from linkwise.cluster.spectral.linked_rows import MOST_LINKED, LinkedRows
from linkwise.cluster.spectral.neighbours import in_units, length_unit
from linkwise.constraints import Links
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_number


class SCPC(ConstrainedClusterer):
    r"""Spectral clustering with the linked rows as landmarks: the published SC-PC, errors fixed.

    The landmarks are the rows that links name. As in :class:`LSC`, :math:`\hat Z = Z D^{-1/2}`
    holds the affinities of all rows to them. Links are then written into it: a linked row has
    affinity 1 to its own must-link component and 0 to all others (eq. 3), and the free rows nearest
    to a component get a common value, the larger the more of its members they are near (eqs. 4 to
    6). K-means runs on the unit rows of the ``n_clusters`` leading left singular vectors.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    n_neighbors : int, default=4
        Landmarks a row is connected to, the paper's r.
    n_propagate : int, default=5
        Free rows near each landmark that links are passed on to, the paper's l.
    n_init : int, default=10
        Starts of k-means.
    max_iter : int, default=100
        Most rounds of k-means.
    report : {"brief", "full"}, default="brief"
        "full" also fits without constraints and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Draws the starts of k-means, and landmarks where links name too few rows.

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
    LandmarkSpectralClustering : What we recommend instead.

    Notes
    -----
    Not the method to use, but the one to compare with. Where the class of every linked row is
    known it does what a vote of the nearest linked rows does; where links are pairs, components
    are many and small, the leading vectors describe a few of them, and the result is worse than
    without links. Cannot-links are used only to name landmarks and against contradictions.

    Corrected: D holds the landmark sums (the printed index gives the sums of rows, which are 1);
    the kernel is :math:`\exp(-d^2 / 2\sigma_i^2)` with :math:`\sigma_i` the distance to the r-th
    landmark; the rows of singular vectors are divided by their lengths; neighbours of a component
    are sought among free rows (after eq. 3 its nearest rows are its own). Free rows are labelled by
    their affinities as they were before eq. 6, so that ``predict`` agrees with ``labels_``.

    When links name fewer rows than there are clusters, the k-means landmarks of :class:`LSC` are
    added; without links the result is that of LSC. At most 3000 linked rows become landmarks.
    Link weights only decide which of contradictory links are left out.

    References
    ----------
    .. [1] Large-scale spectral clustering based on pairwise constraints (SC-PC). Expert Systems
       with Applications, 2015.

    Examples
    --------
    >>> from linkwise import SCPC
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> model = SCPC(n_clusters=2, n_neighbors=2, random_state=0)
    >>> labels = model.fit_predict(X, constraints=["a", -1, "a", "b", "b", -1])
    >>> bool(labels[0] == labels[1] == labels[2] != labels[5])
    True
    """

    _sparse: ClassVar[bool] = True
    _repairs: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 4,
        n_propagate: int = 5,
        n_init: int = 10,
        max_iter: int = 100,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.n_propagate = n_propagate
        self.n_init = n_init
        self.max_iter = max_iter
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_number(self, "n_neighbors", low=1, integer=True)
        check_number(self, "n_propagate", low=0, integer=True)
        check_number(self, "n_init", low=1, integer=True)
        check_number(self, "max_iter", low=1, integer=True)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:
        linked = LinkedRows.of(knowledge).few(MOST_LINKED, rng)
        graph = self._graph(X, linked, rng)
        Z = graph.weights(X)
        vectors, B = self._embedding(Z, linked)
        centers, self.n_iter_ = kmeans_centers(B, self.n_clusters_, rng, self.n_init, self.max_iter)
        of_linked = nearest_center(B[linked.rows], centers)
        self._model = LandmarkModel(graph, vectors, centers)
        self.labels_ = self._model.label(Z)
        self.labels_[linked.rows] = of_linked

    def _embedding(
        self, Z: sp.csr_array, linked: LinkedRows
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Return coordinates of the landmarks, and of the rows for k-means."""
        if not len(linked.rows):
            vectors = lsc_vectors(Z, self.n_clusters_)
            return vectors, embed(Z, vectors)
        scale = inverse_roots(column_sums(Z))
        written = inject(Z, linked, self.n_propagate, scale)
        ones = np.ones(Z.shape[1])
        _, singular = landmark_vectors(written.column_products(), ones, self.n_clusters_)
        return scale[:, None] * singular, embed(written.wide, written.spread @ singular)

    def _graph(self, X: Matrix, linked: LinkedRows, rng: np.random.RandomState) -> LandmarkGraph:
        unit = length_unit(X)
        landmarks = in_units(X[linked.rows], unit)
        if len(landmarks) < self.n_clusters_:
            n_extra = count_landmarks("auto", X.shape[0], self.n_clusters_)
            landmarks = np.vstack([landmarks, kmeans_landmarks(X, unit, n_extra, rng)])
        return LandmarkGraph(landmarks, unit, self.n_neighbors)

    def _predict(self, X: Matrix) -> Labels:
        return self._model.predict(X)
