"""The earlier constrained maximum margin clustering, CPCMMC."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.margin.cccp import Descent, descend, lbfgs, only_cluster
from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.linear_clusterer import LinearClusterer
from linkwise.cluster.margin.problem import MarginProblem
from linkwise.cluster.margin.starts import Starts
from linkwise.constraints import Links
from linkwise.ensemble.blas import one_blas_thread
from linkwise.kernels.margin import row_losses
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_choice, check_number

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class CPCMMC(LinearClusterer):
    r"""Maximum margin clustering that compares the scores of linked rows.

    Row :math:`x_i` scores :math:`s_{ik} = x_i^\top w_k` for cluster :math:`k` and joins the best
    one. Minimised over :math:`W` is

    .. math:: \frac{\alpha}{2}\|W\|^2 + \frac{1}{nr} \sum_{i,k} [1 - \max_l s_{il} + s_{ik}]_+
              + \frac{m}{L_m r} \sum_{(i,j) \in M} \sum_k |s_{ik} - s_{jk}|
              + \frac{c}{L_c} \sum_{(i,j) \in C} \Big(\max_k (s_{ik} + s_{jk})
              - \frac1r \sum_k (s_{ik} + s_{jk})\Big)

    with :math:`L_m` must-links :math:`M` and :math:`L_c` cannot-links :math:`C`. Rows are centred
    and divided by their root mean square norm.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    alpha : float, default=0.01
        Weight :math:`\alpha` of the squared norm.
    must_weight : float, default=1.0
        Weight :math:`m` of the must-links.
    cannot_weight : float, default=1.0
        Weight :math:`c` of the cannot-links.
    starts : {"auto", "links", "kmeans"}, default="auto"
        Where to begin: "links" is the start of the constrained method that followed it, "kmeans"
        k-means; "auto" keeps the one that ends lower, or is "kmeans" when nothing is known.
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
    start_ : str
        The start that was kept.
    n_iter_ : int
        Rounds done from it.
    report_ : FitReport
        What the links bought.

    See Also
    --------
    MaxMarginClustering : Asks margins of the links too.

    Notes
    -----
    Not the method when clusters overlap: a cannot-link between rows that no cluster claims costs
    next to nothing, so it does not pull them apart. It may end with fewer clusters than asked for.

    References
    ----------
    .. [1] Y. Hu, J. Wang, N. Yu, X.-S. Hua. Maximum margin clustering with pairwise constraints.
       ICDM, 2008.

    Examples
    --------
    >>> from linkwise import CPCMMC, Links
    >>> X = [[0.0, 0.0], [9.0, 0.1], [1.0, 3.0], [8.0, 3.1]]
    >>> links = Links(4, must=[(0, 1), (2, 3)], cannot=[(0, 2)])
    >>> model = CPCMMC(n_clusters=2, random_state=0).fit(X, constraints=links)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2])
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        alpha: float = 0.01,
        must_weight: float = 1.0,
        cannot_weight: float = 1.0,
        starts: str = "auto",
        max_iter: int = 50,
        tol: float = 0.01,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.must_weight = must_weight
        self.cannot_weight = cannot_weight
        self.starts = starts
        self.max_iter = max_iter
        self.tol = tol
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_number(self, "alpha", low=1e-9)
        check_number(self, "must_weight", low=0)
        check_number(self, "cannot_weight", low=0)
        check_choice(self, "starts", ("auto", "links", "kmeans"))
        check_number(self, "max_iter", low=1, integer=True)
        check_number(self, "tol", low=0)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:
        rows = CentredRows.of(X)
        with one_blas_thread():  # the products are slim: more threads only wait
            ends = self._ends(rows, knowledge, rng)
        self.start_ = min(ends, key=lambda name: ends[name].path[-1])
        self._keep(rows, ends[self.start_])

    def _ends(
        self, rows: CentredRows, links: Links, rng: np.random.RandomState
    ) -> dict[str, Descent]:
        """Return where the procedure ends from every start."""
        if self.n_clusters_ == 1:
            return {"none": only_cluster(rows)}
        names = [self.starts]
        if self.starts == "auto":
            names = ["links", "kmeans"] if links.n_links else ["kmeans"]
        starts = Starts(rows, links, self.n_clusters_, self.alpha, rng)
        problem = _Comparison(rows, links, self.alpha, self.must_weight, self.cannot_weight)
        return {
            name: descend(problem, starts.weights(name), lbfgs, self.max_iter, self.tol)
            for name in names
        }


class _Comparison(MarginProblem[tuple[Ints]]):
    """The objective above; its tangent is the best cluster of every row."""

    def __init__(
        self,
        rows: CentredRows,
        links: Links,
        alpha: float,
        must_weight: float,
        cannot_weight: float,
    ) -> None:
        super().__init__(rows, alpha)
        self.must, self.cannot = links.must.T, links.cannot.T
        n_must = len(links.must)
        self.must_weight = _shares(links.weight[:n_must]) * must_weight
        self.cannot_weight = _shares(links.weight[n_must:]) * cannot_weight

    def _losses(self, S: Floats, tangent: tuple[Ints], width: float, D: Floats) -> Iterator[float]:
        yield row_losses(S, np.arange(len(S)), *tangent, 1.0 / S.size, width, D)
        yield self._differing(S, width, D) + self._claimed(S, width, D)

    def _differing(self, S: Floats, width: float, D: Floats) -> float:
        """Add the must-links' losses: |t|, or its smooth stand-in width log(2 cosh(t / width))."""
        i, j = self.must
        gap = S[i] - S[j]
        size = np.abs(gap)
        if width > 0:
            size = size + width * np.log1p(np.exp(-2 * size / width))
            slope = np.tanh(gap / width)
        else:
            slope = np.sign(gap)
        weight = self.must_weight[:, None] / S.shape[1]
        np.add.at(D, i, weight * slope)
        np.add.at(D, j, -weight * slope)
        return float((weight * size).sum())

    def _claimed(self, S: Floats, width: float, D: Floats) -> float:
        """Add the cannot-links' losses: the largest joint score above the mean one."""
        i, j = self.cannot
        joint = S[i] + S[j]
        peak = joint.max(axis=1, keepdims=True)
        if width > 0:
            share = np.exp((joint - peak) / width)
            mass = share.sum(axis=1, keepdims=True)
            top, share = peak + width * np.log(mass), share / mass
        else:
            top, share = peak, np.eye(S.shape[1])[joint.argmax(axis=1)]
        slope = self.cannot_weight[:, None] * (share - 1.0 / S.shape[1])
        np.add.at(D, i, slope)
        np.add.at(D, j, slope)
        return float((self.cannot_weight * (top[:, 0] - joint.mean(axis=1))).sum())


def _shares(weight: Floats) -> Floats:
    """Return each weight's share of the total."""
    total = weight.sum()
    return weight / total if total > 0 else weight
