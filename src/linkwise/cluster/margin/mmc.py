"""Maximum margin clustering without constraints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.margin.cccp import descend, lbfgs, only_cluster
from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.linear_clusterer import LinearClusterer
from linkwise.cluster.margin.problem import MarginProblem
from linkwise.cluster.margin.starts import Starts
from linkwise.constraints import Links
from linkwise.ensemble.blas import one_blas_thread
from linkwise.kernels.margin import worst_losses
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_number

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class MMC(LinearClusterer):
    r"""Linear clusters with wide margins, without any knowledge.

    Row :math:`x` scores :math:`x^\top w_k` for cluster :math:`k` and joins the best one. Minimised
    over :math:`W` is

    .. math:: \frac{\alpha}{2}\|W\|^2 + \frac1n \sum_i \xi_i, \qquad
              \xi_i = \max_{k \ne z_i}\,[1 - x_i^\top w_{z_i} + x_i^\top w_k]_+,

    with :math:`z_i` the best cluster of row :math:`i`. Rows are centred, which makes the scores of
    every cluster sum to zero: the balance without which all rows would join one cluster. The
    concave-convex procedure starts from k-means.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    alpha : float, default=0.01
        Weight :math:`\alpha` of the squared norm; rows are divided by their root mean square norm.
    max_iter : int, default=50
        Most rounds.
    tol : float, default=0.01
        A round that lowers the objective by less than this share is the last one.
    report : {"brief", "full"}, default="brief"
        "full" also fits without constraints and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Seeds k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    margins_ : ndarray of shape (n_samples,)
        By how much each row's best score beats the next one.
    coef_ : ndarray of shape (n_clusters, n_features)
        Weights of the scaled features.
    objective_ : float
        The sum above.
    n_iter_ : int
        Rounds done.
    report_ : FitReport
        How many of the given links hold.

    See Also
    --------
    MaxMarginClustering : Listens to links.

    Notes
    -----
    Not the method when anything is known about the rows: constraints are accepted, so that it can
    stand beside the others in a table, and only counted in the report. It may end with fewer
    clusters than asked for.

    References
    ----------
    .. [1] B. Zhao, F. Wang, C. Zhang. Efficient multiclass maximum margin clustering. ICML, 2008.

    Examples
    --------
    >>> from linkwise import MMC
    >>> MMC(n_clusters=2, random_state=0).fit_predict([[0.0], [1.0], [8.0], [9.0]]).tolist()
    [0, 0, 1, 1]
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        alpha: float = 0.01,
        max_iter: int = 50,
        tol: float = 0.01,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_number(self, "alpha", low=1e-9)
        check_number(self, "max_iter", low=1, integer=True)
        check_number(self, "tol", low=0)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:
        rows = CentredRows.of(X)
        if self.n_clusters_ == 1:
            found = only_cluster(rows)
        else:
            starts = Starts(rows, knowledge, self.n_clusters_, self.alpha, rng)
            problem = _RowMargin(rows, self.alpha)
            with one_blas_thread():  # the products are slim: more threads only wait
                W = starts.weights("kmeans")
                found = descend(problem, W, lbfgs, self.max_iter, self.tol)
        self._keep(rows, found)


class _RowMargin(MarginProblem[tuple[Ints]]):
    """The objective above; its tangent is the best cluster of every row."""

    def _losses(self, S: Floats, tangent: tuple[Ints], width: float, D: Floats) -> Iterator[float]:
        yield worst_losses(S, *tangent, 1.0 / len(S), width, D)
