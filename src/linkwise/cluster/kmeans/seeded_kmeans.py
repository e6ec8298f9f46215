"""Seeded k-means: labels choose where k-means starts."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from sklearn.cluster import KMeans

from linkwise.cluster.row_weights import RowWeighingClusterer
from linkwise.cluster.starts import class_means, complete_centers
from linkwise.constraints import PartialLabels
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_number


class SeededKMeans(RowWeighingClusterer):
    r"""K-means that starts from the means of the labelled rows and then forgets the labels.

    The first centres are the class means of the labelled rows, missing ones are drawn by
    k-means++; from there on it is plain k-means. Wrong labels do little harm, because every
    label may be overruled.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters; at least the number of classes the labels name. "auto" finds one as
        :func:`choose_k` does. Cluster ``c`` grows
        from class ``c`` of the sorted class names.
    max_iter : int, default=300
        Most k-means steps.
    tol : float, default=1e-4
        Stop when the centres move less than this, relative to the variance of ``X``.
    report : {"brief", "full"}, default="brief"
        "full" also fits without labels and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Draws the centres that no label names.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters that were looked for.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Mean of each cluster.
    n_iter_ : int
        K-means steps done.
    report_ : FitReport
        What the labels bought.

    See Also
    --------
    ConstrainedKMeans : The labelled rows keep their class.

    Notes
    -----
    Not the method for links without labels, nor when labels are trusted and few: they only choose
    the start.

    References
    ----------
    .. [1] S. Basu, A. Banerjee, R. J. Mooney. Semi-supervised clustering by seeding. ICML, 2002.

    Examples
    --------
    >>> from linkwise import SeededKMeans
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> model = SeededKMeans(n_clusters=2, random_state=0)
    >>> model.fit(X, constraints=["left", None, None, "right"]).labels_.tolist()
    [0, 0, 1, 1]
    """

    _reads: ClassVar[Literal["links", "labels"]] = "labels"
    _sparse: ClassVar[bool] = True
    _counts: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        max_iter: int = 300,
        tol: float = 1e-4,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.tol = tol
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_number(self, "max_iter", low=1, integer=True)
        check_number(self, "tol", low=0)

    def _fit(self, X: Matrix, knowledge: PartialLabels, rng: np.random.RandomState) -> None:
        weights = self._row_weights
        known = class_means(X, knowledge, weights)
        start = complete_centers(X, known, self.n_clusters_, rng, weights)
        model = KMeans(self.n_clusters_, init=start, n_init=1, max_iter=self.max_iter, tol=self.tol)
        model.fit(X, sample_weight=weights)
        self.labels_ = model.labels_.astype(np.int32, copy=False)
        self.cluster_centers_ = model.cluster_centers_
        self.n_iter_ = model.n_iter_
