"""Ward and average linkage in which links hold."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin
from sklearn.metrics.pairwise import euclidean_distances

from linkwise.cluster.base import ConstrainedClusterer, Labels
from linkwise.cluster.hierarchy.dead_end import dissolved
from linkwise.cluster.hierarchy.near_merges import merge_along_graph
from linkwise.cluster.hierarchy.tree import MergeTree
from linkwise.constraints import Links
from linkwise.constraints.groups import Groups
from linkwise.errors import ConstraintWarning
from linkwise.kernels.kmeans_step import cluster_means
from linkwise.kernels.labelled_lloyd import distances_dense, distances_sparse
from linkwise.kernels.linkage import merge_nearest
from linkwise.typing import Dense, Matrix, Seed, is_csr
from linkwise.validation import check_choice, check_number

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: More clusters than this are not compared all with all: 200 MB of distances.
MOST_COMPARED = 5_000
#: Values in one block of distances between rows: 32 MB.
BLOCK = 1 << 22


class ConstrainedLinkage(ConstrainedClusterer):
    r"""A tree of clusters, made by merging the two nearest, in which links hold.

    Must-linked rows are merged before all others, at height 0. Then the two nearest clusters are
    merged, again and again, but never two between which there is a cannot-link. The nearest are
    those with the least

    .. math:: \sqrt{\frac{2 |A| |B|}{|A| + |B|}}\, \|\mu_A - \mu_B\| \quad\text{(Ward)} \qquad
              \frac{1}{|A| |B|} \sum_{a \in A, b \in B} \|x_a - x_b\| \quad\text{(average)}.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters; "auto" finds one as :func:`choose_k` does.
    linkage : {"ward", "average"}, default="ward"
        What near is: Ward's linkage looks for round clusters of similar sizes, the average for
        clusters of any size.
    n_neighbors : int, default=10
        With more than 5000 clusters only near ones are candidates: each and its ``n_neighbors``
        nearest, and what these become.
    report : {"brief", "full"}, default="brief"
        "full" also fits without constraints and reports the agreement.
    random_state : int, RandomState instance or None, default=None
        Used by ``n_clusters="auto"`` only; merging draws nothing.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters that were looked for.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row; no link is broken.
    linkage_matrix_ : ndarray of shape (n_samples - 1, 4)
        The whole tree in SciPy's form, for ``scipy.cluster.hierarchy.dendrogram`` and ``fcluster``.
    n_forbidden_ : int
        How many of its last merges cannot-links forbid. They are there because the form asks for a
        whole tree, in the order that the distances alone ask for and no lower than what comes
        before; ``linkage_matrix_[:len(linkage_matrix_) - n_forbidden_]`` is what links allow.
    n_iter_ : int
        Merges up to ``labels_``.
    report_ : FitReport
        What the links bought.

    See Also
    --------
    COPKMeans : Links hold too, and the number of clusters is what was asked for.

    Notes
    -----
    Merging the nearest may end where every two clusters are cannot-linked although a labelling with
    fewer clusters exists; with many random cannot-links this is to be expected. Then the smallest
    clusters are dissolved: their rows go to the nearest cluster that links allow, and the tree is
    grown again inside the clusters found. If that fails, links hold all the same, more clusters
    than asked for are left, and a warning says how many.

    Without links and with up to 5000 rows the tree is that of SciPy's ``linkage``. With more, the
    first merges are made along a graph of near clusters, in memory that grows with the number of
    rows; the average is then the root of the mean squared distance, which means and spreads of
    clusters give without looking at all pairs of rows. Means are dense even where rows are sparse.
    Heights never fall: a merge that is lower than an earlier one is written at the height of that
    one. Link weights are not looked at. Contradictory links are repaired first, with a warning.
    ``predict`` gives a new row the cluster of the nearest row seen in ``fit``.

    Not the method for wrong links: one wrong must-link merges two clusters at the very start.

    References
    ----------
    .. [1] I. Davidson, S. S. Ravi. Agglomerative hierarchical clustering with constraints:
       theoretical and empirical results. PKDD, 2005.

    Examples
    --------
    >>> from linkwise import ConstrainedLinkage, Links
    >>> X = [[0.0], [1.0], [5.0], [7.0]]
    >>> model = ConstrainedLinkage(2).fit(X, constraints=Links(4, must=[(0, 2)], cannot=[(0, 1)]))
    >>> model.labels_.tolist()
    [0, 1, 0, 0]
    >>> model.linkage_matrix_.round(2).tolist()
    [[0.0, 2.0, 0.0, 2.0], [3.0, 4.0, 5.2, 3.0], [1.0, 5.0, 5.2, 4.0]]
    >>> model.n_forbidden_
    1
    """

    _sparse: ClassVar[bool] = True
    _counts: ClassVar[bool] = True
    _repairs: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        linkage: str = "ward",
        n_neighbors: int = 10,
        report: str = "brief",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.n_neighbors = n_neighbors
        self.report = report
        self.random_state = random_state

    def _check_params(self, X: Matrix) -> None:  # noqa: ARG002
        check_choice(self, "linkage", ("ward", "average"))
        check_number(self, "n_neighbors", low=1, integer=True)

    def _fit(self, X: Matrix, knowledge: Links, rng: np.random.RandomState) -> None:  # noqa: ARG002
        everywhere = np.zeros(X.shape[0], dtype=np.int64)
        tree = self._grown(X, knowledge, everywhere)
        if tree.n_clusters > self.n_clusters_:
            parts = dissolved(X, tree.labels(), knowledge, self.n_clusters_)
            if parts is None:
                self._warn(tree.n_clusters)
            else:
                tree = self._grown(X, knowledge, parts)
        self.labels_ = tree.labels().astype(np.int32)
        self.n_iter_ = max(X.shape[0] - tree.n_clusters, 1)
        self._merge_all_compared(tree, X, knowledge, everywhere, 1)
        self.n_forbidden_ = tree.n_clusters - 1
        self._merge_all_compared(tree, X, Links(X.shape[0]), everywhere, 1)
        self.linkage_matrix_ = tree.linkage_matrix()
        self._rows = X

    def _grown(self, X: Matrix, links: Links, part: Ints) -> MergeTree:
        """Merge rows of the same part until as few clusters are left as were asked for."""
        tree = MergeTree(X.shape[0])
        _merge_must_linked(tree, links)
        self._merge_many(tree, X, links, part)
        self._merge_all_compared(tree, X, links, part, self.n_clusters_)
        return tree

    def _warn(self, n_left: int) -> None:
        warnings.warn(
            f"ConstrainedLinkage(n_clusters={self.n_clusters_}): {n_left} clusters are left, and "
            "every two of them are cannot-linked. All links hold. Ask for more clusters, or see "
            "whether COPKMeans finds a labelling.",
            ConstraintWarning,
            stacklevel=4,
        )

    def _merge_many(self, tree: MergeTree, X: Matrix, links: Links, part: Ints) -> None:
        """Merge along graphs of near clusters until all can be compared with all."""
        target = max(MOST_COMPARED, self.n_clusters_)
        before = -1
        while tree.n_clusters > target and tree.n_clusters != before:
            before = tree.n_clusters
            clusters = _Clusters(tree, links)
            means = clusters.means(X)
            merges = merge_along_graph(
                means,
                clusters.spreads(X, means),
                clusters.sizes,
                part[clusters.example],
                clusters.apart,
                n_neighbors=self.n_neighbors,
                ward=self.linkage == "ward",
                n_left=target,
            )
            self._write(tree, clusters, merges)

    def _merge_all_compared(
        self, tree: MergeTree, X: Matrix, links: Links, part: Ints, n_left: int
    ) -> None:
        """Merge the nearest of all until ``n_left`` are left or links allow no more."""
        if tree.n_clusters <= n_left:
            return
        clusters = _Clusters(tree, links)
        ward = self.linkage == "ward"
        if ward:
            D = clusters.ward_distances(X)
        elif self._looks_at_squares(X.shape[0]):
            D = clusters.mean_squared_distances(X)
        else:
            D = clusters.average_distances(X)
        D[clusters.apart[:, 0], clusters.apart[:, 1]] = np.inf
        D[clusters.apart[:, 1], clusters.apart[:, 0]] = np.inf
        D[part[clusters.example][:, None] != part[clusters.example]] = np.inf
        np.fill_diagonal(D, np.inf)
        pairs, heights = merge_nearest(D, clusters.sizes.astype(np.float64), ward, n_left)
        merges = [(a, b, h) for (a, b), h in zip(pairs.tolist(), heights.tolist(), strict=True)]
        self._write(tree, clusters, merges)

    def _write(
        self, tree: MergeTree, clusters: _Clusters, merges: list[tuple[int, int, float]]
    ) -> None:
        for a, b, distance in merges:
            squared = self._looks_at_squares(len(clusters.label))
            height = np.sqrt(max(distance, 0.0)) if squared else distance
            tree.merge(int(clusters.example[a]), int(clusters.example[b]), float(height))

    def _looks_at_squares(self, n_rows: int) -> bool:
        """Tell whether distances are squared until they are written."""
        return self.linkage == "ward" or n_rows > MOST_COMPARED

    def _predict(self, X: Matrix) -> Labels:
        known: Any = self._rows
        if is_csr(known) and not is_csr(X):
            X = sp.csr_array(X)
        return np.asarray(self.labels_[pairwise_distances_argmin(X, known)])


class _Clusters:
    """The clusters a tree has come to, what is known of them, and how far apart they are."""

    def __init__(self, tree: MergeTree, links: Links) -> None:
        self.label = tree.labels()
        _, self.example, self.sizes = np.unique(self.label, return_index=True, return_counts=True)
        ends = np.sort(self.label[links.cannot].reshape(-1, 2), axis=1)
        self.apart: Ints = np.unique(ends, axis=0)

    def means(self, X: Matrix) -> Dense:
        """Return the mean row of each cluster."""
        start = np.zeros((len(self.sizes), X.shape[1]))
        return cluster_means(X, self.label, start)[0]

    def spreads(self, X: Matrix, means: Dense) -> Floats:
        """Return the mean squared distance of each cluster's rows to its mean."""
        kernel: Any = distances_sparse if is_csr(X) else distances_dense
        arrays = (X.data, X.indices, X.indptr) if is_csr(X) else (X,)
        total = np.bincount(self.label, weights=kernel(*arrays, self.label, means))
        return np.asarray(total / self.sizes)

    def ward_distances(self, X: Matrix) -> Floats:
        """Return 2 |A| |B| / (|A| + |B|) times the squared distance of the means."""
        squared = np.asarray(euclidean_distances(self.means(X), squared=True))
        size = self.sizes.astype(np.float64)
        squared *= 2.0 * size[:, None] * size / (size[:, None] + size)
        return squared

    def mean_squared_distances(self, X: Matrix) -> Floats:
        """Return the mean squared distance between the rows of two clusters."""
        means = self.means(X)
        spread = self.spreads(X, means)
        squared = np.asarray(euclidean_distances(means, squared=True))
        squared += spread[:, None] + spread
        return squared

    def average_distances(self, X: Matrix) -> Floats:
        """Return the mean distance between the rows of two clusters, a block of rows at a time."""
        n, k = len(self.label), len(self.sizes)
        member = sp.csr_array((np.ones(n), (np.arange(n), self.label)), (n, k))
        total = np.zeros((k, k))
        step = max(BLOCK // n, 1)
        for start in range(0, n, step):
            rows = slice(start, start + step)
            block = euclidean_distances(X[rows], X).astype(np.float64, copy=False)
            total += member[rows].T @ (block @ member)
        return total / np.outer(self.sizes, self.sizes)


def _merge_must_linked(tree: MergeTree, links: Links) -> None:
    """Merge the rows of each must-link group at height 0."""
    groups = Groups.of(links)
    order = np.argsort(groups.group, kind="stable")
    same = groups.group[order[1:]] == groups.group[order[:-1]]
    for a, b in zip(order[:-1][same].tolist(), order[1:][same].tolist(), strict=True):
        tree.merge(int(groups.rows[a]), int(groups.rows[b]), 0.0)
