"""K-means with partition level side information: some rows come with a label."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import pairwise_distances_argmin

from linkwise.cluster.kmeans.label_columns import LabelColumns
from linkwise.cluster.kmeans.labelled_rows import Descent, LabelledRows
from linkwise.cluster.kmeans.labelled_starts import labelled_starts
from linkwise.cluster.kmeans.tied_metric import n_in_majority, standardise, whitening
from linkwise.cluster.row_weights import RowWeighingClusterer, counting, total_variance
from linkwise.constraints import Knowledge, Links
from linkwise.errors import InvalidInput
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_choice, check_number

#: Most rounds of clustering and whitening when the metric is learned.
TIED_ROUNDS = 10


class PartitionKMeans(RowWeighingClusterer):
    r"""K-means that also pays for clusters in which labelled classes mix.

    Minimises over labels :math:`z`, centres :math:`c` and mixtures :math:`g`

    .. math:: \sum_i \|x_i - c_{z_i}\|^2 + \lambda \sum_{i \in S} \|e_{y_i} - g_{z_i}\|^2

    where :math:`S` are the rows with a label, :math:`e_{y_i}` is 1 for the class of row :math:`i`
    and 0 for the others, and :math:`g_k` is the share of each class among the labelled rows of
    cluster :math:`k`. Rows without a label pay for their distance only. A class split over
    several pure clusters costs nothing, so there may be more clusters than classes, or fewer.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters; "auto" finds one as :func:`choose_k` does.
    strength : float, "auto" or sequence of these, default="auto"
        :math:`\lambda`, in units of squared distance. "auto" is the total variance of ``X``, so
        rescaling or shifting ``X`` changes nothing. 0 is k-means; with a very large strength and
        ``init="seeded"`` labelled rows keep their class. A sequence gives one strength for each
        column of labels.
    metric : {"euclidean", "tied"}, default="euclidean"
        "tied" also learns one covariance shared by all clusters: it standardises the features and
        then alternates clustering and whitening by the covariance within the clusters, once from
        the covariance within the labelled classes and once from none. The result is kept in which
        more labelled rows, placed by distance alone, are with their class; between equals, the
        likelier one. This is what carries over to rows without a label.
    init : {"seeded", "k-means++", "random"} or array, default="seeded"
        "seeded" starts from the class means, and from k-means++ where there are fewer classes than
        clusters; cluster ``c`` then grows from class ``c`` of the sorted class names. "random" is
        rows drawn at random with their labels.
    n_init : int, default=1
        Number of starts; the lowest objective is kept. A start without chance is run once.
    max_iter : int, default=300
        Most k-means steps from one start.
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
    mixtures_ : list of ndarray of shape (n_clusters, n_classes)
        Share of each class among the labelled rows of each cluster, for each column of labels;
        uniform where a cluster has none.
    components_ : ndarray of shape (n_features, n_features)
        The map under which distances are Euclidean, only with ``metric="tied"``:
        rows become ``X @ components_.T``.
    objective_ : float
        The sum above; with ``metric="tied"`` in the learned metric, plus ``n_samples`` times the
        log-determinant of its covariance.
    n_iter_ : int
        K-means steps done from the start that was kept.
    report_ : FitReport
        What the labels bought.

    See Also
    --------
    ConstrainedKMeans : Labelled rows always keep their class.
    SeededKMeans : Labels choose the start and nothing else.

    Notes
    -----
    Several labellings of the same rows, say by different people or at different depths of a
    hierarchy, are given as one table with a row per row of ``X`` and a column per labelling, an
    array or a data frame; each column pays its own strength. The first column seeds the start.

    Not the method, with ``metric="euclidean"``, when what counts are the rows without a label: on
    them it does about what k-means does, and its gain on all rows is mostly labelled rows scoring
    themselves. Not ``metric="tied"`` when clusters differ in shape, or with very many features.

    A cluster without labelled rows has the uniform mixture and one without any rows takes the row
    that costs most; the objective never rises. ``predict`` goes by distance alone, so it may
    disagree with ``labels_`` on labelled rows.

    References
    ----------
    .. [1] H. Liu, Y. Fu. Clustering with partition level side information. ICDM, 2015.

    Examples
    --------
    >>> from linkwise import PartitionKMeans
    >>> X = [[0.0], [1.0], [2.0], [6.0], [7.0]]
    >>> model = PartitionKMeans(n_clusters=2, random_state=0)
    >>> model.fit(X, constraints=["a", None, "b", "b", None]).labels_.tolist()
    [0, 0, 1, 1, 1]
    >>> model.predict([[2.0], [3.0]]).tolist()
    [0, 1]

    Two labellings at once, the second one trusted less:

    >>> import numpy as np
    >>> table = np.array([["a", "x"], [None, "x"], ["b", None], ["b", None], [None, "y"]])
    >>> model = PartitionKMeans(n_clusters=2, strength=[10.0, 1.0], random_state=0)
    >>> model.fit(X, constraints=table).labels_.tolist()
    [0, 0, 1, 1, 1]
    """

    _reads: ClassVar[Literal["links", "labels"]] = "labels"
    _sparse: ClassVar[bool] = True
    _counts: ClassVar[bool] = True
    _more_classes: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        strength: float | str | Sequence[float | str] = "auto",
        metric: str = "euclidean",
        init: str | ArrayLike = "seeded",
        n_init: int = 1,
        max_iter: int = 300,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.strength = strength
        self.metric = metric
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:
        check_choice(self, "metric", ("euclidean", "tied"))
        check_number(self, "n_init", low=1, integer=True)
        check_number(self, "max_iter", low=1, integer=True)
        self._check_strength()
        self._check_init(X)
        if self.metric == "tied" and sp.issparse(X):
            raise InvalidInput(
                "PartitionKMeans(metric='tied'): X is sparse, but the metric is one dense matrix "
                "over all features. Reduce the features first, for example with TruncatedSVD."
            )

    def _check_strength(self) -> None:
        if isinstance(self.strength, str | float | numbers.Real):
            check_number(self, "strength", low=0, or_in=("auto",))
            return
        for value in self.strength:
            if isinstance(value, str):
                fits = value == "auto"
            else:
                number = isinstance(value, numbers.Real) and not isinstance(value, bool)
                fits = bool(number and np.isfinite(value) and value >= 0)
            if not fits:
                raise InvalidInput(
                    f"PartitionKMeans(strength={self.strength!r}): each strength must be a number "
                    f">= 0 or 'auto', found {value!r}."
                )

    def _check_init(self, X: Matrix) -> None:
        if isinstance(self.init, str):
            check_choice(self, "init", ("seeded", "k-means++", "random"))
            return
        n_clusters = len(np.asarray(self.init)) if self.n_clusters == "auto" else self.n_clusters
        wanted = (n_clusters, X.shape[1])
        if np.shape(self.init) != wanted or not np.isfinite(self.init).all():
            raise InvalidInput(
                f"PartitionKMeans: init must be 'seeded', 'k-means++', 'random' or finite centres "
                f"of shape {wanted}, got an array of shape {np.shape(self.init)}."
            )

    def _count(self, X: Matrix, given: object, rng: np.random.RandomState) -> int:
        if self.n_clusters == "auto" and not isinstance(self.init, str):
            return len(np.asarray(self.init))
        return super()._count(X, given, rng)

    def _given(self, constraints: Knowledge | None, n_samples: int) -> Any:
        if LabelColumns.is_table(constraints):
            return LabelColumns.from_table(constraints, n_samples)
        return super()._given(constraints, n_samples)

    def _read(self, given: Any, n_samples: int) -> tuple[Any, Links]:
        if isinstance(given, LabelColumns):
            return given, Links(n_samples)
        labels: Any
        labels, withdrawn = super()._read(given, n_samples)
        return LabelColumns((labels,)), withdrawn

    def _fit(self, X: Matrix, knowledge: LabelColumns, rng: np.random.RandomState) -> None:
        fit = self._fit_tied if self.metric == "tied" else self._fit_euclidean
        best = fit(X, knowledge, rng)
        self.labels_, self.objective_, self.n_iter_ = best.labels, best.objective, best.n_iter
        self.cluster_centers_ = best.centers.astype(X.dtype, copy=False)
        self.mixtures_ = best.mixtures

    def _fit_euclidean(
        self, X: Matrix, knowledge: LabelColumns, rng: np.random.RandomState
    ) -> Descent:
        if sp.issparse(X):
            return self._search(X, knowledge, self.init, rng)
        # Far from the origin, rows would lose their last digits.
        mean = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
        init = self.init if isinstance(self.init, str) else np.asarray(self.init) - mean
        best = self._search(X - mean, knowledge, init, rng)
        return replace(best, centers=best.centers + mean)

    def _search(
        self, X: Matrix, knowledge: LabelColumns, init: str | ArrayLike, rng: np.random.RandomState
    ) -> Descent:
        """Run Algorithm 1 from every start; return the lowest end."""
        rows = LabelledRows(X, knowledge, self._strengths(X, knowledge), self._row_weights)
        how = init, self.n_clusters_, self.n_init, rng, self._row_weights
        starts = labelled_starts(X, knowledge.columns[0], *how)
        return rows.best_descent(starts, self.max_iter)

    def _fit_tied(self, X: Matrix, knowledge: LabelColumns, rng: np.random.RandomState) -> Descent:
        weights = self._row_weights
        Z, mean, scale = standardise(X, weights)
        codes = knowledge.columns[0].codes
        init = self.init if isinstance(self.init, str) else (np.asarray(self.init) - mean) / scale

        def worth(candidate: tuple[Descent, NDArray[np.float64]]) -> tuple[float, float]:
            """How many labelled rows fit by distance alone, then how likely the result is."""
            end, whiten = candidate
            nearest = pairwise_distances_argmin(Z @ whiten, end.centers @ whiten)
            return n_in_majority(codes, nearest, weights), -end.objective

        first = (whitening(Z, codes, weights), np.eye(Z.shape[1]))
        candidates = [self._alternate(Z, whiten, knowledge, init, rng) for whiten in first]
        best, whiten = max(candidates, key=worth)
        self.components_ = whiten.T / scale
        return replace(best, centers=best.centers * scale + mean)

    def _alternate(
        self,
        Z: NDArray[np.float64],
        whiten: NDArray[np.float64],
        knowledge: LabelColumns,
        init: str | ArrayLike,
        rng: np.random.RandomState,
    ) -> tuple[Descent, NDArray[np.float64]]:
        """Cluster, whiten within the clusters, cluster again, until no label changes."""
        weights = self._row_weights
        init = init if isinstance(init, str) else np.asarray(init) @ whiten
        best = self._search(Z @ whiten, knowledge, init, rng)
        n_iter = best.n_iter
        for _ in range(TIED_ROUNDS - 1):
            labels, centers = best.labels, np.linalg.solve(whiten.T, best.centers.T).T
            whiten = whitening(Z, labels, weights)
            strengths = self._strengths(Z @ whiten, knowledge)
            rows = LabelledRows(Z @ whiten, knowledge, strengths, weights)
            best = rows.best_descent([(centers @ whiten, labels)], self.max_iter)
            n_iter += best.n_iter
            if np.array_equal(best.labels, labels):
                break
        objective = (
            best.objective - 2.0 * counting(len(Z), weights).sum() * np.linalg.slogdet(whiten)[1]
        )
        centers = np.linalg.solve(whiten.T, best.centers.T).T
        return replace(best, centers=centers, objective=objective, n_iter=n_iter), whiten

    def _strengths(self, X: Matrix, knowledge: LabelColumns) -> NDArray[np.float64]:
        """Return the strength of each column of labels."""
        n_columns = len(knowledge.columns)
        if isinstance(self.strength, str | float | numbers.Real):
            given: Sequence[float | str] = [self.strength] * n_columns
        else:
            given = self.strength
            if sum(knowledge.n_classes) == 0:  # nobody said anything: no strength is needed
                return np.zeros(n_columns)
        if len(given) != n_columns:
            raise InvalidInput(
                f"PartitionKMeans(strength={given!r}): {len(given)} strengths were given for "
                f"{n_columns} {'column' if n_columns == 1 else 'columns'} of labels."
            )
        auto = total_variance(X, self._row_weights)
        return np.array([auto if value == "auto" else float(value) for value in given])

    def _predict(self, X: Matrix) -> NDArray[np.int32]:
        if self.metric == "euclidean":
            return super()._predict(X)
        middle = self.cluster_centers_.mean(axis=0)
        rows, centers = (
            (table - middle) @ self.components_.T for table in (X, self.cluster_centers_)
        )
        return np.asarray(pairwise_distances_argmin(rows, centers), dtype=np.int32)
