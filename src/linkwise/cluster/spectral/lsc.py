"""LSC: landmark-based spectral clustering, without constraints."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.spectral.embedding import embed, kmeans_centers, lsc_vectors
from linkwise.cluster.spectral.landmark_graph import LandmarkGraph
from linkwise.cluster.spectral.landmark_model import LandmarkModel
from linkwise.cluster.spectral.landmarks import CHOICES, count_landmarks
from linkwise.cluster.spectral.neighbours import length_unit
from linkwise.constraints import Links
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_choice, check_number


class LSC(ConstrainedClusterer):
    r"""Spectral clustering of large tables through a few landmarks.

    Every row is a mixture of its nearest landmarks: a row-stochastic matrix :math:`Z` with weights
    :math:`\exp(-d^2 / 2\sigma_i^2)`, where :math:`\sigma_i` is the distance to the farthest of
    them, so that the scale of the data does not matter. With the landmark sums :math:`D` and
    :math:`\hat Z = Z D^{-1/2}`, two rows are as similar as :math:`\hat Z \hat Z^T` says. Its
    eigenvectors are the left singular vectors of :math:`\hat Z`; the first is constant and left
    out, and k-means runs on the unit rows of the next ``n_clusters``.

    Constraints are not used; what they say is counted in the report.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    landmarks : {"kmeans", "random", "pagerank"}, default="kmeans"
        Centres of a short k-means (LSC-K), random rows (LSC-R), or the rows a random walk between
        near rows visits most (LSC-WPR).
    n_landmarks : int or "auto", default="auto"
        Number of landmarks. "auto" is 500, 1000 from 50,000 rows on, twenty
        per cluster if that is more, but no more than 3000 or half of the rows.
    n_neighbors : int, default=4
        Landmarks a row is connected to.
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
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    n_iter_ : int
        Rounds of k-means.
    report_ : FitReport
        What of the links holds.

    See Also
    --------
    LandmarkSpectralClustering : The same, listening to links.

    Notes
    -----
    Not the method when something is known about the rows. "kmeans" and "pagerank" look at a
    sample of at most 20,000 and 10,000 rows; all rows are only compared with the landmarks.

    References
    ----------
    .. [1] X. Chen, D. Cai. Large scale spectral clustering with landmark-based representation.
       AAAI, 2011.
    .. [2] D. Rafailidis et al. Landmark selection for spectral clustering based on weighted
       PageRank. 2014.

    Examples
    --------
    >>> from linkwise import LSC
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> model = LSC(n_clusters=2, n_landmarks=4, n_neighbors=2, random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[2] != model.labels_[3])
    True
    """

    _sparse: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        landmarks: str = "kmeans",
        n_landmarks: int | str = "auto",
        n_neighbors: int = 4,
        n_init: int = 10,
        max_iter: int = 100,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.landmarks = landmarks
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.max_iter = max_iter
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_choice(self, "landmarks", tuple(CHOICES))
        check_number(self, "n_landmarks", low=1, integer=True, or_in=("auto",))
        check_number(self, "n_neighbors", low=1, integer=True)
        check_number(self, "n_init", low=1, integer=True)
        check_number(self, "max_iter", low=1, integer=True)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:  # noqa: ARG002
        unit = length_unit(X)
        n_landmarks = count_landmarks(self.n_landmarks, X.shape[0], self.n_clusters_)
        landmarks = CHOICES[self.landmarks](X, unit, n_landmarks, rng)
        graph = LandmarkGraph(landmarks, unit, self.n_neighbors)
        Z = graph.weights(X)
        vectors = lsc_vectors(Z, self.n_clusters_)
        B = embed(Z, vectors)
        centers, self.n_iter_ = kmeans_centers(B, self.n_clusters_, rng, self.n_init, self.max_iter)
        self._model = LandmarkModel(graph, vectors, centers)
        self.labels_ = self._model.label(Z)

    def _predict(self, X: Matrix) -> Labels:
        return self._model.predict(X)
