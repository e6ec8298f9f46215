"""Maximum margin clustering with pairwise constraints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from linkwise.cluster.margin.cccp import (
    Descent,
    Solver,
    descend,
    lbfgs,
    only_cluster,
    subgradient,
)
from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.fourier_features import FourierFeatures
from linkwise.cluster.margin.linear_clusterer import LinearClusterer
from linkwise.cluster.margin.linear_scores import best_cluster, warn_of_lost_clusters
from linkwise.cluster.margin.objective import PairMargin
from linkwise.cluster.margin.starts import STARTS, Starts
from linkwise.constraints import Links
from linkwise.ensemble.blas import one_blas_thread
from linkwise.errors import InvalidInput
from linkwise.scores import satisfied
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_choice, check_number

Floats = NDArray[np.float64]

SOLVERS: dict[str, Solver] = {"lbfgs": lbfgs, "subgradient": subgradient}

#: Rounds in which the links speak alone, before the other rows join in.
ROUNDS_ALONE = 3

#: Price of a broken link when starts are compared, in units of the objective.
BROKEN = 2.0


class MaxMarginClustering(LinearClusterer):
    r"""Linear clusters with wide margins, which links place.

    Row :math:`x` scores :math:`x^\top w_k` for cluster :math:`k` and joins the best one. A
    must-link asks that the best score of one cluster for both rows beats the best score of two
    different ones by 1, a cannot-link the reverse; every other row asks that its best cluster beats
    each other one by 1. Minimised is

    .. math:: \frac{\alpha}{2}\|W\|^2 + \frac1L \sum_{(i,j)} \eta_{ij}
              + \frac{\delta}{U r} \sum_{i\ \text{in no link}} \sum_{k=1}^{r} \xi_{ik}

    where :math:`\eta` and :math:`\xi` are what the :math:`L` links and the :math:`U` other rows
    lack to their margins. Rows are centred and divided by their root mean square norm, so that
    scale and shift of ``X`` change nothing and :math:`\alpha` means the same everywhere. The
    concave-convex procedure fixes which clusters are best, minimises the convex rest and repeats.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    alpha : float or "auto", default="auto"
        Weight :math:`\alpha` of the squared norm. "auto" is 0.01 up to 50 links, then the same
        weight per link (0.5 divided by their number), and 0.001 from 500 links on. From about 0.1
        on clusters begin to vanish.
    delta : float, default=1.0
        Weight :math:`\delta` of the rows in no link.
    solver : {"lbfgs", "subgradient"}, default="lbfgs"
        How the convex problems are solved. "lbfgs" smooths hinge and maximum; "subgradient" is the
        projected subgradient descent of the paper with its stopping rule, which ends a little
        higher where ``alpha`` is small.
    starts : "auto", str or list of str, default="auto"
        Where to begin. "kmeans": k-means; in the first three rounds the links speak alone.
        "kmeans-direct": k-means, all rows speak at once. "links": the directions that spread
        cannot-links and shrink must-links (equation 18 of the paper). "links-kmeans": k-means along
        these directions. "ridge-kmeans": the same with directions that suit many features. "mpck":
        MPCK-means. "auto" is all of them, or "kmeans-direct" when nothing is known. Of several, the
        one that ends with the lowest objective plus twice the share of broken links is kept, among
        those that end with the most clusters.
    kernel : {None, "rbf"}, default=None
        None is linear. "rbf" replaces the features by random Fourier features of a Gaussian
        kernel, for clusters with curved borders.
    n_components : int, default=500
        How many Fourier features.
    balanced : bool, default=False
        Whether must-links and cannot-links weigh the same in total, however many there are.
    max_iter : int, default=50
        Most rounds.
    tol : float, default=0.01
        A round that lowers the objective by less than this share is the last one.
    report : {"brief", "full"}, default="brief"
        "full" also fits without constraints and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Seeds k-means and the Fourier features.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    margins_ : ndarray of shape (n_samples,)
        By how much each row's best score beats the next one.
    coef_ : ndarray of shape (n_clusters, n_features)
        Weights of the scaled features (of the Fourier features with ``kernel="rbf"``).
    objective_ : float
        The sum above.
    start_ : str
        The start that was kept.
    objectives_ : dict of str to float
        The objective that each start ended with.
    n_iter_ : int
        Rounds done from the start that was kept.
    report_ : FitReport
        What the links bought.

    See Also
    --------
    CPCMMC : The earlier constrained maximum margin method.
    MMC : Maximum margin clustering without constraints.

    Notes
    -----
    Not the method when nothing is known (k-means is as good and quicker), when clusters have no
    flat borders (unless ``kernel="rbf"``), when more than two of them lie on one line (clusters are
    cones around the mean of all rows), or when features have units of their own: standardise them
    first. Nor when answers are wrong and must-links rare: on the ten digits 500 links of which one
    in ten is flipped leave it below k-means (accuracy .715 against .773). A larger ``alpha`` and
    ``delta`` (0.03 and 5, say) listen to the links less and to the other rows more: .797 there,
    at up to .09 less where answers are right.

    Centred rows make the scores of every cluster sum to zero, which is the balance that keeps all
    rows from joining one cluster. Time and memory are linear in the rows; sparse rows are never
    made dense.

    Objectives with different ``delta`` cannot be compared, and a lower objective is not always a
    better clustering: it also falls when clusters vanish, which is warned about.

    References
    ----------
    .. [1] H. Zeng, Y.-M. Cheung. Semi-supervised maximum margin clustering with pairwise
       constraints. IEEE TKDE 24(5), 2012.

    Examples
    --------
    >>> from linkwise import Links, MaxMarginClustering
    >>> X = [[0.0, 0.0], [9.0, 0.1], [1.0, 3.0], [8.0, 3.1]]
    >>> links = Links(4, must=[(0, 1), (2, 3)], cannot=[(0, 2)])
    >>> model = MaxMarginClustering(n_clusters=2, random_state=0).fit(X, constraints=links)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2])
    True
    >>> bool(model.predict([[4.0, -1.0]])[0] == model.labels_[0])
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        alpha: float | str = "auto",
        delta: float = 1.0,
        solver: str = "lbfgs",
        starts: str | Sequence[str] = "auto",
        kernel: str | None = None,
        n_components: int = 500,
        balanced: bool = False,
        max_iter: int = 50,
        tol: float = 0.01,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.delta = delta
        self.solver = solver
        self.starts = starts
        self.kernel = kernel
        self.n_components = n_components
        self.balanced = balanced
        self.max_iter = max_iter
        self.tol = tol
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_number(self, "alpha", low=1e-9, or_in=("auto",))
        check_number(self, "delta", low=0)
        check_choice(self, "solver", tuple(SOLVERS))
        check_choice(self, "kernel", (None, "rbf"))
        check_number(self, "n_components", low=1, integer=True)
        check_choice(self, "balanced", (True, False))
        check_number(self, "max_iter", low=1, integer=True)
        check_number(self, "tol", low=0)
        self._starts(1)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:
        features = FourierFeatures(X, self.n_components, rng) if self.kernel else None
        rows = CentredRows.of(X if features is None else features(X))
        with one_blas_thread():  # the products are slim: more threads only wait
            ends = self._ends(rows, knowledge, rng)
        self.objectives_ = {name: end.path[-1] for name, end in ends.items()}
        self.start_ = min(ends, key=lambda name: _rank(rows, knowledge, ends[name]))
        self._keep(rows, ends[self.start_], features)
        warn_of_lost_clusters(self, self.labels_, self.n_clusters_)

    def _ends(
        self, rows: CentredRows, links: Links, rng: np.random.RandomState
    ) -> dict[str, Descent]:
        """Return where the procedure ends from every start."""
        if self.n_clusters_ == 1:
            return {"none": only_cluster(rows)}
        alpha = self._alpha(links.n_links)
        linked = links.linked_rows
        alone = PairMargin(rows.take(linked), links[linked], alpha, 0.0, self.balanced)
        together = PairMargin(rows, links, alpha, float(self.delta), self.balanced)
        starts = Starts(rows, links, self.n_clusters_, alpha, rng)
        solver = SOLVERS[self.solver]
        said = links.weight.sum() > 0
        ends = {}
        for name in self._starts(links.n_links):
            n_alone = min(ROUNDS_ALONE, self.max_iter) if said and name != "kmeans-direct" else 0
            first = descend(alone, starts.weights(name), solver, n_alone, tol=0.0)
            end = descend(together, first.W, solver, self.max_iter - first.n_iter, self.tol)
            ends[name] = end._replace(n_iter=first.n_iter + end.n_iter)
        return ends

    def _alpha(self, n_links: int) -> float:
        if self.alpha == "auto":
            return float(np.clip(0.5 / max(n_links, 1), 0.001, 0.01))
        return float(self.alpha)

    def _starts(self, n_links: int) -> tuple[str, ...]:
        """Return the names of the starts to try, or refuse what is none."""
        if isinstance(self.starts, str) and self.starts == "auto":
            return STARTS if n_links else ("kmeans-direct",)
        names = (self.starts,) if isinstance(self.starts, str) else tuple(self.starts)
        if not names or not set(names) <= set(STARTS):
            listed = ", ".join(repr(name) for name in STARTS)
            raise InvalidInput(
                f"{type(self).__name__}(starts={self.starts!r}): starts must be 'auto', one of "
                f"{listed} or a list of these."
            )
        return names


def _rank(rows: CentredRows, links: Links, end: Descent) -> tuple[int, float]:
    """Return what the best end has least of: lost clusters, then objective plus broken links."""
    labels = best_cluster(rows.scores(end.W))
    lost = end.W.shape[1] - len(np.unique(labels))
    return lost, end.path[-1] + BROKEN * (1.0 - satisfied(links, labels))
