"""MPCK-means: k-means that pays for broken links and learns a metric."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.mpck_algorithm import mpck_means
from linkwise.cluster.row_weights import RowWeighingClusterer
from linkwise.cluster.starts import Weights
from linkwise.constraints import Links
from linkwise.typing import Dense, Seed
from linkwise.validation import check_choice, check_number


class MPCKMeans(RowWeighingClusterer):
    r"""K-means with penalties for broken links, in a metric learned from rows and links.

    Minimises over labels :math:`z`, centres :math:`\mu` and one metric :math:`A_k` per cluster

    .. math:: \sum_i \left(\|x_i - \mu_{z_i}\|^2_{A_{z_i}} - \log\det A_{z_i}\right)
              + w \sum_{(i,j) \in M} a_{ij} f_M(i,j)\,[z_i \ne z_j]
              + w \sum_{(i,j) \in C} a_{ij} f_C(i,j)\,[z_i = z_j].

    A broken must-link costs the more the farther its rows are apart,
    :math:`f_M = \tfrac12\|x_i - x_j\|^2_{A_{z_i}} + \tfrac12\|x_i - x_j\|^2_{A_{z_j}}`, a broken
    cannot-link the more the closer they are,
    :math:`f_C = \|x' - x''\|^2_{A_{z_i}} - \|x_i - x_j\|^2_{A_{z_i}}` with :math:`x', x''` two rows
    far apart. The means of large must-link components that lie far apart are the first centres.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters; "auto" finds one as :func:`choose_k` does.
    metric : {"diagonal", "full"}, default="diagonal"
        What :math:`A_k` may be.
    shared : bool, default=True
        Whether all clusters share one metric.
    weight : float, default=1.0
        Price :math:`w` of a broken link.
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
    metrics_ : ndarray of shape (n_clusters, n_features) or (n_clusters, n_features, n_features)
        The metrics: diagonals, or full matrices.
    n_iter_ : int
        Rounds done.
    report_ : FitReport
        What the links bought.

    See Also
    --------
    PCKMeans : The same without a metric.
    MaxMarginClustering : Makes more of the same links.

    Notes
    -----
    Not the method when features are many and links few: the metric follows the clusters it started
    from. Every metric is mixed with one that has each feature in units of its own spread, worth one
    row per parameter of a feature; the original needs no such thing only because it inverts what
    may not be invertible. So features in small units are heard, too, but not in the first round,
    which has plain distances.

    References
    ----------
    .. [1] M. Bilenko, S. Basu, R. J. Mooney. Integrating constraints and metric learning in
       semi-supervised clustering. ICML, 2004.

    Examples
    --------
    >>> from linkwise import Links, MPCKMeans
    >>> X = [[0.0, 0.0], [9.0, 0.1], [1.0, 3.0], [8.0, 3.1]]
    >>> links = Links(4, must=[(0, 1), (2, 3)])
    >>> MPCKMeans(n_clusters=2).fit_predict(X, constraints=links).tolist()
    [0, 0, 1, 1]
    """

    _counts: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        metric: str = "diagonal",
        shared: bool = True,
        weight: float = 1.0,
        max_iter: int = 100,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.shared = shared
        self.weight = weight
        self.max_iter = max_iter
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Dense) -> None:  # noqa: ARG002
        check_choice(self, "metric", ("diagonal", "full"))
        check_choice(self, "shared", (True, False))
        check_number(self, "weight", low=0)
        check_number(self, "max_iter", low=1, integer=True)

    def _fit(self, X: Dense, knowledge: Links, rng: np.random.RandomState) -> None:
        found = mpck_means(
            X,
            knowledge,
            self.n_clusters_,
            rng,
            full=self.metric == "full",
            shared=self.shared,
            weight=float(self.weight),
            max_iter=self.max_iter,
            heed=self._row_weights,
            shape=_spread(X, self._row_weights),
        )
        self.labels_, self.cluster_centers_, self.n_iter_ = (
            found.labels,
            found.centers,
            found.n_iter,
        )
        self.metrics_ = found.metrics.matrices
        self._metrics = found.metrics

    def _predict(self, X: NDArray[Any]) -> NDArray[np.int32]:
        cost = self._metrics.costs(X, self.cluster_centers_)
        return np.asarray(cost.argmin(axis=1), dtype=np.int32)


def _spread(X: Dense, weights: Weights) -> NDArray[np.float64]:
    """Return the variance of each feature in units of their mean; 1 for one that never varies."""
    mean = np.average(X, axis=0, weights=weights)
    variance = np.average(np.square(X - mean), axis=0, weights=weights).astype(np.float64)
    if not variance.any():
        return np.ones(len(variance))
    return np.where(variance > 0, variance / variance.mean(), 1.0)
