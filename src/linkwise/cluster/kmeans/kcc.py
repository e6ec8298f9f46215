"""KCC: k-means-based consensus of several partitions, labels being one more of them."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin

from linkwise.cluster.kmeans.label_columns import LabelColumns
from linkwise.cluster.kmeans.labelled_rows import LabelledRows
from linkwise.cluster.kmeans.labelled_starts import labelled_starts
from linkwise.cluster.row_weights import RowWeighingClusterer
from linkwise.constraints import PartialLabels
from linkwise.errors import InvalidInput
from linkwise.kernels.label_mixture import label_prices
from linkwise.typing import Matrix, Seed
from linkwise.validation import check_number


class KCC(RowWeighingClusterer):
    r"""Consensus of k-means partitions and partial labels under the utility :math:`U_c`.

    Draws :math:`m` partitions of the rows by k-means and then minimises over labels :math:`z`

    .. math:: \frac1m \sum_{t=1}^m \sum_i \|e_{p_{ti}} - g_{t z_i}\|^2
              + \lambda \sum_{i \in S} \|e_{y_i} - g_{0 z_i}\|^2

    where :math:`e` is 1 for the block that partition :math:`t` puts row :math:`i` in, or for its
    class, and 0 elsewhere, and :math:`g` are the means of these indicators in the cluster. Labels
    are a partition known for some rows :math:`S` only. The features serve the partitions and
    nothing else. Minimising this sum maximises the weighted category utility :math:`U_c` of the
    result with all partitions.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters; "auto" finds one as :func:`choose_k` does.
    n_partitions : int, default=100
        Number :math:`m` of partitions drawn.
    n_blocks : int or "random", default="random"
        Blocks of each partition. "random" draws a number between ``n_clusters`` and
        the square root of ``n_samples`` for each.
    strength : float, default=1.0
        Weight :math:`\lambda` of the labels; all partitions together weigh 1.
    n_init : int, default=10
        Number of random starts of the consensus; the lowest objective is kept.
    max_iter : int, default=300
        Most k-means steps, in a partition as in the consensus.
    report : {"brief", "full"}, default="brief"
        "full" also fits without labels and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Draws the partitions and the starts.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters that were looked for.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    partition_centers_ : list of ndarray of shape (n_blocks, n_features)
        Centres of each partition.
    mixtures_ : list of ndarray of shape (n_clusters, n_blocks)
        Shares of the blocks of each partition in each cluster, and last those of the classes.
    objective_ : float
        The sum above.
    n_iter_ : int
        Steps of the consensus.
    report_ : FitReport
        What the labels bought.

    See Also
    --------
    PartitionKMeans : Features and labels in one objective.

    Notes
    -----
    With ``n_partitions=1, n_blocks=n_clusters, strength=100`` it is the competitor of [2]_.

    Not the method when labels are few and the partitions agree: rows without a label can only
    follow the block they are in.

    References
    ----------
    .. [1] J. Wu, H. Liu, H. Xiong, J. Cao, J. Chen. K-means-based consensus clustering: a unified
       view. IEEE Transactions on Knowledge and Data Engineering 27, 2015.
    .. [2] H. Liu, Y. Fu. Clustering with partition level side information. ICDM, 2015.

    Examples
    --------
    >>> from linkwise import KCC
    >>> X = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]]
    >>> model = KCC(n_clusters=2, n_partitions=10, random_state=0)
    >>> labels = model.fit_predict(X, constraints=["a", None, None, None, None, "b"])
    >>> len(set(labels[:3].tolist())), len(set(labels[3:].tolist()))
    (1, 1)
    """

    _reads: ClassVar[Literal["links", "labels"]] = "labels"
    _sparse: ClassVar[bool] = True
    _counts: ClassVar[bool] = True
    _more_classes: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        n_partitions: int = 100,
        n_blocks: int | str = "random",
        strength: float = 1.0,
        n_init: int = 10,
        max_iter: int = 300,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_partitions = n_partitions
        self.n_blocks = n_blocks
        self.strength = strength
        self.n_init = n_init
        self.max_iter = max_iter
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:
        check_number(self, "n_partitions", low=1, integer=True)
        check_number(self, "n_blocks", low=1, integer=True, or_in=("random",))
        check_number(self, "strength", low=0)
        check_number(self, "n_init", low=1, integer=True)
        check_number(self, "max_iter", low=1, integer=True)
        if self.n_blocks != "random" and self.n_blocks > X.shape[0]:
            raise InvalidInput(
                f"KCC(n_blocks={self.n_blocks}): X has {X.shape[0]} rows, fewer than blocks. "
                f"Ask for at most that many."
            )

    def _fit(self, X: Matrix, knowledge: PartialLabels, rng: np.random.RandomState) -> None:
        drawn = [self._draw_partition(X, rng) for _ in range(self.n_partitions)]
        partitions = tuple(labels for labels, _ in drawn)
        # Indicators are all that counts: the rows themselves have one feature that says nothing.
        columns, heed = LabelColumns((*partitions, knowledge)), self._row_weights
        rows = LabelledRows(np.zeros((X.shape[0], 1)), columns, self._weights(), heed)
        how = "random", self.n_clusters_, self.n_init, rng, heed
        starts = labelled_starts(rows.X, knowledge, *how)
        best = rows.best_descent(starts, self.max_iter)
        self.labels_, self.objective_, self.n_iter_ = best.labels, best.objective, best.n_iter
        self.partition_centers_ = [centers for _, centers in drawn]
        self.mixtures_ = best.mixtures

    def _draw_partition(
        self, X: Matrix, rng: np.random.RandomState
    ) -> tuple[PartialLabels, NDArray[np.floating[Any]]]:
        """Return the blocks of one k-means run and their centres."""
        n_blocks = self.n_blocks
        if n_blocks == "random":
            most = max(self.n_clusters_, int(np.sqrt(X.shape[0])))
            n_blocks = rng.randint(self.n_clusters_, most + 1)
        model = KMeans(n_blocks, n_init=1, max_iter=self.max_iter, random_state=rng)
        with warnings.catch_warnings():  # fewer blocks than asked for are as good
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, sample_weight=self._row_weights)
        blocks = PartialLabels(model.labels_)
        return blocks, model.cluster_centers_[blocks.classes]

    def _weights(self) -> NDArray[np.float64]:
        shares = np.full(self.n_partitions, 1.0 / self.n_partitions)
        return np.append(shares, float(self.strength))

    def _predict(self, X: Matrix) -> NDArray[np.int32]:
        """Look up the blocks of each row; the cluster in which they cost least is its own."""
        blocks = [pairwise_distances_argmin(X, centers) for centers in self.partition_centers_]
        codes = np.column_stack([*blocks, np.full(X.shape[0], -1)])
        first = np.cumsum([0] + [mixture.shape[1] for mixture in self.mixtures_])
        mixture = np.ascontiguousarray(np.hstack(self.mixtures_).T)
        prices = label_prices(codes, first, self._weights(), mixture)
        return np.asarray(prices.argmin(axis=1), dtype=np.int32)
