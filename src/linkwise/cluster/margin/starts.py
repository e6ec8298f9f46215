"""Where maximum margin clustering begins: weights W from k-means, from the links, from both."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from linkwise.cluster.margin.cccp import lbfgs
from linkwise.cluster.margin.centred_rows import CentredRows
from linkwise.cluster.margin.objective import PairMargin, Tangent
from linkwise.cluster.mpck_algorithm import mpck_means
from linkwise.constraints import Links

Floats = NDArray[np.float64]

#: The starts by name, in the order they are tried.
STARTS = ("kmeans", "kmeans-direct", "links", "links-kmeans", "ridge-kmeans", "mpck")

#: Tables with more features than this are looked at through so many principal components.
MOST_FEATURES = 100

#: Share of twice the rows' covariance in S_m of equation (18).
SHRINKAGE = 0.05

#: Weight of the isotropic matrix in S_m, in must-links per feature, where features are many.
RIDGE = 0.1

#: Relative variance that makes a matrix without full rank invertible.
TINY = 1e-9


class Starts:
    """The starts for one table and one set of links; what several share is computed once.

    Parameters
    ----------
    rows : CentredRows
        The rows.
    links : Links
        What is known about them.
    n_clusters : int
        Number of clusters, at least 2.
    alpha : float
        Weight of the squared norm of W when a labelling is turned into weights.
    rng : RandomState
        Seeds k-means.
    """

    def __init__(
        self,
        rows: CentredRows,
        links: Links,
        n_clusters: int,
        alpha: float,
        rng: np.random.RandomState,
    ) -> None:
        self.rows = rows
        self.links = links
        self.n_clusters = n_clusters
        self.alpha = alpha
        self._seeds = rng.randint(np.iinfo(np.int32).max, size=4)

    def weights(self, name: str) -> Floats:
        """Return W for the start called ``name``, of shape (n_features, n_clusters)."""
        if name in ("kmeans", "kmeans-direct"):
            return self._from_kmeans
        if name == "links":
            return self._basis @ self._directions
        if name == "links-kmeans":
            return self._separating(self._kmeans(self._seen @ self._directions, self._seeds[1]))
        if name == "ridge-kmeans":
            directions = link_directions(self._seen, self.links, self.n_clusters, ridge=True)
            return self._separating(self._kmeans(self._seen @ directions, self._seeds[2]))
        rng = np.random.RandomState(self._seeds[3])
        found = mpck_means(self._seen, self.links, self.n_clusters, rng, max_iter=10)
        return self._separating(found.labels)

    @cached_property
    def _seen(self) -> Floats:
        """The rows, or their principal components where features are many."""
        seen: Floats = self.rows.scores(self._basis)
        return seen

    @cached_property
    def _basis(self) -> Floats:
        n_features = self.rows.shape[1]
        if n_features <= MOST_FEATURES:
            return np.eye(n_features)
        return self.rows.principal_directions(MOST_FEATURES)

    @cached_property
    def _from_kmeans(self) -> Floats:
        return self._separating(self._kmeans(self._seen, self._seeds[0]))

    @cached_property
    def _directions(self) -> Floats:
        return link_directions(self._seen, self.links, self.n_clusters)

    def _kmeans(self, Z: Floats, seed: int) -> NDArray[np.int32]:
        model = KMeans(self.n_clusters, n_init=3, random_state=seed)
        with warnings.catch_warnings(), threadpool_limits(1):  # too little work to share
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
            model.fit(Z)
        labels: NDArray[np.int32] = model.labels_
        return labels

    def _separating(self, labels: NDArray[Any]) -> Floats:
        """Return the W that separates the given clusters with the largest margins."""
        n, d = self.rows.shape
        none = np.empty(0, dtype=np.int64)
        tangent = Tangent(none, none, none, labels.astype(np.int64))
        problem = PairMargin(self.rows, Links(n), self.alpha, delta=1.0)
        return lbfgs(problem, np.zeros((d, self.n_clusters)), tangent)


def link_directions(Z: Floats, links: Links, n_clusters: int, ridge: bool = False) -> Floats:
    """Return directions that spread cannot-linked rows and draw must-linked ones together.

    They solve equation (18) of the paper with the constraint it needs: the columns maximise
    trace(A' S_c A) under A' S_m A = I, where S_c and S_m are the mean outer products of the
    differences across cannot-links and must-links (the trace constraint as printed has a solution
    of rank one). S_m is mixed with a little of the same product over all pairs of rows or, with
    ``ridge``, with an isotropic matrix that fades as must-links arrive; the first suits few,
    correlated features, the second many. Columns come best first, each turned so that the third
    moment of its scores is not negative; where clusters outnumber the directions in which
    cannot-linked rows differ, columns are used again, turned round.
    """
    n_features, n_must = Z.shape[1], len(links.must)
    over_all = 2.0 * (Z.T @ Z) / len(Z)
    together = _mean_outer(Z, links.must, links.weight[:n_must], over_all)
    apart = _mean_outer(Z, links.cannot, links.weight[n_must:], over_all)
    if ridge:
        share = RIDGE * n_features / (RIDGE * n_features + n_must)
        isotropic = np.trace(together) / n_features * np.eye(n_features)
        together = (1 - share) * together + share * isotropic
    else:
        together = (1 - SHRINKAGE) * together + SHRINKAGE * over_all
    variance = float(np.trace(over_all)) / n_features or 1.0
    together += TINY * variance * np.eye(n_features)
    spread, A = scipy.linalg.eigh(apart, together)
    A = A[:, spread > TINY * spread[-1]][:, ::-1][:, :n_clusters]
    A = A * np.where(np.power(Z @ A, 3).sum(axis=0) < 0, -1.0, 1.0)
    return np.hstack([A, -A, np.zeros((n_features, n_clusters))])[:, :n_clusters]


def _mean_outer(Z: Floats, pairs: NDArray[np.int64], weight: Floats, default: Floats) -> Floats:
    """Return the mean outer product of the pairs' differences, ``default`` without pairs."""
    if weight.sum() <= 0:
        return default
    apart = Z[pairs[:, 0]] - Z[pairs[:, 1]]
    return np.asarray((apart * weight[:, None]).T @ apart / weight.sum())
