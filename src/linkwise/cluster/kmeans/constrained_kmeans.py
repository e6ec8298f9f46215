"""Constrained k-means: labelled rows keep their class, the others follow the centres."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from sklearn.metrics import pairwise_distances_argmin

from linkwise.cluster.row_weights import RowWeighingClusterer
from linkwise.cluster.starts import class_means, complete_centers, restart_empty
from linkwise.constraints import PartialLabels
from linkwise.kernels.kmeans_step import cluster_means
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_number


class ConstrainedKMeans(RowWeighingClusterer):
    r"""K-means in which every labelled row stays in the cluster of its class.

    Minimises :math:`\sum_i \|x_i - \mu_{z_i}\|^2` over centres :math:`\mu` and labels :math:`z`,
    where :math:`z_i` is fixed for the labelled rows. It starts, as :class:`SeededKMeans` does,
    from the class means.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters; at least the number of classes the labels name. "auto" finds one as
        :func:`choose_k` does. Cluster ``c`` is
        class ``c`` of the sorted class names.
    max_iter : int, default=300
        Most k-means steps.
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
        Steps done.
    report_ : FitReport
        What the labels bought.

    See Also
    --------
    SeededKMeans : Labels may be overruled.

    Notes
    -----
    Not the method when some labels may be wrong: none is ever overruled. ``predict`` looks at the
    nearest centre only, so it may disagree with ``labels_`` on labelled rows.

    References
    ----------
    .. [1] S. Basu, A. Banerjee, R. J. Mooney. Semi-supervised clustering by seeding. ICML, 2002.

    Examples
    --------
    >>> from linkwise import ConstrainedKMeans
    >>> X = [[0.0], [1.0], [2.0], [6.0]]
    >>> model = ConstrainedKMeans(n_clusters=2, random_state=0)
    >>> model.fit(X, constraints=["a", -1, "b", "b"]).labels_.tolist()
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
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_number(self, "max_iter", low=1, integer=True)

    def _fit(self, X: Matrix, knowledge: PartialLabels, rng: np.random.RandomState) -> None:
        weights = self._row_weights
        known = class_means(X, knowledge, weights)
        centers = complete_centers(X, known, self.n_clusters_, rng, weights)
        labels = np.full(X.shape[0], -1, dtype=np.int32)
        for n_iter in range(1, self.max_iter + 1):
            previous = labels
            labels = pairwise_distances_argmin(X, centers).astype(np.int32)
            labels[knowledge.known] = knowledge.codes[knowledge.known]
            centers, counts = cluster_means(X, labels, centers, weights)
            restart_empty(X, centers, counts, weights)
            if np.array_equal(labels, previous):
                break
        self.labels_, self.cluster_centers_, self.n_iter_ = labels, centers, n_iter
